package dev.muster.message.flow;

import dev.muster.message.flow.Facts.Known;
import dev.muster.message.flow.Facts.Look;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.A2aMethod;
import java.util.Optional;

/** What happens to a message next, new or repeated; decided from the facts alone. */
sealed interface MessageDecision {

  /** The target is read again, since what is remembered of it may be outdated. */
  record ReadTarget() implements MessageDecision {}

  /** It goes into the feed of its agent, or is there. */
  record ToFeed() implements MessageDecision {}

  /** It is sent at once, if this replica has a slot for it; otherwise it is queued. */
  record Send() implements MessageDecision {}

  record Queue() implements MessageDecision {}

  /** It is being delivered, so its sender waits for the outcome. */
  record AwaitOutcome() implements MessageDecision {}

  /** Its sender gets the stored response. */
  record RepeatResponse(Known known) implements MessageDecision {}

  /** A poll agent has no answer to such a method. */
  record NoAnswer(A2aMethod method) implements MessageDecision {}

  record Refuse(ProblemException why) implements MessageDecision {}

  /**
   * Decides.
   *
   * @param retryAmbiguous whether a message that its agent may have is sent again (R7.3)
   */
  static MessageDecision of(Message message, Facts facts, boolean retryAmbiguous) {
    Known known = facts.known();
    if (known == null) {
      return delivery(message, facts);
    }
    if (known.standing().open() != null) {
      return new AwaitOutcome();
    }
    return switch (Repeat.of(known.standing(), retryAmbiguous)) {
      case IN_FEED -> new ToFeed();
      case ANSWERED -> answered(facts, known);
      case MAY_BE_KNOWN -> new RepeatResponse(known);
      case AGAIN -> again(message, facts);
    };
  }

  /**
   * The message by which a poll agent answered is for those who wait or have waited, and no
   * response to a send (R7.3, R7.5, R7.11).
   */
  private static MessageDecision answered(Facts facts, Known known) {
    if (!known.standing().isAnsweredByMessage() || facts.hasWaited()) {
      return new RepeatResponse(known);
    }
    if (facts.isRemembered()) {
      return new ReadTarget();
    }
    return facts.polls() ? new ToFeed() : new RepeatResponse(known);
  }

  private static MessageDecision again(Message message, Facts facts) {
    return facts.isRemembered() ? new ReadTarget() : delivery(message, facts);
  }

  /** Decides how a message is delivered, for the first time or again. */
  private static MessageDecision delivery(Message message, Facts facts) {
    if (facts.polls()) {
      return toPollAgent(message, facts);
    }
    if (isRefusedByPause(message, facts)) {
      return new Refuse(
          new ProblemException(
              ErrorCode.WORKSPACE_PAUSED,
              "the workspace " + message.targetId() + " is paused; send again when it is resumed"));
    }
    if (!facts.isFree()) {
      return new Queue();
    }
    if (message.canGo(facts.target())) {
      return new Send();
    }
    return facts.isRemembered() ? new ReadTarget() : new Queue();
  }

  private static MessageDecision toPollAgent(Message message, Facts facts) {
    Optional<A2aMethod> question = message.question();
    if (question.isEmpty()) {
      return new ToFeed();
    }
    return facts.isRemembered() ? new ReadTarget() : new NoAnswer(question.get());
  }

  /**
   * A new message is not refused before the database has said that it is new, since a repeated one
   * gets the response to the first. The result of a delegation waits instead.
   */
  private static boolean isRefusedByPause(Message message, Facts facts) {
    return facts.isPaused()
        && message.kind() != Kind.RESULT
        && (facts.known() != null || facts.look() == Look.READ_AFTER_CHANGE);
  }
}
