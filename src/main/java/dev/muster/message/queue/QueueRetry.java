package dev.muster.message.queue;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.flow.Repeat;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.Messages;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.OutcomeRepository.Standing;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.message.store.QueuedMessage;
import dev.muster.message.store.WaitingTargets;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Workspaces;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Retries a queued message for an operator (R7.7). A message that ended undelivered is queued again
 * under the conditions of a duplicate message (R7.3).
 */
@Component
class QueueRetry {

  private final QueueListRepository list;
  private final OutcomeRepository outcomes;
  private final WaitingTargets waiting;
  private final QueueWakeUps wakeUps;
  private final Messages messages;
  private final MessageStore store;
  private final Workspaces workspaces;
  private final DeliverySettings settings;
  private final CommitAwareTransactions transactions;

  QueueRetry(
      QueueListRepository list,
      OutcomeRepository outcomes,
      WaitingTargets waiting,
      QueueWakeUps wakeUps,
      Messages messages,
      MessageStore store,
      Workspaces workspaces,
      DeliverySettings settings,
      CommitAwareTransactions transactions) {
    this.list = list;
    this.outcomes = outcomes;
    this.waiting = waiting;
    this.wakeUps = wakeUps;
    this.messages = messages;
    this.store = store;
    this.workspaces = workspaces;
    this.settings = settings;
    this.transactions = transactions;
  }

  /**
   * Makes a waiting message due now, or queues an ended one again, for as long as it could wait at
   * first. If its target cannot take it now, the message waits until the target can.
   */
  void retry(UUID queueId, ActivityKey key) {
    boolean _ =
        transactions.runRetryingDeadlocks(_ -> {
          if (!list.makeDue(key)) {
            queueAgain(queueId, key);
          }
          return true;
        });
    wakeUps.queued(Set.of(key.workspaceId()));
  }

  /**
   * Queues an ended message behind those of its priority. The lock of the feed excludes appends and
   * other operators, but not a sender that repeats the message.
   */
  private void queueAgain(UUID queueId, ActivityKey key) {
    UUID targetId = key.workspaceId();
    workspaces.requirePresent(targetId);
    store.lock(Set.of(targetId));
    Standing standing = outcomes.find(key).orElseThrow(() -> unknown(queueId));
    if (standing.open() == null) {
      QueuedMessage ended = list.find(key).orElseThrow(() -> unknown(queueId));
      requireRepeatable(ended, standing);
      if (ended.kind() != Kind.RESULT) {
        waiting.requireSpace(targetId);
      }
      Duration life = Duration.between(ended.enqueuedAt(), ended.expiresAt());
      boolean waits =
          outcomes.queueAgain(key, ended.priority(), life, settings.retryAmbiguous()).isPresent();
      if (waits) {
        store.outdateSnapshots(targetId);
        return;
      }
    }
    // Another operator or the sender was faster.
    if (!list.makeDue(key)) {
      throw delivering();
    }
  }

  private void requireRepeatable(QueuedMessage ended, Standing standing) {
    if (ended.kind() == Kind.DELEGATION) {
      throw ended(
          ended,
          "it carries the delegation "
              + delegationOf(ended.key())
              + " (expected: a retry of the delegation while that is in flight, else a new"
              + " delegation by its caller)");
    }
    switch (Repeat.of(standing, settings.retryAmbiguous())) {
      case AGAIN -> {}
      case MAY_BE_KNOWN ->
          throw ended(
              ended,
              "its agent may have got it, and A2A_RETRY_AMBIGUOUS=false forbids to send it twice"
                  + " (expected: a new message by its sender)");
      case ANSWERED ->
          throw ended(ended, "its agent has answered it (expected: a new message by its sender)");
      case IN_FEED ->
          throw ended(
              ended,
              "it is in the feed of its agent (expected: the agent reads it there, or a new message"
                  + " by its sender)");
    }
  }

  private String delegationOf(ActivityKey key) {
    return messages.delegated(List.of(key)).getFirst().delegationId();
  }

  private static ProblemException ended(QueuedMessage ended, String why) {
    String state = ended.state().wire();
    return new ProblemException(
        ErrorCode.WRONG_STATE,
        "the message is " + state + " and cannot be queued again: " + why,
        Map.of("state", state));
  }

  static ProblemException delivering() {
    return new ProblemException(
        ErrorCode.DELIVERING,
        "the message is being delivered right now; try again when that attempt has ended");
  }

  static ProblemException unknown(UUID queueId) {
    return new ProblemException(
        ErrorCode.NOT_FOUND, "no message " + queueId + " is in the queue, or no longer");
  }
}
