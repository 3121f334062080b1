package dev.muster.activity;

import java.util.Optional;

/**
 * The position of a feed read.
 *
 * @param lastSeq the feed's last {@code seq}, read before any row
 * @param read the {@code seq} up to which the agent is known to have read
 * @param after where the read begins, exclusive
 * @param upTo where the read ends, inclusive
 */
record FeedPosition(long lastSeq, long read, long after, long upTo) {

  /** The position in a feed without a head, to which nothing was ever appended. */
  static final FeedPosition EMPTY = new FeedPosition(0, 0, 0, 0);

  /** Returns the position before the first row is read. */
  static FeedPosition of(FeedQuery query, Marks marks) {
    long start = query.startsAfterAcked() ? marks.acked() : marks.since().orElse(0L);
    long after = query.sinceSecs().isPresent() ? Math.max(start, marks.aged()) : start;
    long upTo = query.beforeTs().isPresent() ? marks.before() : Long.MAX_VALUE;
    return new FeedPosition(marks.lastSeq(), marks.read(), after, upTo);
  }

  FeedPosition withLastSeq(long seq) {
    return new FeedPosition(seq, read, after, upTo);
  }

  boolean isAtEnd() {
    return after >= Math.min(upTo, lastSeq);
  }

  /**
   * The {@code seq} numbers with which a feed read begins.
   *
   * @param lastSeq the feed's last
   * @param acked the last acknowledged
   * @param read the last that is known to be read
   * @param since the one of the cursor's row; empty if there is no such row
   * @param aged the newest row before {@code since_secs}; 0 if there is none
   * @param before the newest row before {@code before_ts}; 0 if there is none
   */
  record Marks(long lastSeq, long acked, long read, Optional<Long> since, long aged, long before) {}
}
