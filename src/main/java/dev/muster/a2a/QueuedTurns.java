package dev.muster.a2a;

import dev.muster.a2a.queue.Attempt;
import dev.muster.a2a.queue.Claimed;
import dev.muster.a2a.queue.EndState;
import dev.muster.a2a.queue.EndedUnsent;
import dev.muster.a2a.queue.MessageQueue;
import dev.muster.a2a.queue.QueueAnswers;
import dev.muster.a2a.queue.QueueEnd;
import dev.muster.a2a.queue.QueueKind;
import dev.muster.a2a.queue.QueuedDelivery;
import dev.muster.a2a.queue.QueuedMessage;
import dev.muster.activity.Ended;
import dev.muster.activity.Messages;
import dev.muster.activity.Result;
import dev.muster.activity.StoredMessage;
import dev.muster.platform.json.RawJson;
import dev.muster.protocol.client.A2aErrors;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.AnswerBudget;
import dev.muster.protocol.client.AnswerSpace;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.FailureKind;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import dev.muster.workspace.WorkspaceStatus;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.function.LongConsumer;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Turns whose messages had to wait (R7.7): one send at a time, since the queue tries again. */
@Component
class QueuedTurns implements QueuedDelivery, QueueAnswers {

  /** By these an agent says that it is there, and has no room. */
  private static final Set<Integer> BUSY = Set.of(429, 503);

  private static final int MAX_LOADING = 4;

  private static final String NOT_WANTED =
      "the delegation has ended, or was sent again, while this waited";

  private static final Result GIVEN_TO_POLLER = new Result("ok", null, null);

  private final Semaphore loading = new Semaphore(MAX_LOADING);
  private final Messages messages;
  private final Workspaces workspaces;
  private final QueuedSends sends;
  private final TurnOutcomes outcomes;
  private final ErrandTurns errands;
  private final QueuedEnds ends;
  private final MessageRecords records;
  private final MessageQueue queue;
  private final TransactionTemplate transactions;
  private final AnswerBudget budget;
  private final TurnSlots slots;
  private final A2aSettings settings;

  QueuedTurns(
      Messages messages,
      Workspaces workspaces,
      QueuedSends sends,
      TurnOutcomes outcomes,
      ErrandTurns errands,
      QueuedEnds ends,
      MessageRecords records,
      MessageQueue queue,
      TransactionTemplate transactions,
      AnswerBudget budget,
      TurnSlots slots,
      A2aSettings settings) {
    this.messages = messages;
    this.workspaces = workspaces;
    this.sends = sends;
    this.outcomes = outcomes;
    this.errands = errands;
    this.ends = ends;
    this.records = records;
    this.queue = queue;
    this.transactions = transactions;
    this.budget = budget;
    this.slots = slots;
    this.settings = settings;
  }

  @Override
  public Attempt attempt(Claimed claimed) {
    QueuedMessage queued = claimed.message();
    Optional<Target> target = workspaces.target(queued.targetId());
    Optional<StoredMessage> message = load(queued.activityId());
    if (target.isEmpty()) {
      // the next pass drops it
      return new Attempt.NoRoom();
    }
    if (message.isEmpty()) {
      return drop(claimed);
    }
    Optional<Duration> left =
        isErrand(claimed) ? errands.timeLeft(message.get()) : Optional.of(settings.totalBudget());
    if (left.isEmpty()) {
      return attempt(ends.end(claimed, ends.refused(NOT_WANTED), EndState.DROPPED));
    }
    if (target.get().deliveryMode() == DeliveryMode.POLL) {
      return attempt(ends.end(claimed, inItsFeed(message.get()), EndState.DELIVERED));
    }
    return target.get().status() != WorkspaceStatus.PAUSED && target.get().isReachable()
        ? send(claimed, target.get(), message.get(), left.get())
        : new Attempt.NoRoom();
  }

  /** Not many at once: how much memory one takes is known only then. */
  private Optional<StoredMessage> load(UUID activityId) {
    loading.acquireUninterruptibly();
    try {
      return messages.find(activityId);
    } finally {
      loading.release();
    }
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

  private Attempt send(Claimed claimed, Target target, StoredMessage message, Duration atMost) {
    RawJson request =
        message.systemText() == null ? message.request() : SystemMessages.request(message);
    byte[] body = request.text().getBytes(StandardCharsets.UTF_8);
    Sender sender = new Sender(message.senderId());
    Delivery delivery =
        new Delivery(
            target, sender, body, Map.of(), Deadline.in(shorter(atMost, settings.totalBudget())));
    Optional<TurnSlot> free = slots.find(sender, 2L * body.length);
    if (free.isEmpty()) {
      return new Attempt.NoRoom();
    }
    try (TurnSlot slot = free.get();
        AnswerSpace space = delivery.openSpace(budget)) {
      return slot.enter(target.id())
          ? send(claimed, message, delivery, space)
          : new Attempt.NoRoom();
    }
  }

  private Attempt send(
      Claimed claimed, StoredMessage message, Delivery delivery, AnswerSpace space) {
    A2aResult result = sends.send(delivery.request(settings.readTimeout(), space));
    // what the queue has sent before is counted when it is given up
    TurnOutcome outcome = outcomes.of(result, false);
    return switch (outcome.state()) {
      case REFUSED -> later(result, message);
      case UNCERTAIN ->
          settings.retriesAmbiguous() && mayFareBetter(claimed, result)
              ? later(result, message)
              : attempt(ends.end(claimed, message, result, outcome, EndState.FAILED));
      default ->
          isBusy(result) && !isErrand(claimed)
              ? later(result, message)
              : attempt(ends.end(claimed, message, result, outcome, endOf(result)));
    };
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static boolean isErrand(Claimed claimed) {
    return claimed.message().kind() == QueueKind.ERRAND;
  }

  private static boolean mayFareBetter(Claimed claimed, A2aResult result) {
    boolean wasTooSlow =
        result instanceof A2aResult.Unreachable end && end.last() == FailureKind.ANSWER_TOO_SLOW;
    return !wasTooSlow && !(isErrand(claimed) && wasSilent(result));
  }

  /** Its agent has it, and may be at work on it for longer than an answer is waited for. */
  private static boolean wasSilent(A2aResult result) {
    return result instanceof A2aResult.OutOfTime
        || (result instanceof A2aResult.Unreachable end && end.last() == FailureKind.READ_TIMEOUT);
  }

  private static boolean isBusy(A2aResult result) {
    return result instanceof A2aResult.HttpError error && BUSY.contains(error.status());
  }

  private static EndState endOf(A2aResult result) {
    return result instanceof A2aResult.HttpError || result instanceof A2aResult.Malformed
        ? EndState.FAILED
        : EndState.DELIVERED;
  }

  private Attempt later(A2aResult result, StoredMessage message) {
    // whoever answers that it is busy has not taken the message
    if (!isBusy(result)) {
      records.countDeliveries(message.activityId(), result.deliveries());
    }
    return new Attempt.Later(A2aErrors.text(result));
  }

  private static Attempt attempt(Ended ended) {
    return ended == Ended.STORED ? new Attempt.Ended() : new Attempt.NoRoom();
  }

  @Override
  public void ended(List<EndedUnsent> rows) {
    ends.endUnsent(rows);
  }

  /** Of an agent that was called; one that polls puts its answer on the row. */
  @Override
  public Optional<RawJson> answerOf(UUID activityId, LongConsumer memory) {
    memory.accept(messages.answerBytes(activityId));
    return messages.turn(activityId).answer();
  }
}
