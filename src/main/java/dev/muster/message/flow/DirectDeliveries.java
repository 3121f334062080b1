package dev.muster.message.flow;

import dev.muster.message.call.DeliverySettings;
import dev.muster.message.call.OutboundRequest;
import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.flow.DirectAttempts.Held;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.MessageAdmission;
import dev.muster.message.store.OutcomeRepository;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.QueueWakeUps;
import dev.muster.message.store.ReplicaLease;
import dev.muster.message.store.WaitingTargets;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.protocol.client.StreamSink;
import dev.muster.workspace.DeliveryMode;
import dev.muster.workspace.DeliveryTarget;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Answers a sender that waits (R7.6). Sends its message by {@link DirectAttempts}, or finds the
 * outcome of the same message (R7.3).
 */
@Component
class DirectDeliveries {

  private final DirectAttempts attempts;
  private final DuplicateMessages duplicates;
  private final OutcomeRepository outcomes;
  private final WaitingTargets waiting;
  private final QueueWakeUps wakeUps;
  private final ReplicaLease lease;
  private final DeliverySettings settings;

  DirectDeliveries(
      DirectAttempts attempts,
      DuplicateMessages duplicates,
      OutcomeRepository outcomes,
      WaitingTargets waiting,
      QueueWakeUps wakeUps,
      ReplicaLease lease,
      DeliverySettings settings) {
    this.attempts = attempts;
    this.duplicates = duplicates;
    this.outcomes = outcomes;
    this.waiting = waiting;
    this.wakeUps = wakeUps;
    this.lease = lease;
    this.settings = settings;
  }

  /**
   * Sends a claimed message. If another replica has taken the delivery over, waits for that
   * outcome.
   */
  CompletableFuture<ProxyResponse> send(Outgoing outgoing, DeliverySlot slot, Held held) {
    @Nullable StreamSink sink = outgoing.sink();
    CompletableFuture<Optional<ProxyResponse>> sent =
        attempts.run(held, sink == null ? null : slot.counting(sink));
    // The agent's time must not count as a slow database, so the response gets a new deadline.
    return RequestDeadline.within(
        RequestDeadline.LIMIT,
        () ->
            sent.thenCompose(reply ->
                    reply
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(
                            () -> repeat(outgoing, slot, held.request().target(), held.key())))
                .thenApply(reply -> requireGood(outgoing, reply)));
  }

  /** Responds to a duplicate message; {@code key} is the row of the first one. */
  CompletableFuture<ProxyResponse> repeat(
      Outgoing outgoing, DeliverySlot slot, DeliveryTarget target, ActivityKey key) {
    return duplicates
        .reply(outgoing, key, () -> deliverAgain(outgoing, slot, key))
        .orElseGet(() -> outgoing.polled().apply(target, true).get());
  }

  /** Delivers a message again; returns empty when another request has begun to do so. */
  private Optional<CompletableFuture<ProxyResponse>> deliverAgain(
      Outgoing outgoing, DeliverySlot slot, ActivityKey key) {
    DeliveryTarget target = outgoing.lookAgain().get();
    if (target.deliveryMode() == DeliveryMode.POLL) {
      return Optional.of(outgoing.polled().apply(target, true).get());
    }
    outgoing.requireNotPaused(target);
    if (outgoing.canGo(target) && outgoing.enter(slot, target)) {
      return sendAgain(outgoing, slot, target, key);
    }
    if (waiting.hasWaiting(target.id(), MessageAdmission.MAX_QUEUED)) {
      throw Deliveries.queueFull(target.id());
    }
    return outcomes
        .queueAgain(key, outgoing.priority(), outgoing.life(), settings.retryAmbiguous())
        .map(depth -> {
          wakeUps.queued(Set.of(target.id()));
          return outcomes
              .find(key)
              .map(OutcomeRepository.Standing::open)
              .map(open -> outgoing.form().queued(open.rowId(), depth))
              .map(CompletableFuture::completedFuture)
              .orElseThrow();
        });
  }

  private Optional<CompletableFuture<ProxyResponse>> sendAgain(
      Outgoing outgoing, DeliverySlot slot, DeliveryTarget target, ActivityKey key) {
    DeliveryClaim claim = lease.begin();
    Optional<Integer> before = Optional.empty();
    try {
      before = outcomes.takeOver(key, claim, settings.retryAmbiguous());
    } finally {
      if (before.isEmpty()) {
        lease.end(claim);
      }
    }
    OutboundRequest request = outgoing.to(target, target.idleTimeoutSeconds());
    return before.map(
        deliveries -> send(outgoing, slot, new Held(request, key, claim, deliveries > 0)));
  }

  private static ProxyResponse requireGood(Outgoing outgoing, ProxyResponse reply) {
    try {
      outgoing.recheck().requireValid();
      return reply;
    } catch (RuntimeException revoked) {
      reply.release();
      throw revoked;
    }
  }
}
