package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.Appended;
import dev.muster.activity.MessageAdmission;
import dev.muster.activity.MessageAdmission.Assumed;
import dev.muster.activity.MessageAdmission.Kind;
import dev.muster.activity.MessageAdmission.NewDelivery;
import dev.muster.activity.MessageAdmission.Way;
import dev.muster.activity.Messages;
import dev.muster.activity.NewActivity;
import dev.muster.activity.StoredMessage;
import dev.muster.identity.Standing;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.client.Deadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.Target;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Brings requests to agents that are called: at once where that is possible, else by the queue
 * (R7.6, R7.7). The row comes first (R7.4), in the statement that begins the delivery.
 */
@Service
public class Deliveries {

  /** Decided anew when the target has changed meanwhile; more often than that it never settles. */
  private static final int MOST_DECISIONS = 5;

  /**
   * A request to an agent that is called.
   *
   * @param standing the sender's: an answer is only for one that still may have it (R1.6)
   * @param row that is to be appended for it, by {@code appending}
   * @param kind a result is always queued, so that its receiver gets it however it is now (R8.7)
   * @param isMessage whether it sends a message, which takes a slot at the agent and can be
   *     repeated
   * @param headers of the sender that the agent gets to see
   * @param sink takes the answer if it is a stream
   * @param priority if it has to wait, for as long as {@code life}
   * @param memory is told the bytes of a stored answer before that is read, and may refuse them
   */
  @SuppressWarnings("ArrayRecordComponent") // up to 16 MiB: handed on, never compared
  public record Outgoing(
      Sender sender,
      Standing standing,
      NewActivity row,
      Function<NewActivity, Appended> appending,
      Kind kind,
      boolean isMessage,
      byte[] body,
      Map<String, String> headers,
      Deadline deadline,
      @Nullable StreamSink sink,
      int priority,
      Duration life,
      LongConsumer memory) {}

  private final DirectAttempts attempts;
  private final DuplicateMessages duplicates;
  private final OutcomeRepository outcomes;
  private final QueueRepository queue;
  private final QueueWakeUps wakeUps;
  private final QueueEnds ends;
  private final Messages messages;
  private final ReplicaLease lease;
  private final DeliverySlots slots;
  private final DeliverySettings settings;

  Deliveries(
      DirectAttempts attempts,
      DuplicateMessages duplicates,
      OutcomeRepository outcomes,
      QueueRepository queue,
      QueueWakeUps wakeUps,
      QueueEnds ends,
      Messages messages,
      ReplicaLease lease,
      DeliverySlots slots,
      DeliverySettings settings) {
    this.attempts = attempts;
    this.duplicates = duplicates;
    this.outcomes = outcomes;
    this.queue = queue;
    this.wakeUps = wakeUps;
    this.ends = ends;
    this.messages = messages;
    this.lease = lease;
    this.slots = slots;
    this.settings = settings;
  }

  /**
   * Stores the request, and returns what is left to do: that is to be run on the request's thread,
   * for as long as its agent takes. Its reply is done when there is an answer, or no hope for one;
   * by then it is stored. A message that comes again gets the answer of its first time.
   *
   * @param target as it was last seen, maybe a while ago
   * @param lookAgain sees the target as it is now, and refuses like the look before
   * @param polled what is done instead with a target that polls by now
   */
  public Supplier<CompletableFuture<Reply>> begin(
      Outgoing outgoing,
      Target target,
      Supplier<Target> lookAgain,
      Function<Target, Supplier<CompletableFuture<Reply>>> polled) {
    DeliverySlot slot = slots.open(outgoing.sender(), outgoing.body().length);
    try {
      Supplier<CompletableFuture<Reply>> rest =
          new Beginning(outgoing, slot, lookAgain, polled).begin(target);
      return () -> closing(slot, rest);
    } catch (RuntimeException | Error e) {
      slot.close();
      throw e;
    }
  }

  private static CompletableFuture<Reply> closing(
      DeliverySlot slot, Supplier<CompletableFuture<Reply>> rest) {
    try {
      CompletableFuture<Reply> reply = rest.get();
      var _ = reply.whenComplete((done, failure) -> slot.close());
      return reply;
    } catch (RuntimeException | Error e) {
      slot.close();
      throw e;
    }
  }

  /** One request, from its first decision to its row. */
  private final class Beginning {

    private final Outgoing outgoing;
    private final DeliverySlot slot;
    private final Supplier<Target> lookAgain;
    private final Function<Target, Supplier<CompletableFuture<Reply>>> polled;
    private boolean hasEntered;

    Beginning(
        Outgoing outgoing,
        DeliverySlot slot,
        Supplier<Target> lookAgain,
        Function<Target, Supplier<CompletableFuture<Reply>>> polled) {
      this.outgoing = outgoing;
      this.slot = slot;
      this.lookAgain = lookAgain;
      this.polled = polled;
    }

    /** What was remembered of the target is good enough only for a message that goes at once. */
    Supplier<CompletableFuture<Reply>> begin(Target remembered) {
      Target target = remembered;
      boolean isFresh = false;
      boolean wasInTheWay = false;
      for (int i = 0; i < MOST_DECISIONS; i++) {
        if (!isFresh && !canGo(target)) {
          target = lookAgain.get();
          isFresh = true;
        }
        if (target.deliveryMode() == DeliveryMode.POLL) {
          slot.close();
          return polled.apply(target);
        }
        Way way = canGo(target) && !wasInTheWay && enter(target) ? Way.SEND : Way.QUEUE;
        Optional<Supplier<CompletableFuture<Reply>>> rest = append(target, way);
        if (rest.isPresent()) {
          return rest.get();
        }
        // who is sent away though the target is free has a message of its own before it
        wasInTheWay = isFresh && way == Way.SEND;
        target = lookAgain.get();
        isFresh = true;
      }
      throw ProblemException.unavailable(
          "the workspace " + target.id() + " changes too often right now; send again later");
    }

    private boolean canGo(Target target) {
      if (outgoing.kind() == Kind.RESULT) {
        return false;
      }
      requireNotPaused(target);
      return target.isReachable() && !(outgoing.isMessage() && target.isAtCapacity());
    }

    private void requireNotPaused(Target target) {
      if (target.status() == WorkspaceStatus.PAUSED) {
        Target now = lookAgain.get();
        if (now.status() == WorkspaceStatus.PAUSED) {
          throw new ProblemException(
              ErrorCode.WORKSPACE_PAUSED,
              "the workspace " + now.id() + " is paused; send again when it is resumed");
        }
      }
    }

    /** A target to which as much is sent from here as may be takes no more; a message can wait. */
    private boolean enter(Target target) {
      hasEntered = hasEntered || slot.enter(target.id());
      if (!hasEntered && !outgoing.isMessage()) {
        throw ProblemException.unavailable(
            "the workspace " + target.id() + " is at work on too many requests; send again later");
      }
      return hasEntered;
    }

    /** Empty when the target is not what it was taken for. */
    private Optional<Supplier<CompletableFuture<Reply>>> append(Target target, Way way) {
      @Nullable Claim claim = way == Way.SEND ? lease.begin() : null;
      boolean isHeld = false;
      try {
        if (claim != null && !lease.isAlive()) {
          throw ProblemException.unavailable(
              "this server has not reached its database for a while; send again later");
        }
        Appended appended =
            outgoing.appending().apply(outgoing.row().with(admission(target, way, claim)));
        switch (appended) {
          case Appended.Stored stored -> {
            isHeld = claim != null;
            return Optional.of(stored(target, stored, claim));
          }
          case Appended.Repeated(UUID id, long seq) -> {
            return Optional.of(repeated(target, new ActivityKey(target.id(), seq)));
          }
          case Appended.OtherContent() -> throw reused();
          case Appended.QueueFull() -> throw queueFull(target);
          case Appended.Outdated() -> {
            return Optional.empty();
          }
          case Appended.FeedFull full ->
              throw new IllegalStateException("a delivery does not count as unread");
        }
      } finally {
        if (claim != null && !isHeld) {
          lease.end(claim);
        }
      }
    }

    private MessageAdmission admission(Target target, Way way, @Nullable Claim claim) {
      return new MessageAdmission(
          way,
          new Assumed(target.version(), target.treeVersion()),
          new NewDelivery(
              outgoing.kind(),
              outgoing.isMessage(),
              claim == null ? null : claim.owner(),
              claim == null ? null : claim.number(),
              outgoing.priority(),
              outgoing.life()));
    }

    private Supplier<CompletableFuture<Reply>> stored(
        Target target, Appended.Stored stored, @Nullable Claim claim) {
      ActivityKey key = new ActivityKey(target.id(), stored.seq());
      if (claim != null) {
        return () -> send(target, stored.idleTimeoutSeconds(), key, claim, false);
      }
      Reply queued = Replies.queued(stored.id(), stored.depth());
      return () -> CompletableFuture.completedFuture(queued);
    }

    private Supplier<CompletableFuture<Reply>> repeated(Target target, ActivityKey key) {
      return () ->
          duplicates
              .reply(
                  new DuplicateMessages.Duplicate(
                      outgoing.sender(),
                      outgoing.standing(),
                      key,
                      outgoing.deadline(),
                      outgoing.memory()),
                  () -> deliverAgain(key))
              .orElseGet(() -> polled.apply(target).get());
    }

    /** Empty when somebody else was quicker. */
    private Optional<CompletableFuture<Reply>> deliverAgain(ActivityKey key) {
      Target target = lookAgain.get();
      if (target.deliveryMode() == DeliveryMode.POLL) {
        return Optional.of(polled.apply(target).get());
      }
      if (canGo(target) && enter(target)) {
        Claim claim = lease.begin();
        Optional<Integer> before = Optional.empty();
        try {
          before = outcomes.takeOver(key, claim, settings.retriesAmbiguous());
        } finally {
          if (before.isEmpty()) {
            lease.end(claim);
          }
        }
        return before.map(
            deliveries -> send(target, target.idleTimeoutSeconds(), key, claim, deliveries > 0));
      }
      if (queue.hasWaiting(target.id(), MessageAdmission.MOST_QUEUED)) {
        throw queueFull(target);
      }
      return outcomes
          .queueAgain(key, outgoing.priority(), outgoing.life(), settings.retriesAmbiguous())
          .map(depth -> {
            wakeUps.queued(Set.of(target.id()));
            return outcomes
                .find(key)
                .map(OutcomeRepository.Standing::open)
                .map(open -> Replies.queued(open.rowId(), depth))
                .map(CompletableFuture::completedFuture)
                .orElseThrow();
          });
    }

    /** Whoever lost the message to another delivery waits for that one. */
    private CompletableFuture<Reply> send(
        Target target,
        @Nullable Integer idleTimeoutSeconds,
        ActivityKey key,
        Claim claim,
        boolean wasDeliveredBefore) {
      OutboundRequest request =
          new OutboundRequest(
              target,
              idleTimeoutSeconds,
              outgoing.sender(),
              outgoing.body(),
              outgoing.headers(),
              outgoing.deadline());
      @Nullable StreamSink sink = outgoing.sink();
      CompletableFuture<Optional<Reply>> sent =
          attempts.run(
              new DirectAttempts.Held(request, key, claim, wasDeliveredBefore),
              sink == null ? null : slot.counting(sink));
      // what its agent took is not the database's fault: the answer has a time of its own
      return RequestDeadline.within(
          RequestDeadline.LIMIT,
          () ->
              sent.thenCompose(reply ->
                      reply
                          .map(CompletableFuture::completedFuture)
                          .orElseGet(() -> repeated(target, key).get()))
                  .thenApply(this::forWhoMayHaveIt));
    }

    private Reply forWhoMayHaveIt(Reply reply) {
      try {
        outgoing.standing().requireGood();
        return reply;
      } catch (RuntimeException revoked) {
        reply.letGo();
        throw revoked;
      }
    }
  }

  /**
   * In the caller's transaction, with the delegation's row locked: its message is not sent any
   * more, if it still waits to be. False, and nothing has changed, while it is being sent.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean withdraw(DelegationMessage message, String why) {
    return messages
        .find(message.calleeId(), message.callerId(), MessageNames.key(message.messageId()))
        .map(StoredMessage::key)
        .map(key -> endWaiting(key, QueueState.DROPPED, why) || !isOpen(key))
        .orElse(true);
  }

  private boolean isOpen(ActivityKey key) {
    return outcomes.find(key).filter(found -> found.open() != null).isPresent();
  }

  /** In the caller's transaction; whether it waited. */
  boolean endWaiting(ActivityKey key, QueueState state, String why) {
    Claim claim = lease.begin();
    try {
      List<QueuedMessage> held = queue.claimWaiting(key, claim);
      ends.endUndelivered(held, state, why);
      return !held.isEmpty();
    } finally {
      lease.end(claim);
    }
  }

  private static ProblemException queueFull(Target target) {
    return new ProblemException(
        ErrorCode.QUEUE_FULL,
        MessageAdmission.MOST_QUEUED
            + " messages wait for the workspace "
            + target.id()
            + " already; try again later");
  }

  /** Of a message whose id names another one (R7.3). */
  public static ProblemException reused() {
    return new ProblemException(
        ErrorCode.MESSAGE_ID_REUSED,
        "params.message.messageId names an earlier message to this workspace, of another"
            + " content (expected: a new id for a new message, or the same method and message"
            + " to repeat one)");
  }
}
