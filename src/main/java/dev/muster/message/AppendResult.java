package dev.muster.message;

import dev.muster.message.store.MessageAdmission;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The result of appending one row. */
public sealed interface AppendResult {

  /**
   * The row is in the feed and commits with the transaction.
   *
   * @param depth for a queued message, how many messages wait for the target, estimated above 32;
   *     else 0
   * @param idleTimeoutSeconds for a message that is sent at once, how long the agent may be silent
   *     within one response, in seconds; null if the agent has not stated it
   */
  record Stored(UUID id, long seq, int depth, @Nullable Integer idleTimeoutSeconds)
      implements AppendResult {

    public boolean isQueued() {
      return depth > 0;
    }
  }

  /** The feed holds this message already: a duplicate message (R7.3). Nothing was written. */
  record Repeated(UUID id, long seq) implements AppendResult {}

  /** The message id belongs to a message with other content (R7.3). Nothing was written. */
  record OtherContent() implements AppendResult {}

  /** The feed is at its limit of unread rows or bytes (R6.7a). Nothing was written. */
  record FeedFull(String detail) implements AppendResult {

    /** Builds the error for the feed's own agent. */
    public ProblemException refusal() {
      return new ProblemException(ErrorCode.FEED_FULL, detail);
    }
  }

  /** The target's queue is full (R7.7). Nothing was written. */
  record QueueFull() implements AppendResult {

    /** Builds the error for a sender. */
    public static ProblemException refusal(UUID targetId) {
      return new ProblemException(
          ErrorCode.QUEUE_FULL,
          MessageAdmission.MAX_QUEUED
              + " messages wait for the workspace "
              + targetId
              + " already; try again later");
    }
  }

  /** An assumption of the row's {@link MessageAdmission} no longer holds. Nothing was written. */
  record Outdated() implements AppendResult {}

  /**
   * The assumptions hold, but the message cannot be sent at once. The target is away or at
   * capacity, or an earlier message of the same sender waits for it. Nothing was written.
   */
  record NotFree() implements AppendResult {}
}
