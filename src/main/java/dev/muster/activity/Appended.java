package dev.muster.activity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;

/** What became of a row that was to be appended; {@code id} and {@code seq} are the row's. */
public sealed interface Appended extends FeedResult {

  /** It is in the feed, committed with the transaction. */
  record Stored(UUID id, long seq) implements Appended {}

  /** The same message is in the feed already (R7.3); nothing was written. */
  record Repeated(UUID id, long seq) implements Appended {}

  /** Its id names a message of another content (R7.3); nothing was written. */
  record OtherContent() implements Appended {}

  /** The feed has no room for more unread rows (R6.7a); nothing was written. */
  record FeedFull(String detail) implements Appended {

    /** What the feed's own agent is answered. */
    public ProblemException refusal() {
      return new ProblemException(ErrorCode.FEED_FULL, detail);
    }
  }
}
