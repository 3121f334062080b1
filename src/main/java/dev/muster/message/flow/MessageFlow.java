package dev.muster.message.flow;

import dev.muster.message.AppendResult;
import dev.muster.message.NewActivity;
import dev.muster.message.call.DeliverySettings;
import dev.muster.message.call.OutboundRequest;
import dev.muster.message.flow.DirectAttempts.Held;
import dev.muster.message.flow.Facts.Known;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageAdmission.Assumed;
import dev.muster.message.store.MessageAdmission.DeliveryTerms;
import dev.muster.message.store.MessageAdmission.Way;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.message.store.ReplicaLease;
import dev.muster.message.store.WaitingTargets;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.work.LongPollRegistry;
import dev.muster.protocol.A2aMethod;
import dev.muster.workspace.DeliveryTarget;
import dev.muster.workspace.Workspaces;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * What becomes of a message (R7.3 to R7.7): decide by the facts, store in one transaction, act. The
 * database checks the facts that a decision rests on; when they have changed, nothing is stored,
 * and the message is decided about again. A repeated message is decided about as a new one, with
 * one fact more.
 */
@Service
public class MessageFlow {

  /** The most decisions about one message; its target may change between two of them. */
  private static final int MAX_DECISIONS = 12;

  private final MessageStore store;
  private final OutcomeRepository outcomes;
  private final WaitingTargets waiting;
  private final QueueWakeUps wakeUps;
  private final ReplicaLease lease;
  private final DeliverySlots slots;
  private final DirectAttempts attempts;
  private final OutcomeWaits outcomeWaits;
  private final ReplyCorrelation replies;
  private final DelegationReplies delegations;
  private final Workspaces workspaces;
  private final DeliverySettings settings;

  MessageFlow(
      MessageStore store,
      OutcomeRepository outcomes,
      WaitingTargets waiting,
      QueueWakeUps wakeUps,
      ReplicaLease lease,
      DeliverySlots slots,
      DirectAttempts attempts,
      OutcomeWaits outcomeWaits,
      ReplyCorrelation replies,
      DelegationReplies delegations,
      Workspaces workspaces,
      DeliverySettings settings) {
    this.store = store;
    this.outcomes = outcomes;
    this.waiting = waiting;
    this.wakeUps = wakeUps;
    this.lease = lease;
    this.slots = slots;
    this.attempts = attempts;
    this.outcomeWaits = outcomeWaits;
    this.replies = replies;
    this.delegations = delegations;
    this.workspaces = workspaces;
    this.settings = settings;
  }

  /**
   * Stores a message, and returns what is left to do: {@link #act} does it.
   *
   * @param target the target as it is remembered, which may be outdated
   */
  public Act begin(Message message, DeliveryTarget target) {
    Places places = new Places(slots);
    Act left;
    try {
      left = next(message, Facts.remembered(target), places);
    } catch (RuntimeException | Error e) {
      places.close();
      throw e;
    }
    try {
      replies.correlate(message);
      return left;
    } catch (RuntimeException | Error e) {
      // The message is stored, so it is delivered although its sender gets an error.
      Thread.ofVirtual()
          .name("unanswered-delivery")
          .start(() -> {
            var _ = act(left).thenAccept(ProxyResponse::release);
          });
      throw e;
    }
  }

  /**
   * Does what is left to do. It may block until the agent has responded, unless the message has a
   * sink. The future completes with the response, whose outcome is stored by then, or with an
   * error.
   */
  public CompletableFuture<ProxyResponse> act(Act left) {
    return switch (left) {
      case Act.Reply(ProxyResponse response) -> CompletableFuture.completedFuture(response);
      case Act.AwaitAnswer(ReplyCorrelation.Wait wait, LongPollRegistry.Slot slot) ->
          replies.await(wait, slot);
      case Act.Call(Message message, Places places, Held held) ->
          closing(places, () -> call(message, places, held));
      case Act.AwaitOutcome(Message message, Places places, Facts facts) ->
          closing(places, () -> awaitOutcome(message, places, facts));
    };
  }

  private static CompletableFuture<ProxyResponse> closing(
      Places places, Supplier<CompletableFuture<ProxyResponse>> work) {
    try {
      CompletableFuture<ProxyResponse> response = work.get();
      var _ = response.whenComplete((done, failure) -> places.close());
      return response;
    } catch (RuntimeException | Error e) {
      places.close();
      throw e;
    }
  }

  /**
   * Calls the agent. If another replica has taken the delivery over, decides again by what has
   * become of it.
   */
  private CompletableFuture<ProxyResponse> call(Message message, Places places, Held held) {
    CompletableFuture<Optional<ProxyResponse>> sent =
        attempts.deliver(held, message.sink(), places);
    // The agent's time must not count as a slow database, so the response gets a new deadline.
    return RequestDeadline.within(
        RequestDeadline.LIMIT,
        () ->
            sent.thenCompose(response ->
                    response
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(() ->
                            again(
                                message,
                                places,
                                Facts.remembered(held.request().target()).waited(),
                                held.key())))
                .thenApply(response -> requireValidSender(message, response)));
  }

  private static ProxyResponse requireValidSender(Message message, ProxyResponse response) {
    try {
      message.recheck().requireValid();
      return response;
    } catch (RuntimeException revoked) {
      response.release();
      throw revoked;
    }
  }

  /**
   * Waits for the outcome of the same message, and decides again by it. A call that follows blocks
   * its thread, so it gets one of its own: that of the wait has a place among few.
   */
  private CompletableFuture<ProxyResponse> awaitOutcome(
      Message message, Places places, Facts facts) {
    ActivityKey key = facts.requireKnown().key();
    return outcomeWaits
        .await(message, key)
        .thenComposeAsync(
            response ->
                response
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() ->
                        RequestDeadline.within(
                            RequestDeadline.LIMIT,
                            () -> again(message, places, facts.waited(), key))),
            Thread::startVirtualThread);
  }

  /** Decides again about a stored message, of which the outcome may be known now. */
  private CompletableFuture<ProxyResponse> again(
      Message message, Places places, Facts facts, ActivityKey key) {
    return act(next(message, knowing(facts, key), places));
  }

  /** Decides and stores, until something is left to be done for the sender. */
  private Act next(Message message, Facts first, Places places) {
    Facts facts = first;
    for (int i = 0; i < MAX_DECISIONS; i++) {
      Step step =
          switch (MessageDecision.of(message, facts, settings.retryAmbiguous())) {
            case MessageDecision.ReadTarget() -> new Changed(facts.read(readTarget(message)));
            case MessageDecision.ToFeed() -> toFeed(message, facts, places);
            case MessageDecision.Send() -> send(message, facts, places);
            case MessageDecision.Queue() -> queue(message, facts, places, termsOf(message));
            case MessageDecision.AwaitOutcome() -> {
              places.open(message);
              yield new Done(new Act.AwaitOutcome(message, places, facts));
            }
            case MessageDecision.RepeatResponse(Known known) ->
                reply(places, stored(message, known));
            case MessageDecision.NoAnswer(A2aMethod method) ->
                reply(places, message.form().noAnswer(method, message.method()));
            case MessageDecision.Refuse(ProblemException why) -> throw why;
          };
      switch (step) {
        case Done(Act act) -> {
          return act;
        }
        case Changed(Facts now) -> facts = now;
      }
    }
    throw ProblemException.unavailable(
        "the workspace " + message.targetId() + " changes too often right now; send again later");
  }

  /** What a decision has led to. */
  private sealed interface Step {}

  /** The message is stored as it was decided. */
  private record Done(Act act) implements Step {}

  /** The facts have changed, so it is decided again. */
  private record Changed(Facts facts) implements Step {}

  private static Step reply(Places places, ProxyResponse response) {
    places.close();
    return new Done(new Act.Reply(response));
  }

  private DeliveryTarget readTarget(Message message) {
    return workspaces.requireTarget(message.targetId(), message.recheck().caller());
  }

  private Facts knowing(Facts facts, ActivityKey key) {
    return facts.knowing(outcomes.find(key).map(standing -> new Known(key, standing)).orElse(null));
  }

  private ProxyResponse stored(Message message, Known known) {
    message.memory().accept(known.standing().replyBytes());
    return message.form().withOwnId(outcomes.reply(known.key()));
  }

  /** Takes the place for a wait before the message is stored (R6.7a). */
  private Step toFeed(Message message, Facts facts, Places places) {
    places.close();
    LongPollRegistry.@Nullable Slot slot =
        waitLimit(message, facts).isZero() ? null : replies.takeSlot(message.sender());
    @Nullable Step step = null;
    try {
      step = storeInFeed(message, facts, slot);
      return step;
    } finally {
      if (slot != null && !(step instanceof Done)) {
        slot.close();
      }
    }
  }

  /** Returns how long the sender waits for the answer; less after a wait for the outcome. */
  private static Duration waitLimit(Message message, Facts facts) {
    Duration wanted = message.waitLimit();
    Duration left = facts.hasWaited() ? message.deadline().left() : wanted;
    return left.compareTo(wanted) < 0 ? left : wanted;
  }

  private Step storeInFeed(Message message, Facts facts, LongPollRegistry.@Nullable Slot slot) {
    @Nullable Known known = facts.known();
    if (known != null) {
      return inFeed(message, facts, known.key(), known.standing().rowId(), slot);
    }
    AppendResult appended =
        append(
            message,
            facts,
            Way.FEED,
            null,
            QueueOptions.orUsual(message.request(), message.kind(), settings));
    return appended instanceof AppendResult.Stored stored
        ? inFeed(
            message, facts, new ActivityKey(message.targetId(), stored.seq()), stored.id(), slot)
        : notStored(message, facts, appended);
  }

  private static Step inFeed(
      Message message,
      Facts facts,
      ActivityKey key,
      UUID rowId,
      LongPollRegistry.@Nullable Slot slot) {
    ProxyResponse response = message.form().toBePolled(message.method(), rowId);
    return new Done(
        slot == null
            ? new Act.Reply(response)
            : new Act.AwaitAnswer(
                new ReplyCorrelation.Wait(
                    message.sender(),
                    message.recheck(),
                    key,
                    message.form(),
                    waitLimit(message, facts),
                    response),
                slot));
  }

  /** Wrong options are refused before a slot is taken, since the message may have to be queued. */
  private Step send(Message message, Facts facts, Places places) {
    DeliveryTerms terms = termsOf(message);
    places.open(message);
    if (!places.enter(message.targetId())) {
      return queueForPlace(message, facts, places, terms);
    }
    DeliveryClaim claim = lease.begin();
    @Nullable Step step = null;
    try {
      if (!lease.isAlive()) {
        throw ProblemException.unavailable(
            "this server has not reached its database for a while; send again later");
      }
      step =
          facts.known() == null
              ? sendNew(message, facts, places, claim, terms)
              : sendAgain(message, facts, places, claim, facts.known());
      return step;
    } finally {
      if (!(step instanceof Done)) {
        lease.end(claim);
      }
    }
  }

  /** Queues what this replica has no slot for. What is no message cannot be queued. */
  private Step queueForPlace(Message message, Facts facts, Places places, DeliveryTerms terms) {
    if (!message.isMessage()) {
      throw ProblemException.unavailable(
          "the workspace "
              + message.targetId()
              + " is at work on too many requests; send again later");
    }
    return queue(message, facts, places, terms);
  }

  private Step sendNew(
      Message message, Facts facts, Places places, DeliveryClaim claim, DeliveryTerms terms) {
    AppendResult appended = append(message, facts, Way.SEND, claim, terms);
    if (!(appended instanceof AppendResult.Stored stored)) {
      return notStored(message, facts, appended);
    }
    Held held =
        new Held(
            request(message, facts.target(), stored.idleTimeoutSeconds()),
            new ActivityKey(message.targetId(), stored.seq()),
            claim,
            false);
    return new Done(new Act.Call(message, places, held));
  }

  private Step sendAgain(
      Message message, Facts facts, Places places, DeliveryClaim claim, Known known) {
    Optional<Integer> before = outcomes.takeOver(known.key(), claim, settings.retryAmbiguous());
    if (before.isEmpty()) {
      return new Changed(knowing(facts, known.key()));
    }
    DeliveryTarget target = facts.target();
    Held held =
        new Held(
            request(message, target, target.idleTimeoutSeconds()),
            known.key(),
            claim,
            before.get() > 0);
    return new Done(new Act.Call(message, places, held));
  }

  private static OutboundRequest request(
      Message message, DeliveryTarget target, @Nullable Integer idleTimeoutSeconds) {
    return new OutboundRequest(
        target,
        idleTimeoutSeconds,
        message.sender(),
        message.body().text().getBytes(StandardCharsets.UTF_8),
        message.row().headers(),
        OutboundRequest.isVersionFree(message.method(), message.row().headers()),
        message.deadline());
  }

  private DeliveryTerms termsOf(Message message) {
    return QueueOptions.of(message.request(), message.kind(), settings);
  }

  private Step queue(Message message, Facts facts, Places places, DeliveryTerms terms) {
    places.open(message);
    @Nullable Known known = facts.known();
    if (known != null) {
      return queueAgain(message, facts, places, known, terms);
    }
    AppendResult appended = append(message, facts, Way.QUEUE, null, terms);
    return appended instanceof AppendResult.Stored stored
        ? reply(places, message.form().queued(stored.id(), stored.depth()))
        : notStored(message, facts, appended);
  }

  private Step queueAgain(
      Message message, Facts facts, Places places, Known known, DeliveryTerms terms) {
    waiting.requireSpace(message.targetId());
    Optional<Integer> depth =
        outcomes.queueAgain(known.key(), terms.priority(), terms.life(), settings.retryAmbiguous());
    if (depth.isEmpty()) {
      return new Changed(knowing(facts, known.key()));
    }
    wakeUps.queued(Set.of(message.targetId()));
    return reply(places, message.form().queued(known.standing().rowId(), depth.get()));
  }

  /** A reply to a delegation's message also ends the delegation, in the same transaction (R8.7). */
  private AppendResult append(
      Message message, Facts facts, Way way, @Nullable DeliveryClaim claim, DeliveryTerms terms) {
    var assumed = new Assumed(facts.target().version(), facts.target().treeVersion());
    NewActivity row =
        message.row().with(new MessageAdmission(way, assumed, terms, message.isMessage(), claim));
    return message
        .repliesTo()
        .map(delegation -> delegations.append(row, delegation))
        .orElseGet(() -> store.append(row));
  }

  private Step notStored(Message message, Facts facts, AppendResult result) {
    return switch (result) {
      case AppendResult.Repeated(UUID _, long seq) -> {
        // before it may be refused: the first send may have failed after the message was stored
        replies.correlate(message);
        yield new Changed(knowing(facts, new ActivityKey(message.targetId(), seq)));
      }
      case AppendResult.Outdated() -> new Changed(facts.changed(readTarget(message)));
      case AppendResult.NotFree() -> new Changed(facts.notFree());
      case AppendResult.OtherContent() -> throw reused();
      case AppendResult.QueueFull() -> throw AppendResult.QueueFull.refusal(message.targetId());
      case AppendResult.FeedFull _ -> throw feedFull(message.targetId());
      case AppendResult.Stored _ -> throw new IllegalArgumentException("the message is stored");
    };
  }

  /** The refusal of a message whose id names a message with other content (R7.3). */
  private static ProblemException reused() {
    return new ProblemException(
        ErrorCode.MESSAGE_ID_REUSED,
        "params.message.messageId names an earlier message to this workspace, of another"
            + " content (expected: a new id for a new message, or the same method and message"
            + " to repeat one)");
  }

  private static ProblemException feedFull(UUID targetId) {
    return new ProblemException(
        ErrorCode.QUEUE_FULL,
        "the feed of the workspace "
            + targetId
            + " is full of rows that its agent has not read; send again when it has read some");
  }
}
