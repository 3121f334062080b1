package dev.muster.activity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The result of appending one row. */
public sealed interface AppendResult {

  /**
   * It is in the feed, committed with the transaction.
   *
   * @param depth how many messages wait for the target, of one that was queued
   * @param idleTimeoutSeconds how long the target's agent may be silent within one answer, if it
   *     said so; of one that is sent at once
   */
  record Stored(UUID id, long seq, int depth, @Nullable Integer idleTimeoutSeconds)
      implements AppendResult {}

  /** The same message is in the feed already (R7.3); nothing was written. */
  record Repeated(UUID id, long seq) implements AppendResult {}

  /** Its id names a message of another content (R7.3); nothing was written. */
  record OtherContent() implements AppendResult {}

  /** The feed has no room for more unread rows (R6.7a); nothing was written. */
  record FeedFull(String detail) implements AppendResult {

    /** What the feed's own agent is answered. */
    public ProblemException refusal() {
      return new ProblemException(ErrorCode.FEED_FULL, detail);
    }
  }

  /** As many messages as may wait for the target already (R7.7); nothing was written. */
  record QueueFull() implements AppendResult {}

  /** What its {@link MessageAdmission} assumes is no longer so; nothing was written. */
  record Outdated() implements AppendResult {}

  /**
   * Its target is what was assumed, but cannot be sent to at once: it is away or at capacity, or an
   * earlier message of the same sender waits for it; nothing was written.
   */
  record NotFree() implements AppendResult {}
}
