package dev.muster.message.flow;

import dev.muster.message.flow.DeliverySlots.DeliverySlot;
import dev.muster.protocol.client.StreamSink;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a message for a push agent takes of this replica's bounds until its sender has the response.
 * It is used by one thread after the other.
 */
final class Places implements AutoCloseable {

  private final DeliverySlots slots;
  private @Nullable DeliverySlot slot;
  private byte @Nullable [] body;

  Places(DeliverySlots slots) {
    this.slots = slots;
  }

  /** Takes a slot for the message and its body, unless it has one; refuses when none is free. */
  void open(Message message) {
    if (slot == null) {
      byte[] bytes = message.body().text().getBytes(StandardCharsets.UTF_8);
      slot = slots.open(message.sender(), bytes.length);
      body = bytes;
    }
  }

  /** Takes a slot of the target; returns false when none is free. */
  boolean enter(UUID targetId) {
    return Objects.requireNonNull(slot).enter(targetId);
  }

  byte[] body() {
    return Objects.requireNonNull(body);
  }

  /** Wraps the sink, so that kept bytes of the stream count as memory of this message. */
  StreamSink counting(StreamSink sink) {
    return Objects.requireNonNull(slot).counting(sink);
  }

  @Override
  public void close() {
    if (slot != null) {
      slot.close();
      slot = null;
      body = null;
    }
  }
}
