package dev.muster.delivery;

import dev.muster.protocol.client.StreamSink;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What one delivery has of the {@link DeliverySlots}, until it is closed, once or more often. */
final class DeliverySlot implements AutoCloseable {

  private final DeliverySlots slots;
  private final Object owner;

  // guarded by this
  private @Nullable UUID target;
  private long kept;
  private boolean closed;

  DeliverySlot(DeliverySlots slots, Object owner, long kept) {
    this.slots = slots;
    this.owner = owner;
    this.kept = kept;
  }

  /** Whether it has a place at its target; false when as many deliveries to it run as may. */
  synchronized boolean enter(UUID wanted) {
    if (target == null && !closed && slots.enter(wanted)) {
      target = wanted;
    }
    return target != null;
  }

  private synchronized boolean keep(long more) {
    if (closed || !slots.keep(owner, more)) {
      return false;
    }
    kept += more;
    return true;
  }

  /** The same sink; what is kept of the stream is counted here. */
  StreamSink counting(StreamSink sink) {
    return new StreamSink() {
      @Override
      public void begin(int status, String contentType) throws IOException {
        sink.begin(status, contentType);
      }

      @Override
      public void write(byte[] bytes) throws IOException {
        sink.write(bytes);
      }

      @Override
      public boolean mayKeep(long bytes) {
        return keep(bytes);
      }
    };
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      slots.close(owner, kept, target);
    }
  }
}
