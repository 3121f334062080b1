package dev.muster.message.feed;

import java.util.Optional;

/**
 * The position of a feed read.
 *
 * @param lastSeq the feed's last {@code seq}, read before any row
 * @param read the {@code seq} up to which the agent is known to have read
 * @param after where the read begins, exclusive
 * @param afterDelivered where it begins for messages, exclusive: at {@code after} or behind those
 *     that are known to be delivered by push
 * @param upTo where the read ends, inclusive
 */
record FeedPosition(long lastSeq, long read, long after, long afterDelivered, long upTo) {

  /** The position in a feed without a head, to which nothing was ever appended. */
  static final FeedPosition EMPTY = new FeedPosition(0, 0, 0, 0, 0);

  /** Returns the position before the first row is read. */
  static FeedPosition of(FeedQuery query, Marks marks) {
    long start = query.startsAfterAcked() ? marks.acked() : marks.since().orElse(0L);
    long after = query.sinceSecs().isPresent() ? Math.max(start, marks.aged()) : start;
    long afterDelivered = query.startsAfterAcked() ? Math.max(after, marks.delivered()) : after;
    long upTo = query.beforeTs().isPresent() ? marks.before() : Long.MAX_VALUE;
    return new FeedPosition(
        marks.lastSeq(),
        marks.read(),
        query.asksForMessagesOnly() ? afterDelivered : after,
        afterDelivered,
        upTo);
  }

  FeedPosition withLastSeq(long seq) {
    return new FeedPosition(seq, read, after, afterDelivered, upTo);
  }

  /** Returns the part of this range up to a row, inclusive. */
  FeedPosition endingAt(long seq) {
    return new FeedPosition(lastSeq, read, after, afterDelivered, seq);
  }

  /** Returns the part of this range after a row. */
  FeedPosition beginningAfter(long seq) {
    return new FeedPosition(lastSeq, read, seq, Math.max(seq, afterDelivered), upTo);
  }

  boolean isAtEnd() {
    return length() <= 0;
  }

  /** Returns how many rows the range has at most; below 1 for none. */
  long length() {
    return Math.min(upTo, lastSeq) - after;
  }

  /**
   * The {@code seq} numbers with which a feed read begins.
   *
   * @param lastSeq the feed's last
   * @param acked the last acknowledged
   * @param read the last that is known to be read
   * @param delivered the last before which all messages are known to be delivered by push
   * @param inPollMode whether the workspace is in poll mode; unknown, so false, with a cursor
   * @param since the one of the cursor's row; empty if there is no such row
   * @param aged the newest row before {@code since_secs}; 0 if there is none
   * @param before the newest row before {@code before_ts}; 0 if there is none
   */
  record Marks(
      long lastSeq,
      long acked,
      long read,
      long delivered,
      boolean inPollMode,
      Optional<Long> since,
      long aged,
      long before) {

    /** Whether the agent polls: it is in poll mode, or it has acknowledged what it read. */
    boolean ofPollingAgent() {
      return inPollMode || acked > 0;
    }
  }
}
