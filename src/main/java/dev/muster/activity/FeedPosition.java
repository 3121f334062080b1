package dev.muster.activity;

import java.util.Optional;

/**
 * Where a reading of a feed stands: rows after {@code after}, up to {@code upTo} inclusive. {@code
 * lastSeq} is the feed's end, read before any row was; {@code read} the position up to which it is
 * known to be read.
 */
record FeedPosition(long lastSeq, long read, long after, long upTo) {

  /** Of a feed without a head: nothing was ever appended. */
  static final FeedPosition UNBORN = new FeedPosition(0, 0, 0, 0);

  /** Before any row was looked at. */
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
   * The numbers that a reading begins with: the feed's last, the last acknowledged, the last that
   * is known to be read, that of the cursor's row if there is one, and those of the newest rows
   * before the query's two times, 0 if there is none.
   */
  record Marks(long lastSeq, long acked, long read, Optional<Long> since, long aged, long before) {}
}
