package dev.muster.message.flow;

import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.QueueState;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.FailureKind;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What happens next to a message that a replica holds and whose sender does not wait for a
 * response; decided from the facts alone (R7.7, R7.16).
 */
final class QueueDecision {

  /** What happens to a message that is claimed. */
  enum BeforeCall {
    /** It is sent, if this replica has a slot for it; otherwise it waits. */
    SEND,
    /** It is left in the feed of its agent, which polls now. */
    TO_FEED,
    /** It waits until the target can take it; this was no attempt. */
    AWAIT,
    /** It leaves the queue: its delegation has ended, or was sent again. */
    NOT_WANTED,
    /** It leaves the queue: the deadline of its delegation has passed. */
    TOO_LATE
  }

  /** What happens to a message after a call. */
  sealed interface AfterCall {

    /** It is sent again after a pause. */
    record Again() implements AfterCall {}

    /** It leaves the queue. */
    record End(QueueState state) implements AfterCall {}
  }

  /** An error of the agent itself, which may be gone at the next attempt. */
  private static final int INTERNAL_ERROR = 500;

  private QueueDecision() {}

  /**
   * Decides before a call.
   *
   * @param target as it was when the message was claimed
   * @param left the time until the deadline of the delegation; empty if that waits for this message
   *     no more
   */
  static BeforeCall beforeCall(DeliveryTarget target, Optional<Duration> left) {
    if (left.isEmpty()) {
      return BeforeCall.NOT_WANTED;
    }
    if (!left.get().isPositive()) {
      return BeforeCall.TOO_LATE;
    }
    if (target.deliveryMode() == DeliveryMode.POLL) {
      return BeforeCall.TO_FEED;
    }
    return target.isReachable() ? BeforeCall.SEND : BeforeCall.AWAIT;
  }

  /**
   * Decides by what a call has shown.
   *
   * @param lastStatus the HTTP status of the last attempt; null without one
   * @param state the state of the outcome that the result is mapped to
   * @param retryAmbiguous whether a message that its agent may have is sent again (R7.3)
   */
  static AfterCall afterCall(
      Kind kind,
      @Nullable Integer lastStatus,
      A2aResult result,
      OutcomeState state,
      boolean retryAmbiguous) {
    boolean again =
        switch (state) {
          case REFUSED -> true;
          case UNCERTAIN ->
              isNoEnd(kind, lastStatus, result) || (retryAmbiguous && retryMayHelp(kind, result));
          case ANSWERED, IN_FEED -> isNoEnd(kind, lastStatus, result);
        };
    if (again) {
      return new AfterCall.Again();
    }
    return new AfterCall.End(
        state == OutcomeState.UNCERTAIN || isFailure(kind, result)
            ? QueueState.FAILED
            : QueueState.DELIVERED);
  }

  /** Decides about a message that a replica held when it ended: its agent may have it. */
  static AfterCall afterLoss(boolean retryAmbiguous) {
    return retryAmbiguous ? new AfterCall.Again() : new AfterCall.End(QueueState.FAILED);
  }

  /**
   * Whether an answer is not the end (R7.16): a first 500; for a result, all that does not show
   * that the agent got it.
   */
  private static boolean isNoEnd(Kind kind, @Nullable Integer lastStatus, A2aResult result) {
    return kind == Kind.RESULT
        ? result instanceof A2aResult.HttpError
            || (result instanceof A2aResult.Malformed answer && answer.status() == 0)
        : result instanceof A2aResult.HttpError error
            && error.status() == INTERNAL_ERROR
            && !Objects.equals(lastStatus, INTERNAL_ERROR);
  }

  private static boolean retryMayHelp(Kind kind, A2aResult result) {
    boolean wasTooSlow =
        result instanceof A2aResult.Unreachable end && end.last() == FailureKind.ANSWER_TOO_SLOW;
    return !wasTooSlow && !(kind == Kind.DELEGATION && wasSilent(result));
  }

  /** Whether the agent may still work on the message after the server stopped waiting. */
  private static boolean wasSilent(A2aResult result) {
    return result instanceof A2aResult.OutOfTime
        || (result instanceof A2aResult.Unreachable end && end.last() == FailureKind.READ_TIMEOUT);
  }

  /** A result that the agent refuses is told to nobody else. */
  private static boolean isFailure(Kind kind, A2aResult result) {
    return result instanceof A2aResult.HttpError
        || result instanceof A2aResult.Malformed
        || (kind == Kind.RESULT && result instanceof A2aResult.RpcError);
  }
}
