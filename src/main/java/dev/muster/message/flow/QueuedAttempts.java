package dev.muster.message.flow;

import dev.muster.message.DelegationMessage;
import dev.muster.message.DelegationMessageOutcome;
import dev.muster.message.call.DeliverySettings;
import dev.muster.message.call.OutboundRequest;
import dev.muster.message.call.OutcomeMapper;
import dev.muster.message.call.TargetCalls;
import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.flow.QueueDecision.AfterCall;
import dev.muster.message.store.Completions;
import dev.muster.message.store.DeliveryOutcome;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.Messages;
import dev.muster.message.store.Messages.StoredMessage;
import dev.muster.message.store.QueueRepository.Claimed;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueuedMessage;
import dev.muster.message.store.ReplicaLease;
import dev.muster.message.store.Sender;
import dev.muster.platform.http.Quota;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.client.A2aErrors;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.FailureKind;
import dev.muster.protocol.client.ResponseMemoryAllocation;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.workspace.DeliveryTarget;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Makes one attempt to deliver a queued message (R7.7). An attempt is one send, since the queue
 * retries.
 */
@Component
public class QueuedAttempts {

  /** What an attempt has shown of its target. */
  public enum Reaction {
    /** It answered, or could not be reached at once. */
    IN_TIME,
    /** It kept the attempt waiting until its time was over. */
    TIMED_OUT,
    NOT_CALLED
  }

  /**
   * What is to be sent, and to whom.
   *
   * @param target as it was when the message was claimed; null if it was removed
   */
  public record Attempt(Claimed claimed, @Nullable DeliveryTarget target) {

    public QueuedMessage queued() {
      return claimed.queued();
    }
  }

  /** The result of an attempt. */
  public sealed interface Result {

    Reaction reaction();

    /** Nothing is left to do: the message ended here, or another replica decides about it. */
    record Over(Reaction reaction) implements Result {}

    /**
     * The attempt failed and is repeated after a pause. The agent may have got the message {@code
     * deliveries} times.
     *
     * @param status the HTTP status of the agent; null without one
     * @param retryAfter the pause that the agent asked for
     * @param answered as in {@link DeliveryOutcome}
     */
    record Failed(
        @Nullable String error,
        @Nullable Integer status,
        Optional<Duration> retryAfter,
        int deliveries,
        @Nullable Boolean answered,
        Reaction reaction)
        implements Result {}

    /** The target cannot take the message now. This does not count as an attempt. */
    record NoFreeSlot() implements Result {

      @Override
      public Reaction reaction() {
        return Reaction.NOT_CALLED;
      }
    }
  }

  private static final Set<FailureKind> TIME_OUTS =
      Set.of(
          FailureKind.CONNECT_TIMEOUT,
          FailureKind.WRITE_TIMEOUT,
          FailureKind.READ_TIMEOUT,
          FailureKind.ANSWER_TOO_SLOW);

  /** Messages that are read at the same time; their sizes are known only after the read. */
  private static final int MAX_LOADING = 4;

  private static final String NOT_WANTED =
      "the delegation has ended, or was sent again, while this waited";
  private static final String TOO_LATE =
      "the deadline of the delegation passed before its callee could be reached";

  private final Quota loading = new Quota(MAX_LOADING);
  private final Messages messages;
  private final TargetCalls calls;
  private final OutcomeMapper outcomes;
  private final QueueCompletion queueCompletion;
  private final ReplicaLease lease;
  private final ResponseMemoryBudget budget;
  private final DeliverySlots slots;
  private final DeliverySettings settings;

  QueuedAttempts(
      Messages messages,
      TargetCalls calls,
      OutcomeMapper outcomes,
      QueueCompletion queueCompletion,
      ReplicaLease lease,
      ResponseMemoryBudget budget,
      DeliverySlots slots,
      DeliverySettings settings) {
    this.messages = messages;
    this.calls = calls;
    this.outcomes = outcomes;
    this.queueCompletion = queueCompletion;
    this.lease = lease;
    this.budget = budget;
    this.slots = slots;
    this.settings = settings;
  }

  /** Makes an attempt; blocks the calling thread until it ends. */
  public Result make(Attempt attempt) {
    @Nullable DeliveryTarget target = attempt.target();
    if (target == null) {
      return new Result.NoFreeSlot(); // the sweep drops it
    }
    QueuedMessage queued = attempt.queued();
    @Nullable StoredMessage small = attempt.claimed().message();
    StoredMessage message = small == null ? load(queued) : small;
    Optional<DelegationMessage> delegation =
        queued.kind() == Kind.DELEGATION ? message.delegated() : Optional.empty();
    Optional<Duration> left =
        delegation.isEmpty()
            ? Optional.of(settings.totalBudget())
            : queueCompletion.remainingTime(delegation.get());
    return switch (QueueDecision.beforeCall(target, left)) {
      case SEND -> send(queued, target, message, delegation, left.orElseThrow());
      case AWAIT -> new Result.NoFreeSlot();
      case TO_FEED ->
          over(
              queued, QueueCompletion.inFeed(message.method(), queued), QueueState.DELIVERED, null);
      case NOT_WANTED ->
          over(queued, queueCompletion.refused(NOT_WANTED), QueueState.DROPPED, null);
      case TOO_LATE ->
          over(
              queued,
              queueCompletion.refused(TOO_LATE),
              QueueState.EXPIRED,
              new DelegationMessageOutcome.Failed(delegation.orElseThrow(), TOO_LATE));
    };
  }

  /** Ends what was not sent. */
  private Result over(
      QueuedMessage queued,
      DeliveryOutcome outcome,
      QueueState state,
      @Nullable DelegationMessageOutcome ofDelegation) {
    queueCompletion.end(queued, outcome, state, ofDelegation);
    return new Result.Over(Reaction.NOT_CALLED);
  }

  private StoredMessage load(QueuedMessage queued) {
    return loading.runUninterruptibly(
        queued.key().workspaceId(),
        () ->
            messages
                .find(queued.key())
                .orElseThrow(() ->
                    new IllegalStateException(
                        "the row of a message that waits is kept, but "
                            + queued.id()
                            + " is gone")));
  }

  private Result send(
      QueuedMessage queued,
      DeliveryTarget target,
      StoredMessage message,
      Optional<DelegationMessage> delegation,
      Duration atMost) {
    RawJson request =
        message.systemText() == null ? message.request() : SystemMessages.request(message);
    byte[] body = request.text().getBytes(StandardCharsets.UTF_8);
    Sender sender = new Sender(message.senderId());
    OutboundRequest outbound =
        new OutboundRequest(
            target,
            target.idleTimeoutSeconds(),
            sender,
            body,
            message.headers(),
            message.systemText() != null
                || OutboundRequest.isVersionFree(message.method(), message.headers()),
            Deadline.in(shorter(atMost, settings.totalBudget())));
    Optional<DeliverySlot> free = slots.findForQueue(sender, 2L * body.length);
    if (free.isEmpty()) {
      return new Result.NoFreeSlot();
    }
    try (DeliverySlot slot = free.get();
        ResponseMemoryAllocation space = outbound.openSpace(budget)) {
      return slot.enter(target.id()) && lease.isAlive()
          ? send(queued, delegation, outbound, space)
          : new Result.NoFreeSlot();
    }
  }

  private Result send(
      QueuedMessage queued,
      Optional<DelegationMessage> delegation,
      OutboundRequest outbound,
      ResponseMemoryAllocation space) {
    A2aResult result = calls.sendOnce(outbound, space);
    // false: the row of the delivery counts the earlier deliveries
    DeliveryOutcome outcome = outcomes.of(result, false);
    return switch (QueueDecision.afterCall(
        queued.kind(), queued.lastStatus(), result, outcome.state(), settings.retryAmbiguous())) {
      case AfterCall.Again() -> failed(result, outcome);
      case AfterCall.End(QueueState state) -> end(queued, delegation, result, outcome, state);
    };
  }

  private Result end(
      QueuedMessage queued,
      Optional<DelegationMessage> delegation,
      A2aResult result,
      DeliveryOutcome outcome,
      QueueState state) {
    try {
      Completions.untilStored(() ->
          queueCompletion.end(
              queued,
              outcome,
              state,
              delegation
                  .map(one -> DelegationMessageOutcome.of(one, result, outcome))
                  .orElse(null)));
    } catch (RuntimeException e) {
      if (!Completions.mayWorkLater(e)) {
        throw e;
      }
      // This server stops. The message was delivered, so another replica decides what follows.
    }
    return new Result.Over(reaction(result));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static Reaction reaction(A2aResult result) {
    return result instanceof A2aResult.OutOfTime
            || (result instanceof A2aResult.Unreachable end && TIME_OUTS.contains(end.last()))
        ? Reaction.TIMED_OUT
        : Reaction.IN_TIME;
  }

  private static Result failed(A2aResult result, DeliveryOutcome outcome) {
    return new Result.Failed(
        A2aErrors.text(result),
        result instanceof A2aResult.HttpError error ? error.status() : null,
        result instanceof A2aResult.HttpError error ? error.retryAfter() : Optional.empty(),
        outcome.deliveries(),
        outcome.answered(),
        reaction(result));
  }
}
