package dev.muster.activity;

/** What became of the end of a turn. */
public enum Ended implements FeedResult {
  /** It is on its row, committed with the transaction. */
  STORED,

  /** It came too late: somebody else ended it, or has taken it over, or the row is gone. */
  PASSED
}
