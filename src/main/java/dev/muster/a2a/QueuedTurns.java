package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.QueuedEnding;
import dev.muster.a2a.queue.Attempt;
import dev.muster.a2a.queue.Claimed;
import dev.muster.a2a.queue.EndState;
import dev.muster.a2a.queue.EndedUnsent;
import dev.muster.a2a.queue.MessageQueue;
import dev.muster.a2a.queue.QueueAnswers;
import dev.muster.a2a.queue.QueueEnd;
import dev.muster.a2a.queue.QueuedDelivery;
import dev.muster.a2a.queue.QueuedMessage;
import dev.muster.activity.Ended;
import dev.muster.activity.Feeds;
import dev.muster.activity.Messages;
import dev.muster.activity.Result;
import dev.muster.activity.StoredMessage;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.json.RawJson;
import dev.muster.protocol.client.A2aErrors;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.Deadline;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import dev.muster.workspace.WorkspaceStatus;
import dev.muster.workspace.Workspaces;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Turns whose messages had to wait (R7.7): one send at a time, since the queue tries again. */
@Component
class QueuedTurns implements QueuedDelivery, QueueAnswers {

  /** By these an agent says that it is there, and has no room. */
  private static final Set<Integer> BUSY = Set.of(429, 503);

  private static final Result GIVEN_TO_POLLER = new Result("ok", null, null);

  private final Messages messages;
  private final Workspaces workspaces;
  private final QueuedSends sends;
  private final TurnOutcomes outcomes;
  private final Replies replies;
  private final Feeds feeds;
  private final MessageRecords records;
  private final MessageQueue queue;
  private final TransactionTemplate transactions;
  private final A2aSettings settings;

  QueuedTurns(
      Messages messages,
      Workspaces workspaces,
      QueuedSends sends,
      TurnOutcomes outcomes,
      Replies replies,
      Feeds feeds,
      MessageRecords records,
      MessageQueue queue,
      TransactionTemplate transactions,
      A2aSettings settings) {
    this.messages = messages;
    this.workspaces = workspaces;
    this.sends = sends;
    this.outcomes = outcomes;
    this.replies = replies;
    this.feeds = feeds;
    this.records = records;
    this.queue = queue;
    this.transactions = transactions;
    this.settings = settings;
  }

  @Override
  public Attempt attempt(Claimed claimed) {
    QueuedMessage queued = claimed.message();
    Optional<Target> target = workspaces.target(queued.targetId());
    Optional<StoredMessage> message = messages.find(queued.activityId());
    if (target.isEmpty()) {
      // the next pass drops it
      return new Attempt.NoRoom();
    }
    if (message.isEmpty()) {
      return drop(claimed);
    }
    if (target.get().deliveryMode() == DeliveryMode.POLL) {
      return end(claimed, inItsFeed(message.get()), EndState.DELIVERED);
    }
    return target.get().status() != WorkspaceStatus.PAUSED && target.get().isReachable()
        ? send(claimed, target.get(), message.get())
        : new Attempt.NoRoom();
  }

  /** A retention took its row, and its record with it; those behind it are not to wait for it. */
  private Attempt drop(Claimed claimed) {
    QueueEnd end =
        new QueueEnd(
            claimed.message().queueId(),
            claimed.owner(),
            EndState.DROPPED,
            "its row is no longer in the activity log");
    transactions.executeWithoutResult(status -> queue.endAll(List.of(end)));
    return new Attempt.Ended();
  }

  /** The agent polls by now, and finds the row as it finds all others. */
  private static TurnOutcome inItsFeed(StoredMessage message) {
    return new TurnOutcome(
        Replies.toBePolled(message.method(), message.activityId()),
        MessageState.ANSWERED,
        null,
        GIVEN_TO_POLLER,
        0);
  }

  private Attempt send(Claimed claimed, Target target, StoredMessage message) {
    Delivery delivery =
        new Delivery(
            target,
            message.senderId(),
            message.request(),
            Map.of(),
            Deadline.in(settings.totalBudget()));
    A2aResult result = sends.send(delivery.request(settings.readTimeout()));
    // what the queue has sent before is counted when it is given up
    TurnOutcome outcome = outcomes.of(result, false);
    return switch (outcome.state()) {
      case REFUSED -> later(result, message);
      case UNCERTAIN ->
          settings.retriesAmbiguous()
              ? later(result, message)
              : end(claimed, outcome, EndState.FAILED);
      default ->
          isBusy(result)
              ? later(result, message)
              : end(claimed, outcome, isDelivered(result) ? EndState.DELIVERED : EndState.FAILED);
    };
  }

  private static boolean isBusy(A2aResult result) {
    return result instanceof A2aResult.HttpError error && BUSY.contains(error.status());
  }

  private static boolean isDelivered(A2aResult result) {
    return !(result instanceof A2aResult.HttpError || result instanceof A2aResult.Malformed);
  }

  private Attempt later(A2aResult result, StoredMessage message) {
    // whoever answers that it is busy has not taken the message
    if (!isBusy(result)) {
      records.countDeliveries(message.activityId(), result.deliveries());
    }
    return new Attempt.Later(A2aErrors.text(result));
  }

  private Attempt end(Claimed claimed, TurnOutcome outcome, EndState state) {
    QueuedMessage queued = claimed.message();
    Ended ended =
        feeds.end(
            new TurnEnd(
                queued.targetId(),
                queued.activityId(),
                outcome.response(),
                outcome.result(),
                outcome.ending(
                    null,
                    new QueuedEnding(
                        queued.queueId(),
                        claimed.owner(),
                        state,
                        outcome.result().errorDetail()))));
    return ended == Ended.STORED ? new Attempt.Ended() : new Attempt.NoRoom();
  }

  @Override
  public void ended(List<EndedUnsent> rows) {
    feeds.endAll(rows.stream().map(this::unsent).toList());
    records.doubt(
        rows.stream().map(EndedUnsent::activityId).toList(),
        replies.timedOut("the message was given up while it waited, after attempts to deliver it"));
  }

  private TurnEnd unsent(EndedUnsent row) {
    var outcome =
        new TurnOutcome(
            replies.unreachable(row.error()),
            MessageState.REFUSED,
            null,
            new Result("error", row.error(), null),
            0);
    return new TurnEnd(
        row.targetId(), row.activityId(), null, outcome.result(), outcome.ending(null, null));
  }

  /** Of an agent that was called; one that polls puts its answer on the row. */
  @Override
  public Optional<RawJson> answerOf(UUID activityId) {
    return messages.turn(activityId).answer();
  }
}
