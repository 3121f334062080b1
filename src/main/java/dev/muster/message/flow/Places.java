package dev.muster.message.flow;

import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.message.store.RowSize;
import dev.muster.protocol.client.StreamSink;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a message for a push agent takes of this replica's bounds until its sender has the response.
 */
final class Places implements AutoCloseable {

  private final DeliverySlots slots;

  // guarded by this
  private @Nullable DeliverySlot slot;

  Places(DeliverySlots slots) {
    this.slots = slots;
  }

  /** Takes a slot for the message and its body, unless it has one; refuses when none is free. */
  synchronized void open(Message message) {
    if (slot == null) {
      slot = slots.open(message.sender(), Objects.requireNonNull(RowSize.bytes(message.body())));
    }
  }

  /** Takes a slot of the target; returns false when none is free. */
  synchronized boolean enter(UUID targetId) {
    return Objects.requireNonNull(slot).enter(targetId);
  }

  /** Wraps the sink, so that kept bytes of the stream count as memory of this message. */
  synchronized StreamSink counting(StreamSink sink) {
    return Objects.requireNonNull(slot).counting(sink);
  }

  /** Leaves the slot to the caller, who closes it; {@link #close} no longer does. */
  synchronized DeliverySlot leave() {
    DeliverySlot left = Objects.requireNonNull(slot);
    slot = null;
    return left;
  }

  @Override
  public synchronized void close() {
    if (slot != null) {
      slot.close();
      slot = null;
    }
  }
}
