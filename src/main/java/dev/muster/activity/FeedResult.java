package dev.muster.activity;

/** What became of a {@link FeedChange}. */
sealed interface FeedResult permits Appended, Ended {}
