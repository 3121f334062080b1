package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.Queueing;
import dev.muster.a2a.RecordCompanion.Sending;
import dev.muster.a2a.queue.MessageQueue;
import dev.muster.a2a.queue.NewQueued;
import dev.muster.a2a.queue.QueueSettings;
import dev.muster.activity.Appended;
import dev.muster.activity.Feeds;
import dev.muster.activity.NewActivity;
import dev.muster.identity.Caller;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.MessageContent;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import dev.muster.workspace.WorkspaceStatus;
import dev.muster.workspace.Workspaces;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Brings requests to agents: into the feeds of those that poll, to the urls of the others, or into
 * the queue of those that cannot take them now (R7.4 to R7.6). The row comes first.
 */
@Service
class Proxy {

  /** A request with all that is known of it. */
  private record Sent(
      Target target,
      Sender sender,
      NormalRequest request,
      RawJson body,
      SendOptions options,
      Deadline deadline,
      @Nullable StreamSink sink) {

    Delivery delivery() {
      return new Delivery(target, sender.workspaceId(), body, options.passedOn(), deadline);
    }
  }

  private final Workspaces workspaces;
  private final Feeds feeds;
  private final Turns turns;
  private final Repeats repeats;
  private final PolledAnswers answers;
  private final MessageQueue queue;
  private final MessageRecords records;
  private final CertainTransactions transactions;
  private final A2aSettings settings;
  private final QueueSettings queueSettings;

  Proxy(
      Workspaces workspaces,
      Feeds feeds,
      Turns turns,
      Repeats repeats,
      PolledAnswers answers,
      MessageQueue queue,
      MessageRecords records,
      CertainTransactions transactions,
      A2aSettings settings,
      QueueSettings queueSettings) {
    this.workspaces = workspaces;
    this.feeds = feeds;
    this.turns = turns;
    this.repeats = repeats;
    this.answers = answers;
    this.queue = queue;
    this.records = records;
    this.transactions = transactions;
    this.settings = settings;
    this.queueSettings = queueSettings;
  }

  /**
   * Done when there is an answer, or no hope for one; by then it is stored. A message that comes
   * again gets the answer of its first time.
   *
   * @param sink takes the answer if it is a stream
   */
  CompletableFuture<Reply> deliver(
      Caller caller,
      Sender sender,
      UUID targetId,
      NormalRequest request,
      SendOptions options,
      @Nullable StreamSink sink) {
    Deadline deadline = Deadline.in(options.timeout().orElse(settings.totalBudget()));
    Target target = workspaces.requireTarget(targetId, caller);
    RawJson body = LosslessJson.write(request.body());
    Sent sent = new Sent(target, sender, request, body, options, deadline, sink);
    CompletableFuture<Reply> reply =
        target.deliveryMode() == DeliveryMode.POLL ? toFeed(sent) : toAgent(sent);
    if (sender.workspaceId() != null) {
      answers.correlate(sender.workspaceId(), targetId, request);
    }
    return reply;
  }

  private CompletableFuture<Reply> toFeed(Sent sent) {
    return waitForPoll(
        sent,
        switch (feeds.append(row(sent))) {
          case Appended.Stored(UUID id, long seq) -> id;
          case Appended.Repeated(UUID id, long seq) -> id;
          case Appended.OtherContent() -> throw reused();
        });
  }

  private CompletableFuture<Reply> waitForPoll(Sent sent, UUID activityId) {
    Reply stored = Replies.toBePolled(sent.request().method(), activityId);
    Duration patience = sent.options().patience();
    return patience.isZero()
        ? CompletableFuture.completedFuture(stored)
        : answers.await(sent.target().id(), activityId, patience, stored);
  }

  private CompletableFuture<Reply> toAgent(Sent sent) {
    if (sent.target().status() == WorkspaceStatus.PAUSED) {
      throw new ProblemException(
          ErrorCode.WORKSPACE_PAUSED,
          "the workspace " + sent.target().id() + " is paused; send again when it is resumed");
    }
    boolean waits = hasToWait(sent);
    String owner = Turns.newOwner();
    return switch (feeds.append(row(sent).with(waits ? queueing(sent) : new Sending(owner)))) {
      case Appended.Stored(UUID id, long seq) ->
          waits
              ? CompletableFuture.completedFuture(
                  records.find(id).flatMap(MessageRecord::reply).orElseThrow())
              : turns.start(sent.delivery(), id, owner, sent.sink());
      case Appended.Repeated(UUID id, long seq) -> again(sent, id, waits);
      case Appended.OtherContent() -> throw reused();
    };
  }

  /** What sends no message takes no place at the agent, so it may go to one that is busy. */
  private boolean hasToWait(Sent sent) {
    Target target = sent.target();
    boolean waits =
        !target.isReachable()
            || (sent.request().message() != null
                && (target.isAtCapacity()
                    || queue.ahead(target.id(), sent.sender().workspaceId()).ofSender()));
    if (waits) {
      queue.requireRoom(target.id());
    }
    return waits;
  }

  private Queueing queueing(Sent sent) {
    QueueWishes wishes = QueueWishes.of(sent.request(), queueSettings);
    return new Queueing(wishes.priority(), wishes.life());
  }

  private CompletableFuture<Reply> again(Sent sent, UUID activityId, boolean waits) {
    return repeats
        .turnout(sent.target().id(), activityId, sent.deadline().left())
        .map(turnout -> turnout.thenCompose(known -> again(sent, activityId, waits, known)))
        .orElseGet(() -> waitForPoll(sent, activityId));
  }

  private CompletableFuture<Reply> again(
      Sent sent, UUID activityId, boolean waits, Repeats.Turnout turnout) {
    return switch (turnout) {
      case Repeats.Turnout.Known(Reply reply) -> CompletableFuture.completedFuture(reply);
      case Repeats.Turnout.Again(String owner) ->
          waits
              ? CompletableFuture.completedFuture(moveToQueue(sent, activityId, owner))
              : turns.start(sent.delivery(), activityId, owner, sent.sink());
    };
  }

  private Reply moveToQueue(Sent sent, UUID activityId, String owner) {
    Queueing wishes = queueing(sent);
    return transactions.run(() -> {
      NewQueued message =
          new NewQueued(
              activityId,
              sent.target().id(),
              sent.sender().workspaceId(),
              wishes.priority(),
              wishes.life());
      Reply reply = Replies.queued(queue.enqueueAll(List.of(message)).getFirst());
      records.moveToQueue(activityId, owner, reply);
      return reply;
    });
  }

  private static NewActivity row(Sent sent) {
    NormalRequest request = sent.request();
    return NewActivity.inbound(
        sent.target().id(),
        sent.sender().workspaceId(),
        request.method(),
        request.method() + " → " + sent.target().name(),
        sent.body(),
        MessageContent.ofRequest(request.body()),
        MessageNames.of(request));
  }

  private static ProblemException reused() {
    return new ProblemException(
        ErrorCode.MESSAGE_ID_REUSED,
        "params.message.messageId names an earlier message to this workspace, of another"
            + " content (expected: a new id for a new message, or the same method and message"
            + " to repeat one)");
  }
}
