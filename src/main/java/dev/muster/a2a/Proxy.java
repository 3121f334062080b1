package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.Sending;
import dev.muster.a2a.Repeats.Repeat;
import dev.muster.a2a.Repeats.Turnout;
import dev.muster.activity.Appended;
import dev.muster.activity.Feeds;
import dev.muster.activity.NewActivity;
import dev.muster.identity.Standing;
import dev.muster.platform.json.LosslessJson;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.longpoll.LongPolls;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.MessageContent;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import dev.muster.workspace.WorkspaceStatus;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
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
      Standing standing,
      NormalRequest request,
      RawJson body,
      SendOptions options,
      Deadline deadline,
      @Nullable StreamSink sink,
      LongConsumer memory,
      Optional<Errand> repliesTo) {

    Waiting waiting() {
      return new Waiting(
          sender, standing, target.id(), request.method(), options.patience(), memory);
    }

    Turn turn(byte[] bytes, TurnSlot slot) {
      return new Turn(
          new Delivery(target, sender, bytes, options.passedOn(), deadline),
          sink == null ? null : slot.counting(sink),
          waiting());
    }
  }

  /** For the answer of an agent that polls. */
  private record Waiting(
      Sender sender,
      Standing standing,
      UUID targetId,
      String method,
      Duration patience,
      LongConsumer memory) {

    Repeat repeat(UUID activityId, Deadline deadline) {
      return new Repeat(sender, standing, targetId, activityId, deadline, memory);
    }
  }

  /** What is kept of a request while it is delivered, without the tree of its members. */
  private record Turn(Delivery delivery, @Nullable StreamSink sink, Waiting waiting) {}

  private final Workspaces workspaces;
  private final Feeds feeds;
  private final Turns turns;
  private final Repeats repeats;
  private final PolledAnswers answers;
  private final QueueEntry entry;
  private final ErrandTurns errands;
  private final MessageRecords records;
  private final TurnSlots slots;
  private final A2aSettings settings;

  Proxy(
      Workspaces workspaces,
      Feeds feeds,
      Turns turns,
      Repeats repeats,
      PolledAnswers answers,
      QueueEntry entry,
      ErrandTurns errands,
      MessageRecords records,
      TurnSlots slots,
      A2aSettings settings) {
    this.workspaces = workspaces;
    this.feeds = feeds;
    this.turns = turns;
    this.repeats = repeats;
    this.answers = answers;
    this.entry = entry;
    this.errands = errands;
    this.records = records;
    this.slots = slots;
    this.settings = settings;
  }

  /**
   * Done when there is an answer, or no hope for one; by then it is stored. A message that comes
   * again gets the answer of its first time.
   *
   * @param standing the sender's, for as long as its request waits (R1.6)
   * @param sink takes the answer if it is a stream
   * @param memory is told the bytes of a stored answer before that is read, and may refuse them
   */
  CompletableFuture<Reply> deliver(
      Standing standing,
      Sender sender,
      UUID targetId,
      NormalRequest request,
      SendOptions options,
      @Nullable StreamSink sink,
      LongConsumer memory) {
    Deadline deadline = Deadline.in(options.timeout().orElse(settings.totalBudget()));
    Target target = workspaces.requireTarget(targetId, standing.caller());
    RawJson body = LosslessJson.write(request.body());
    @Nullable UUID own = sender.workspaceId();
    Optional<Errand> repliesTo =
        own == null ? Optional.empty() : errands.repliedTo(own, targetId, request);
    Sent sent =
        new Sent(
            target, sender, standing, request, body, options, deadline, sink, memory, repliesTo);
    CompletableFuture<Reply> reply =
        target.deliveryMode() == DeliveryMode.POLL ? toFeed(sent) : toAgent(sent);
    if (own != null) {
      try {
        answers.correlate(own, targetId, request, repliesTo);
      } catch (RuntimeException | Error e) {
        var _ = reply.thenAccept(Reply::letGo);
        throw e;
      }
    }
    return reply;
  }

  private CompletableFuture<Reply> toFeed(Sent sent) {
    if (sent.options().patience().isZero()) {
      return waitForPoll(sent.waiting(), appended(sent), null);
    }
    try (LongPolls.Slot slot = answers.takeSlot(sent.sender())) {
      return waitForPoll(sent.waiting(), appended(sent), slot);
    }
  }

  private UUID appended(Sent sent) {
    return switch (append(sent, row(sent))) {
      case Appended.Stored(UUID id, long seq) -> id;
      case Appended.Repeated(UUID id, long seq) -> id;
      case Appended.OtherContent() -> throw reused();
      case Appended.FeedFull _ -> throw full(sent.target());
    };
  }

  /** A reply to an errand ends that in the same transaction (R8.7). */
  private Appended append(Sent sent, NewActivity row) {
    return sent.repliesTo()
        .map(errand -> errands.append(row, errand, said(row)))
        .orElseGet(() -> feeds.append(row));
  }

  private static String said(NewActivity row) {
    String text = row.content().text();
    return text.isEmpty() ? Objects.requireNonNull(row.bodies().request()).text() : text;
  }

  /** {@code slot} is the wait's, when one was taken for it. */
  private CompletableFuture<Reply> waitForPoll(
      Waiting waiting, UUID activityId, LongPolls.@Nullable Slot slot) {
    Reply stored = Replies.toBePolled(waiting.method(), activityId);
    return waiting.patience().isZero()
        ? CompletableFuture.completedFuture(stored)
        : answers.await(
            new PolledAnswers.Wait(
                waiting.sender(),
                waiting.standing(),
                waiting.targetId(),
                activityId,
                waiting.patience(),
                stored),
            slot);
  }

  private CompletableFuture<Reply> toAgent(Sent sent) {
    if (sent.target().status() == WorkspaceStatus.PAUSED) {
      throw new ProblemException(
          ErrorCode.WORKSPACE_PAUSED,
          "the workspace " + sent.target().id() + " is paused; send again when it is resumed");
    }
    byte[] bytes = sent.body().text().getBytes(StandardCharsets.UTF_8);
    TurnSlot slot = slots.open(sent.sender(), bytes.length);
    try {
      CompletableFuture<Reply> reply = toAgent(sent, sent.turn(bytes, slot), slot);
      var _ = reply.whenComplete((done, failure) -> slot.close());
      return reply;
    } catch (RuntimeException | Error e) {
      slot.close();
      throw e;
    }
  }

  private CompletableFuture<Reply> toAgent(Sent sent, Turn turn, TurnSlot slot) {
    @Nullable QueueWishes wishes = mustWait(sent, slot) ? entry.wishes(sent.request()) : null;
    Claim claim = Claim.first();
    return switch (append(
        sent,
        row(sent)
            .with(wishes == null ? new Sending(claim.owner()) : QueueEntry.companion(wishes)))) {
      case Appended.Stored(UUID id, long seq) ->
          wishes == null
              ? start(turn, id, claim)
              : CompletableFuture.completedFuture(records.reply(id));
      case Appended.Repeated(UUID id, long seq) -> again(turn, id, wishes);
      case Appended.OtherContent() -> throw reused();
      case Appended.FeedFull _ -> throw full(sent.target());
    };
  }

  /** A target with as many turns as may run here takes no more; a message to it can wait. */
  private boolean mustWait(Sent sent, TurnSlot slot) {
    Target target = sent.target();
    if (entry.isNeeded(target, sent.sender(), sent.request())) {
      return true;
    }
    if (slot.enter(target.id())) {
      return false;
    }
    if (sent.request().message() == null) {
      throw ProblemException.unavailable(
          "the workspace " + target.id() + " is at work on too many requests; send again later");
    }
    entry.requireRoom(target, sent.sender(), sent.request());
    return true;
  }

  /** {@code wishes} are of a message that has to wait, else null. */
  private CompletableFuture<Reply> again(Turn turn, UUID activityId, @Nullable QueueWishes wishes) {
    Delivery delivery = turn.delivery();
    Supplier<Optional<Turnout>> taking =
        wishes == null
            ? () -> repeats.take(activityId).map(Turnout.Again::new)
            : () ->
                entry
                    .takeOver(
                        activityId, delivery.target(), delivery.sender().workspaceId(), wishes)
                    .map(Turnout.Known::new);
    return repeats
        .turnout(turn.waiting().repeat(activityId, delivery.deadline()), taking)
        .map(turnout -> turnout.thenCompose(known -> again(turn, activityId, known)))
        .orElseGet(() -> waitForPoll(turn.waiting(), activityId, null));
  }

  private CompletableFuture<Reply> again(Turn turn, UUID activityId, Turnout turnout) {
    return switch (turnout) {
      case Turnout.Known(Reply reply) -> CompletableFuture.completedFuture(reply);
      case Turnout.Again(Claim claim) -> start(turn, activityId, claim);
    };
  }

  /** Whoever lost the message to another delivery waits for that one. */
  private CompletableFuture<Reply> start(Turn turn, UUID activityId, Claim claim) {
    return turns
        .start(turn.delivery(), activityId, claim, turn.sink())
        .thenCompose(reply ->
            reply
                .map(known -> CompletableFuture.completedFuture(ifStillGood(turn.waiting(), known)))
                .orElseGet(() -> again(turn, activityId, (QueueWishes) null)));
  }

  /** The reply of a turn that has ended, for a sender that was admitted when it began (R1.6). */
  private static Reply ifStillGood(Waiting waiting, Reply reply) {
    try {
      waiting.standing().requireGood();
      return reply;
    } catch (RuntimeException | Error e) {
      reply.letGo();
      throw e;
    }
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

  private static ProblemException full(Target target) {
    return new ProblemException(
        ErrorCode.QUEUE_FULL,
        "the feed of the workspace "
            + target.id()
            + " is full of rows that its agent has not read; send again when it has read some");
  }

  private static ProblemException reused() {
    return new ProblemException(
        ErrorCode.MESSAGE_ID_REUSED,
        "params.message.messageId names an earlier message to this workspace, of another"
            + " content (expected: a new id for a new message, or the same method and message"
            + " to repeat one)");
  }
}
