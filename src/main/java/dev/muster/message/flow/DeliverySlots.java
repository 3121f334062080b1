package dev.muster.message.flow;

import dev.muster.message.store.Sender;
import dev.muster.platform.http.Quota;
import dev.muster.platform.http.Quota.Grant;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.protocol.client.StreamSink;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the deliveries and the request memory of this replica. The number of deliveries is bounded
 * in total, per target, and per sender or for all of the queue together: a message that was queued
 * is no request of its sender any more. The memory, without that of the responses, is bounded in
 * total and per sender.
 */
final class DeliverySlots {

  static final int MAX_DELIVERIES_OF_TARGET = 64;
  static final int MAX_DELIVERIES = 2_000;
  private static final long MAX_BYTES = 512L << 20;

  /** One sender may use at most a quarter of the total. */
  private static final int SHARES = 4;

  private static final long MIN_SHARE_BYTES = 32L << 20;
  private static final int MIN_SHARE_DELIVERIES = 64;

  /** The queue may use at most half of the total. */
  private static final int SHARES_OF_QUEUE = 2;

  /** The owner of the quotas that have only one. */
  private static final Object ALL = "all";

  /** Requests may use an eighth of the heap. Small responses may use as much again. */
  private static final int SHARE_OF_HEAP = 8;

  private final Quota all;
  private final Quota ofTargets;
  private final Quota ofSenders;
  private final Quota ofQueue;
  private final Quota bytes;

  /** Derives the limits from {@code heap}, the maximum size of the heap in bytes. */
  DeliverySlots(long heap) {
    long part = heap / SHARE_OF_HEAP;
    long deliveries =
        Math.clamp(part / ResponseMemoryBudget.FREE, MIN_SHARE_DELIVERIES, MAX_DELIVERIES);
    long most = Math.clamp(part, MIN_SHARE_BYTES, MAX_BYTES);
    this.all = new Quota(deliveries, deliveries);
    this.ofTargets = new Quota(deliveries, MAX_DELIVERIES_OF_TARGET);
    this.ofQueue = new Quota(deliveries / SHARES_OF_QUEUE, deliveries / SHARES_OF_QUEUE);
    this.ofSenders = new Quota(deliveries, Math.max(MIN_SHARE_DELIVERIES, deliveries / SHARES));
    this.bytes = new Quota(most, Math.max(MIN_SHARE_BYTES, most / SHARES));
  }

  /**
   * Takes a slot for a delivery or a waiting duplicate message. Refuses with 503 when none is free.
   *
   * @param bodyBytes the size in bytes of the request that is kept
   */
  DeliverySlot open(Sender sender, long bodyBytes) {
    return open(sender, bodyBytes, ofSenders, sender.owner());
  }

  /** As {@link #open}, for an attempt of the queue; returns empty instead of refusing. */
  Optional<DeliverySlot> findForQueue(Sender sender, long bodyBytes) {
    try {
      return Optional.of(open(sender, bodyBytes, ofQueue, ALL));
    } catch (ProblemException full) {
      return Optional.empty();
    }
  }

  /** Returns how many attempts of the queue may run at once. */
  int mostOfQueue() {
    return Math.toIntExact(ofQueue.limit());
  }

  private DeliverySlot open(Sender sender, long bodyBytes, Quota share, Object owner) {
    Grant own = share.take(owner, 1);
    if (own != Grant.GRANTED) {
      throw refused(sender, own, "requests of " + share.ownerLimit() + " at once");
    }
    Grant place = all.take(ALL, 1);
    Grant body = place == Grant.GRANTED ? bytes.take(sender.owner(), bodyBytes) : Grant.FULL;
    if (body != Grant.GRANTED) {
      share.release(owner, 1);
      if (place == Grant.GRANTED) {
        all.release(ALL, 1);
      }
      throw refused(sender, body, "bytes of " + bytes.ownerLimit() + " in requests in progress");
    }
    return new DeliverySlot(sender.owner(), bodyBytes, share, owner);
  }

  private static ProblemException refused(Sender sender, Grant grant, String share) {
    @Nullable UUID workspaceId = sender.workspaceId();
    String owner = workspaceId == null ? "the canvas" : "the workspace " + workspaceId;
    return ProblemException.unavailable(
        grant == Grant.OWNER_FULL
            ? owner + " has used up its share, " + share + "; send again when some have ended"
            : "too many requests to agents are under way on this server; send again later");
  }

  /** Returns how many bytes the deliveries of one sender may keep. */
  long bytesOfASender() {
    return bytes.ownerLimit();
  }

  /** Returns the bytes that all deliveries keep now, without their responses. */
  long keptBytes() {
    return bytes.held();
  }

  long running() {
    return all.held();
  }

  /**
   * The slots and the memory of one delivery. {@link #close} releases them and may be called again.
   */
  final class DeliverySlot implements AutoCloseable {

    private final Object sender;
    private final Quota share;
    private final Object owner;

    // guarded by this
    private @Nullable UUID target;
    private long kept;
    private boolean closed;

    private DeliverySlot(Object sender, long kept, Quota share, Object owner) {
      this.sender = sender;
      this.kept = kept;
      this.share = share;
      this.owner = owner;
    }

    /**
     * Takes a slot of the target; returns false when none is free. Returns true at once if this
     * delivery has one.
     */
    synchronized boolean enter(UUID wanted) {
      if (target == null && !closed && ofTargets.take(wanted, 1) == Grant.GRANTED) {
        target = wanted;
      }
      return target != null;
    }

    private synchronized boolean keep(long more) {
      if (closed || bytes.take(sender, more) != Grant.GRANTED) {
        return false;
      }
      kept += more;
      return true;
    }

    /** Wraps the sink. Kept bytes of the stream count as this delivery's memory. */
    StreamSink counting(StreamSink sink) {
      return new StreamSink() {
        @Override
        public void begin(int status, String contentType, Map<String, String> headers)
            throws IOException {
          sink.begin(status, contentType, headers);
        }

        @Override
        public void write(byte[] piece) throws IOException {
          sink.write(piece);
        }

        @Override
        public boolean mayKeep(long more) {
          return keep(more);
        }
      };
    }

    @Override
    public synchronized void close() {
      if (!closed) {
        closed = true;
        if (target != null) {
          ofTargets.release(target, 1);
        }
        bytes.release(sender, kept);
        all.release(ALL, 1);
        share.release(owner, 1);
      }
    }
  }
}
