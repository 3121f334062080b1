package dev.muster.message.flow;

import dev.muster.message.AppendResult;
import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.flow.DirectAttempts.Held;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.MessageAdmission.Assumed;
import dev.muster.message.store.MessageAdmission.NewDelivery;
import dev.muster.message.store.MessageAdmission.Way;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.ReplicaLease;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Delivers requests to push agents, at once if possible, else through the queue (R7.6, R7.7). The
 * statement that begins the delivery also stores the activity row (R7.4).
 */
@Service
public class Deliveries {

  /** The limit of decisions, since the target may change between a decision and the append. */
  private static final int MAX_DECISIONS = 5;

  private final DirectDeliveries direct;
  private final ReplicaLease lease;
  private final DeliverySlots slots;

  Deliveries(DirectDeliveries direct, ReplicaLease lease, DeliverySlots slots) {
    this.direct = direct;
    this.lease = lease;
    this.slots = slots;
  }

  /**
   * Stores the request and returns the remaining work. The caller runs that work on the request's
   * thread; it may block until the agent responds. The future completes with the response, whose
   * outcome is stored by then, or with an error. A duplicate message gets the response to the first
   * one.
   *
   * @param target the target as it was last read, which may be outdated
   */
  public Supplier<CompletableFuture<ProxyResponse>> begin(
      Outgoing outgoing, DeliveryTarget target) {
    DeliverySlot slot = slots.open(outgoing.sender(), outgoing.body().length);
    try {
      Supplier<CompletableFuture<ProxyResponse>> rest = begin(outgoing, slot, target);
      return () -> closing(slot, rest);
    } catch (RuntimeException | Error e) {
      slot.close();
      throw e;
    }
  }

  /**
   * Returns the work that responds to a duplicate message of a poll agent, as {@link #begin} does:
   * when the agent was called before, the first message may have an outcome, or be on its way.
   *
   * @param key the row of the first message
   */
  public Supplier<CompletableFuture<ProxyResponse>> repeat(
      Outgoing outgoing, DeliveryTarget target, ActivityKey key) {
    DeliverySlot slot = slots.open(outgoing.sender(), outgoing.body().length);
    return () -> closing(slot, () -> direct.repeat(outgoing, slot, target, key));
  }

  private static CompletableFuture<ProxyResponse> closing(
      DeliverySlot slot, Supplier<CompletableFuture<ProxyResponse>> rest) {
    try {
      CompletableFuture<ProxyResponse> reply = rest.get();
      var _ = reply.whenComplete((done, failure) -> slot.close());
      return reply;
    } catch (RuntimeException | Error e) {
      slot.close();
      throw e;
    }
  }

  /**
   * Decides how to deliver, and appends the row. Uses the remembered target only for a message that
   * is sent at once; otherwise reads it again.
   */
  private Supplier<CompletableFuture<ProxyResponse>> begin(
      Outgoing outgoing, DeliverySlot slot, DeliveryTarget remembered) {
    DeliveryTarget target = remembered;
    boolean isFresh = false;
    for (int i = 0; i < MAX_DECISIONS; i++) {
      if (!isFresh && !outgoing.canGo(target)) {
        target = outgoing.lookAgain().get();
        isFresh = true;
      }
      if (target.deliveryMode() == DeliveryMode.POLL) {
        slot.close();
        return outgoing.polled().apply(target, false);
      }
      Way way = outgoing.canGo(target) && outgoing.enter(slot, target) ? Way.SEND : Way.QUEUE;
      Optional<Supplier<CompletableFuture<ProxyResponse>>> rest =
          append(outgoing, slot, target, way);
      if (rest.isPresent()) {
        return rest.get();
      }
      target = outgoing.lookAgain().get();
      // not sooner: a duplicate message gets the response to the first one
      outgoing.requireNotPaused(target);
      isFresh = true;
    }
    throw ProblemException.unavailable(
        "the workspace " + target.id() + " changes too often right now; send again later");
  }

  /** Appends the row; returns empty when the target has changed since it was read. */
  private Optional<Supplier<CompletableFuture<ProxyResponse>>> append(
      Outgoing outgoing, DeliverySlot slot, DeliveryTarget target, Way way) {
    @Nullable DeliveryClaim claim = way == Way.SEND ? lease.begin() : null;
    boolean isHeld = false;
    try {
      if (claim != null && !lease.isAlive()) {
        throw ProblemException.unavailable(
            "this server has not reached its database for a while; send again later");
      }
      AppendResult appended =
          outgoing.appending().apply(outgoing.row().with(admission(outgoing, target, way, claim)));
      switch (appended) {
        case AppendResult.Stored stored -> {
          isHeld = claim != null;
          return Optional.of(stored(outgoing, slot, target, stored, claim));
        }
        case AppendResult.Repeated(UUID id, long seq) -> {
          ActivityKey key = new ActivityKey(target.id(), seq);
          return Optional.of(() -> direct.repeat(outgoing, slot, target, key));
        }
        case AppendResult.OtherContent() -> throw reused();
        case AppendResult.QueueFull() -> throw queueFull(target.id());
        case AppendResult.NotFree() -> {
          return append(outgoing, slot, target, Way.QUEUE);
        }
        case AppendResult.Outdated() -> {
          return Optional.empty();
        }
        case AppendResult.FeedFull full ->
            throw new IllegalStateException("a delivery does not count as unread");
      }
    } finally {
      if (claim != null && !isHeld) {
        lease.end(claim);
      }
    }
  }

  private static MessageAdmission admission(
      Outgoing outgoing, DeliveryTarget target, Way way, @Nullable DeliveryClaim claim) {
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

  private Supplier<CompletableFuture<ProxyResponse>> stored(
      Outgoing outgoing,
      DeliverySlot slot,
      DeliveryTarget target,
      AppendResult.Stored stored,
      @Nullable DeliveryClaim claim) {
    if (claim == null) {
      ProxyResponse queued = outgoing.form().queued(stored.id(), stored.depth());
      return () -> CompletableFuture.completedFuture(queued);
    }
    Held held =
        new Held(
            outgoing.to(target, stored.idleTimeoutSeconds()),
            new ActivityKey(target.id(), stored.seq()),
            claim,
            false);
    return () -> direct.send(outgoing, slot, held);
  }

  public static ProblemException queueFull(UUID targetId) {
    return new ProblemException(
        ErrorCode.QUEUE_FULL,
        MessageAdmission.MAX_QUEUED
            + " messages wait for the workspace "
            + targetId
            + " already; try again later");
  }

  /** Builds the refusal of a message whose id names a message with other content (R7.3). */
  public static ProblemException reused() {
    return new ProblemException(
        ErrorCode.MESSAGE_ID_REUSED,
        "params.message.messageId names an earlier message to this workspace, of another"
            + " content (expected: a new id for a new message, or the same method and message"
            + " to repeat one)");
  }
}
