package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.QueuedEnding;
import dev.muster.a2a.queue.Claimed;
import dev.muster.a2a.queue.EndState;
import dev.muster.a2a.queue.EndedUnsent;
import dev.muster.a2a.queue.QueueKind;
import dev.muster.a2a.queue.QueuedMessage;
import dev.muster.activity.Ended;
import dev.muster.activity.Feeds;
import dev.muster.activity.Messages;
import dev.muster.activity.Result;
import dev.muster.activity.StoredMessage;
import dev.muster.activity.TurnEnd;
import dev.muster.protocol.client.A2aResult;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Ends queued messages, each with all that hangs on it in one transaction: its row, its record, its
 * place in the queue, and the delegation that it carries.
 */
@Component
class QueuedEnds {

  private final Messages messages;
  private final Replies replies;
  private final Feeds feeds;
  private final ErrandTurns errands;
  private final RecordStore store;
  private final MessageRecords records;
  private final TransactionTemplate transactions;

  QueuedEnds(
      Messages messages,
      Replies replies,
      Feeds feeds,
      ErrandTurns errands,
      RecordStore store,
      MessageRecords records,
      TransactionTemplate transactions) {
    this.messages = messages;
    this.replies = replies;
    this.feeds = feeds;
    this.errands = errands;
    this.store = store;
    this.records = records;
    this.transactions = transactions;
  }

  /** Of a message that was sent, with the delegation that it carries, if there is one. */
  Ended end(
      Claimed claimed,
      StoredMessage message,
      A2aResult result,
      TurnOutcome outcome,
      EndState state) {
    Optional<Errand> errand = ErrandTurns.of(message);
    return errand.isEmpty()
        ? end(claimed, outcome, state)
        : errands.end(
            turnEnd(claimed, outcome, state),
            ErrandEnds.of(errand.get(), result, outcome.response()));
  }

  /**
   * Of a message by itself. The row of a result says how the delegation ended, whatever becomes of
   * its delivery.
   */
  Ended end(Claimed claimed, TurnOutcome outcome, EndState state) {
    if (claimed.message().kind() != QueueKind.RESULT) {
      return feeds.end(turnEnd(claimed, outcome, state));
    }
    TurnEnd end = turnEnd(claimed, outcome.withoutResponse(), state);
    return transactions.execute(
        status -> store.ended(List.of(end)).isEmpty() ? Ended.PASSED : Ended.STORED);
  }

  private static TurnEnd turnEnd(Claimed claimed, TurnOutcome outcome, EndState state) {
    QueuedMessage queued = claimed.message();
    return new TurnEnd(
        queued.targetId(),
        queued.activityId(),
        outcome.response(),
        outcome.result(),
        outcome.ending(
            null,
            new QueuedEnding(
                queued.queueId(), claimed.owner(), state, outcome.result().errorDetail())));
  }

  /** In the transaction that ends these without a delivery. */
  void endUnsent(List<EndedUnsent> rows) {
    endTurns(rows.stream().filter(row -> row.kind() != QueueKind.RESULT).toList());
    store.ended(
        rows.stream().filter(row -> row.kind() == QueueKind.RESULT).map(this::unsent).toList());
    records.doubt(
        rows.stream().map(EndedUnsent::activityId).toList(),
        replies.timedOut("the message was given up while it waited, after attempts to deliver it"));
  }

  private void endTurns(List<EndedUnsent> rows) {
    Map<UUID, String> errors =
        rows.stream().collect(Collectors.toMap(EndedUnsent::activityId, EndedUnsent::error));
    List<ErrandEnd> errandEnds =
        messages.delegated(errors.keySet()).stream()
            .<ErrandEnd>map(message ->
                new ErrandEnd.Undelivered(
                    new Errand(
                        message.delegationId(),
                        message.senderId(),
                        message.workspaceId(),
                        message.messageId()),
                    Objects.requireNonNull(errors.get(message.activityId()))))
            .toList();
    feeds.endAllAndAppend(rows.stream().map(this::unsent).toList(), errands.settle(errandEnds));
  }

  private TurnEnd unsent(EndedUnsent row) {
    TurnOutcome outcome = refused(row.error());
    return new TurnEnd(
        row.targetId(), row.activityId(), null, outcome.result(), outcome.ending(null, null));
  }

  /** Its agent did not get it, and will not. */
  TurnOutcome refused(String why) {
    return new TurnOutcome(
        replies.unreachable(why), MessageState.REFUSED, null, new Result("error", why, null), 0);
  }
}
