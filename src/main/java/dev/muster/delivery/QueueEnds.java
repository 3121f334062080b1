package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.Feeds;
import dev.muster.activity.MessageAdmission.Kind;
import dev.muster.activity.Messages;
import dev.muster.activity.NewActivity;
import dev.muster.activity.Result;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.postgres.LongStatements;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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
class QueueEnds {

  /** For an answer of 64 MiB, which goes into three rows. */
  private static final Duration MOST = Duration.ofSeconds(30);

  private final Completions completions;
  private final Messages messages;
  private final Replies replies;
  private final Feeds feeds;
  private final CertainTransactions transactions;
  private final LongStatements statements;

  /** Asked for late: whoever keeps the ledger also has messages sent. */
  private final ObjectProvider<DelegationCallbacks> delegations;

  QueueEnds(
      Completions completions,
      Messages messages,
      Replies replies,
      Feeds feeds,
      CertainTransactions transactions,
      LongStatements statements,
      ObjectProvider<DelegationCallbacks> delegations) {
    this.completions = completions;
    this.messages = messages;
    this.replies = replies;
    this.feeds = feeds;
    this.transactions = transactions.noLongerThan(MOST);
    this.statements = statements;
    this.delegations = delegations;
  }

  /** How long there still is for what a delegation carries; empty when nobody wants it any more. */
  Optional<Duration> timeLeft(DelegationMessage message) {
    return delegations.getObject().timeLeft(message);
  }

  /**
   * Ends a message that was delivered, or given up by whoever holds it; nothing happens when it is
   * somebody else's by now. The row of a result tells how the delegation ended, whatever becomes of
   * its delivery.
   */
  void end(QueuedMessage message, DeliveryOutcome outcome, QueueState state) {
    boolean _ = completions.complete(completion(message, outcome, state));
  }

  /** As {@link #end}, with what becomes of the delegation. */
  void end(
      QueuedMessage message,
      DeliveryOutcome outcome,
      QueueState state,
      DelegationMessageOutcome ofDelegation) {
    boolean _ =
        transactions.runPastDeadlocks(status -> {
          statements.allow(MOST);
          List<NewActivity> rows = delegations.getObject().settle(List.of(ofDelegation));
          feeds.appendAll(rows);
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
   * Ends these in the caller's transaction, which has claimed them for that: nobody will deliver
   * them. Of those that the agent may have been given before, nobody knows whether it has them.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  void endUndelivered(List<QueuedMessage> held, QueueState state, String why) {
    if (held.isEmpty()) {
      return;
    }
    List<DelegationMessageOutcome> ofDelegations =
        delegated(held).stream()
            .<DelegationMessageOutcome>map(
                one -> new DelegationMessageOutcome.Undelivered(one, why))
            .toList();
    if (!ofDelegations.isEmpty()) {
      feeds.appendAll(delegations.getObject().settle(ofDelegations));
    }
    completions.completeAll(
        held.stream()
            .map(message -> completion(message, undelivered(message, why), state))
            .toList());
  }

  /**
   * Ends one in the caller's transaction, which has claimed it for that: whether its agent got it,
   * nobody knows. {@code state} is how it leaves the queue, if it waited.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  void endInDoubt(QueuedMessage held, @Nullable QueueState state, String why) {
    List<DelegationMessageOutcome> ofDelegations =
        delegated(List.of(held)).stream()
            .<DelegationMessageOutcome>map(DelegationMessageOutcome.Silent::new)
            .toList();
    if (!ofDelegations.isEmpty()) {
      feeds.appendAll(delegations.getObject().settle(ofDelegations));
    }
    completions.completeAll(List.of(completion(held, uncertain(why, 1), state)));
  }

  private List<DelegationMessage> delegated(List<QueuedMessage> held) {
    List<ActivityKey> keys =
        held.stream()
            .filter(message -> message.kind() == Kind.DELEGATION)
            .map(QueuedMessage::key)
            .toList();
    return keys.isEmpty()
        ? List.of()
        : messages.delegated(keys).stream().map(DelegationMessage::of).toList();
  }

  private DeliveryOutcome undelivered(QueuedMessage message, String why) {
    String text = message.error() == null ? why : why + "; the last error: " + message.error();
    return message.deliveries() == 0
        ? refused(text)
        : new DeliveryOutcome(
            replies.timedOut(
                "the message was given up while it waited, after attempts to deliver it"),
            OutcomeState.UNCERTAIN,
            null,
            new Result("error", text, null),
            0);
  }

  /** The agent did not get it, and will not. */
  DeliveryOutcome refused(String why) {
    return new DeliveryOutcome(
        replies.unreachable(why), OutcomeState.REFUSED, null, new Result("error", why, null), 0);
  }

  /** Nobody knows whether the agent got it, so many times. */
  DeliveryOutcome uncertain(String why, int deliveries) {
    return new DeliveryOutcome(
        replies.timedOut(why),
        OutcomeState.UNCERTAIN,
        null,
        new Result("error", why, null),
        deliveries);
  }

  /** The agent polls by now, and finds it in its feed; it shows no trace there. */
  static DeliveryOutcome inFeed(String method, QueuedMessage message) {
    return new DeliveryOutcome(
        Replies.toBePolled(method, message.id()), OutcomeState.IN_FEED, null, null, null, 0);
  }
}
