package dev.muster.message.flow;

import dev.muster.message.DelegationCallbacks;
import dev.muster.message.DelegationMessage;
import dev.muster.message.DelegationMessageOutcome;
import dev.muster.message.call.ProxyResponses;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.Completions;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.DeliveryOutcome;
import dev.muster.message.store.DeliveryOutcome.Completion;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.Messages;
import dev.muster.message.store.QueueRepository;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueuedMessage;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.StatementTimeouts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Ends queued messages together with their delegations, in one transaction. The transaction locks
 * the delegation's row before any feed.
 */
@Component
public class QueueCompletion {

  /** A response of up to 64 MiB is written to three rows. */
  private static final Duration MAX_DURATION = Duration.ofSeconds(30);

  private final QueueRepository queue;
  private final Completions completions;
  private final Messages messages;
  private final ProxyResponses replies;
  private final CommitAwareTransactions transactions;
  private final StatementTimeouts statements;
  private final DelegationCallbacks delegations;

  QueueCompletion(
      QueueRepository queue,
      Completions completions,
      Messages messages,
      ProxyResponses replies,
      CommitAwareTransactions transactions,
      StatementTimeouts statements,
      DelegationCallbacks delegations) {
    this.queue = queue;
    this.completions = completions;
    this.messages = messages;
    this.replies = replies;
    this.transactions = transactions.withTimeout(MAX_DURATION);
    this.statements = statements;
    this.delegations = delegations;
  }

  /** Returns the time left for a delegation's message; empty if it is no longer needed. */
  Optional<Duration> remainingTime(DelegationMessage message) {
    return delegations.remainingTime(message);
  }

  /**
   * Ends a message that its holder has delivered or given up, with the delegation of the message.
   * Does nothing when another replica holds the message by then. The activity row of a delegation
   * result keeps the text of the delegation's end, whatever the outcome of its delivery.
   *
   * @param ofDelegation what its delegation is told; null when it is told nothing
   */
  public void end(
      QueuedMessage message,
      DeliveryOutcome outcome,
      QueueState state,
      @Nullable DelegationMessageOutcome ofDelegation) {
    Completion completion = completion(message, outcome, state);
    if (ofDelegation == null) {
      boolean _ = completions.complete(completion);
      return;
    }
    boolean _ =
        transactions.runRetryingDeadlocks(status -> {
          statements.allow(MAX_DURATION);
          complete(List.of(ofDelegation));
          boolean ended = !completions.completeAll(List.of(completion)).isEmpty();
          if (!ended) {
            status.setRollbackOnly();
          }
          return ended;
        });
  }

  private static Completion completion(
      QueuedMessage message, DeliveryOutcome outcome, @Nullable QueueState state) {
    return completion(message, message.heldBy(), outcome, state);
  }

  private static Completion completion(
      QueuedMessage message,
      @Nullable DeliveryClaim claim,
      DeliveryOutcome outcome,
      @Nullable QueueState state) {
    return (message.kind() == Kind.RESULT ? ofResult(outcome, state) : outcome)
        .completion(message.key(), claim, state);
  }

  /** The row of a result keeps its own bodies, and shows an error of its delivery. */
  private static DeliveryOutcome ofResult(DeliveryOutcome outcome, @Nullable QueueState state) {
    return state == QueueState.FAILED ? outcome.withoutResponse() : outcome.withoutTraceOnRow();
  }

  /** Ends a message in the caller's transaction; returns false if it did not wait. */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean endWaiting(ActivityKey key, QueueState state, String why) {
    return endUndelivered(queue.lockWaiting(key), state, why) > 0;
  }

  /**
   * Ends waiting messages, whose rows the caller's transaction has locked, without delivering them.
   * Messages that the agent may already have end as uncertain.
   *
   * @return the number of ended messages
   */
  @Transactional(propagation = Propagation.MANDATORY)
  int endUndelivered(List<QueuedMessage> locked, QueueState state, String why) {
    settleDelegations(locked, one -> new DelegationMessageOutcome.Failed(one, why));
    completions.completeAll(
        locked.stream()
            .map(message -> completion(message, null, undelivered(message, why), state))
            .toList());
    return locked.size();
  }

  /**
   * Ends a claimed message as uncertain, in the caller's transaction.
   *
   * @param state how the message leaves the queue; null if it was not queued
   */
  @Transactional(propagation = Propagation.MANDATORY)
  void endInDoubt(QueuedMessage held, @Nullable QueueState state, String why) {
    settleDelegations(List.of(held), DelegationMessageOutcome.Silent::new);
    completions.completeAll(List.of(completion(held, uncertain(why, 1), state)));
  }

  private void settleDelegations(
      List<QueuedMessage> held, Function<DelegationMessage, DelegationMessageOutcome> outcome) {
    List<ActivityKey> keys =
        held.stream()
            .filter(message -> message.kind() == Kind.DELEGATION)
            .map(QueuedMessage::key)
            .toList();
    if (!keys.isEmpty()) {
      complete(messages.delegated(keys).stream().map(outcome).toList());
    }
  }

  private void complete(List<DelegationMessageOutcome> outcomes) {
    if (!outcomes.isEmpty()) {
      delegations.complete(outcomes);
    }
  }

  private DeliveryOutcome undelivered(QueuedMessage message, String why) {
    String text = message.error() == null ? why : why + "; the last error: " + message.error();
    return message.deliveries() == 0
        ? refused(text)
        : DeliveryOutcome.withoutAnswer(
            replies.timedOut(
                "the message was dropped from the queue, after attempts to deliver it"),
            OutcomeState.UNCERTAIN,
            text,
            0);
  }

  /** Builds the outcome of a message that never reached the agent and never will. */
  DeliveryOutcome refused(String why) {
    return DeliveryOutcome.withoutAnswer(replies.unreachable(why), OutcomeState.REFUSED, why, 0);
  }

  /** Builds the outcome of a message that the agent may have got {@code deliveries} times. */
  DeliveryOutcome uncertain(String why, int deliveries) {
    return DeliveryOutcome.withoutAnswer(
        replies.timedOut(why), OutcomeState.UNCERTAIN, why, deliveries);
  }

  /**
   * Builds the outcome of a message that stays in the feed of a poll agent. The activity row does
   * not change.
   */
  static DeliveryOutcome inFeed(String method, QueuedMessage message) {
    return new DeliveryOutcome(
        ProxyResponses.toBePolled(method, message.id()),
        OutcomeState.IN_FEED,
        null,
        null,
        null,
        0,
        null);
  }
}
