package dev.muster.message.flow;

import dev.muster.message.call.OutboundRequest;
import dev.muster.message.call.OutcomeMapper;
import dev.muster.message.call.TargetCalls;
import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.Completions;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.DeliveryOutcome;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.ReplicaLease;
import dev.muster.platform.http.RequestDeadline;
import dev.muster.platform.log.LimitedLog;
import dev.muster.protocol.client.A2aResult;
import dev.muster.protocol.client.ResponseMemoryAllocation;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.protocol.client.StreamSink;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;
import org.springframework.stereotype.Component;

/**
 * Sends messages while their senders wait (R7.8). A send continues to its end when the sender
 * disconnects. Its outcome is stored before the sender gets the response.
 */
@Component
class DirectAttempts {

  private static final LimitedLog failed = new LimitedLog(DirectAttempts.class);
  private static final LimitedLog unstored = new LimitedLog(DirectAttempts.class);

  /** A message that this replica has claimed in order to send it. */
  record Held(
      OutboundRequest request, ActivityKey key, DeliveryClaim claim, boolean wasDeliveredBefore) {}

  private final TargetCalls calls;
  private final OutcomeMapper outcomes;
  private final Completions completions;
  private final QueueCompletion queueCompletion;
  private final ReplicaLease lease;
  private final ResponseMemoryBudget responseMemory;

  DirectAttempts(
      TargetCalls calls,
      OutcomeMapper outcomes,
      Completions completions,
      QueueCompletion queueCompletion,
      ReplicaLease lease,
      ResponseMemoryBudget responseMemory) {
    this.calls = calls;
    this.outcomes = outcomes;
    this.completions = completions;
    this.queueCompletion = queueCompletion;
    this.lease = lease;
    this.responseMemory = responseMemory;
  }

  /**
   * Sends a claimed message and stores its outcome. Without a sink it sends on the calling thread.
   * With a sink it starts a thread, so that the calling thread can write the stream. The future
   * completes after the outcome is stored. It is empty when another replica holds the delivery by
   * then, unless the sender has got a stream already.
   */
  CompletableFuture<Optional<ProxyResponse>> deliver(
      Held held, @Nullable StreamSink sink, Places places) {
    CompletableFuture<Optional<ProxyResponse>> reply = new CompletableFuture<>();
    if (sink == null) {
      RequestDeadline.without(() -> {
        callAndEnd(held, null, places, reply);
        return true;
      });
    } else {
      StreamSink counting = places.counting(sink);
      Thread.ofVirtual()
          .name("delivery-" + held.key().seq())
          .start(() -> callAndEnd(held, counting, places, reply));
    }
    return reply;
  }

  /**
   * Sends and stores the outcome. The reply keeps the memory of the response until it is written.
   */
  private void callAndEnd(
      Held held,
      @Nullable StreamSink sink,
      Places places,
      CompletableFuture<Optional<ProxyResponse>> reply) {
    ResponseMemoryAllocation space = held.request().openSpace(responseMemory);
    @Nullable DeliveryOutcome outcome = null;
    try {
      A2aResult result = calls.send(held.request(), space, sink);
      outcome = outcomes.of(result, held.wasDeliveredBefore());
      boolean isHeld = completions.complete(outcome.completion(held.key(), held.claim(), null));
      lease.end(held.claim());
      // The sender has seen the stream, so it gets no other outcome.
      if (isHeld || result instanceof A2aResult.Streamed) {
        reply.complete(Optional.of(outcome.reply().in(space)));
      } else {
        space.close();
        reply.complete(Optional.empty());
      }
    } catch (RuntimeException | Error e) {
      if (outcome == null || !Completions.mayWorkLater(e)) {
        failed.log(Level.ERROR, "the delivery of {} failed", held.key(), e);
        outcome = queueCompletion.uncertain("the server failed while it delivered this", 1);
      }
      DeliverySlot slot = places.leave();
      reply.completeExceptionally(e);
      storeLate(held, outcome, space, slot);
    }
  }

  /**
   * Retries on a new thread, which holds the claim, the slots and the memory of the delivery until
   * it ends.
   */
  private void storeLate(
      Held held, DeliveryOutcome outcome, ResponseMemoryAllocation space, DeliverySlot slot) {
    Thread.ofVirtual()
        .name("late-outcome-" + held.key().seq())
        .start(() -> {
          try (slot;
              space) {
            Completions.untilStored(() -> {
              boolean _ = completions.complete(outcome.completion(held.key(), held.claim(), null));
            });
          } catch (RuntimeException e) {
            unstored.log(Level.WARN, "the outcome of {} could not be stored", held.key(), e);
          } finally {
            lease.end(held.claim());
          }
        });
  }
}
