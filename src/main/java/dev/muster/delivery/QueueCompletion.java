package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.MessageAdmission.Kind;
import dev.muster.activity.Messages;
import dev.muster.platform.commit.CommitAwareTransactions;
import dev.muster.platform.postgres.StatementTimeouts;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Ends queued messages, each with the delegation that it carries, in one transaction: the
 * delegation's row is locked before any feed.
 */
@Component
class QueueCompletion {

  /** For an answer of 64 MiB, which goes into three rows. */
  private static final Duration MAX_DURATION = Duration.ofSeconds(30);

  private final Completions completions;
  private final ReplicaLease lease;
  private final Messages messages;
  private final ProxyResponses replies;
  private final CommitAwareTransactions transactions;
  private final StatementTimeouts statements;

  /** Looked up late: the ledger of delegations also sends messages by this class. */
  private final ObjectProvider<DelegationCallbacks> delegations;

  QueueCompletion(
      Completions completions,
      ReplicaLease lease,
      Messages messages,
      ProxyResponses replies,
      CommitAwareTransactions transactions,
      StatementTimeouts statements,
      ObjectProvider<DelegationCallbacks> delegations) {
    this.completions = completions;
    this.lease = lease;
    this.messages = messages;
    this.replies = replies;
    this.transactions = transactions.withTimeout(MAX_DURATION);
    this.statements = statements;
    this.delegations = delegations;
  }

  /**
   * How long there still is for what a delegation carries; empty when it is not wanted any more.
   */
  Optional<Duration> remainingTime(DelegationMessage message) {
    return delegations.getObject().remainingTime(message);
  }

  /**
   * Ends a message that its holder has delivered or given up; nothing happens when another replica
   * holds it by now. The row of a result tells how the delegation ended, whatever the outcome of
   * its delivery.
   */
  void end(QueuedMessage message, DeliveryOutcome outcome, QueueState state) {
    boolean _ = completions.complete(completion(message, outcome, state));
  }

  /** As {@link #end}, with the end of the delegation that it carries. */
  void end(
      QueuedMessage message,
      DeliveryOutcome outcome,
      QueueState state,
      DelegationMessageOutcome ofDelegation) {
    boolean _ =
        transactions.runRetryingDeadlocks(status -> {
          statements.allow(MAX_DURATION);
          complete(List.of(ofDelegation));
          boolean ended =
              !completions.completeAll(List.of(completion(message, outcome, state))).isEmpty();
          if (!ended) {
            status.setRollbackOnly();
          }
          return ended;
        });
  }

  private static Completion completion(
      QueuedMessage message, DeliveryOutcome outcome, @Nullable QueueState state) {
    return (message.kind() == Kind.RESULT ? outcome.withoutTraceOnRow() : outcome)
        .completion(message.key(), message.heldBy(), state);
  }

  /**
   * Ends, in the caller's transaction, what {@code claiming} claims for that: it will not be
   * delivered. Those that the agent may have been given before end as uncertain.
   *
   * @return how many there were
   */
  @Transactional(propagation = Propagation.MANDATORY)
  int endUndelivered(
      Function<DeliveryClaim, List<QueuedMessage>> claiming, QueueState state, String why) {
    return lease.withClaim(claim -> {
      List<QueuedMessage> held = claiming.apply(claim);
      endUndelivered(held, state, why);
      return held.size();
    });
  }

  private void endUndelivered(List<QueuedMessage> held, QueueState state, String why) {
    if (held.isEmpty()) {
      return;
    }
    settleDelegations(held, one -> new DelegationMessageOutcome.Failed(one, why));
    completions.completeAll(
        held.stream()
            .map(message -> completion(message, undelivered(message, why), state))
            .toList());
  }

  /**
   * Ends one as uncertain in the caller's transaction, which has claimed it for that. {@code state}
   * is how it leaves the queue, if it waited.
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
      complete(messages.delegated(keys).stream().map(DelegationMessage::of).map(outcome).toList());
    }
  }

  private void complete(List<DelegationMessageOutcome> outcomes) {
    if (!outcomes.isEmpty()) {
      delegations.getObject().complete(outcomes);
    }
  }

  private DeliveryOutcome undelivered(QueuedMessage message, String why) {
    String text = message.error() == null ? why : why + "; the last error: " + message.error();
    return message.deliveries() == 0
        ? refused(text)
        : DeliveryOutcome.withoutAnswer(
            replies.timedOut(
                "the message was given up while it waited, after attempts to deliver it"),
            OutcomeState.UNCERTAIN,
            text,
            0);
  }

  /** The agent did not get it, and will not. */
  DeliveryOutcome refused(String why) {
    return DeliveryOutcome.withoutAnswer(replies.unreachable(why), OutcomeState.REFUSED, why, 0);
  }

  /** The agent may have got it, so many times. */
  DeliveryOutcome uncertain(String why, int deliveries) {
    return DeliveryOutcome.withoutAnswer(
        replies.timedOut(why), OutcomeState.UNCERTAIN, why, deliveries);
  }

  /** The agent polls by now, and finds it in its feed; it shows no trace there. */
  static DeliveryOutcome inFeed(String method, QueuedMessage message) {
    return new DeliveryOutcome(
        ProxyResponses.toBePolled(method, message.id()), OutcomeState.IN_FEED, null, null, null, 0);
  }
}
