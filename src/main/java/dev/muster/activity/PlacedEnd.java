package dev.muster.activity;

/** The end of a turn, with its number in the feed. */
record PlacedEnd(long turnSeq, TurnEnd end) {}
