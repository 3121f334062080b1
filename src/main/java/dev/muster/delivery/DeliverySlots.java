package dev.muster.delivery;

import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Quota;
import dev.muster.platform.quota.Quota.Grant;
import dev.muster.protocol.client.ResponseMemoryBudget;
import dev.muster.protocol.client.StreamSink;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the deliveries that run on this replica: how many, of all, of one target and of one
 * sender, and the memory that they keep beside their answers, of all and of one sender.
 */
public final class DeliverySlots {

  public static final int MAX_DELIVERIES_OF_TARGET = 64;
  static final int MAX_DELIVERIES = 2_000;
  private static final long MAX_BYTES = 512L << 20;

  /** Of what all senders have, one may have one part in so many. */
  private static final int SHARES = 4;

  private static final long MIN_SHARE_BYTES = 32L << 20;
  private static final int MIN_SHARE_DELIVERIES = 64;

  /** What deliveries may take of the heap: for their requests, and once more for small answers. */
  private static final int SHARE_OF_HEAP = 8;

  private final Quota ofTargets;
  private final Quota ofSenders;
  private final Quota bytes;

  /** As many as the heap has room for; {@code heap} in bytes. */
  DeliverySlots(long heap) {
    long part = heap / SHARE_OF_HEAP;
    long deliveries =
        Math.clamp(part / ResponseMemoryBudget.FREE, MIN_SHARE_DELIVERIES, MAX_DELIVERIES);
    long most = Math.clamp(part, MIN_SHARE_BYTES, MAX_BYTES);
    this.ofTargets = new Quota(deliveries, MAX_DELIVERIES_OF_TARGET);
    this.ofSenders = new Quota(deliveries, Math.max(MIN_SHARE_DELIVERIES, deliveries / SHARES));
    this.bytes = new Quota(most, Math.max(MIN_SHARE_BYTES, most / SHARES));
  }

  /**
   * For one delivery, or a request that waits for another's; refuses with 503.
   *
   * @param bodyBytes what is kept of the request
   */
  DeliverySlot open(Sender sender, long bodyBytes) {
    Object owner = sender.owner();
    Grant place = ofSenders.take(owner, 1);
    if (place != Grant.GRANTED) {
      throw refused(sender, place, "requests of " + ofSenders.ownerLimit() + " at once");
    }
    Grant body = bytes.take(owner, bodyBytes);
    if (body != Grant.GRANTED) {
      ofSenders.release(owner, 1);
      throw refused(sender, body, "bytes of " + bytes.ownerLimit() + " in requests under way");
    }
    return new DeliverySlot(owner, bodyBytes);
  }

  /** As {@link #open}; empty in place of a refusal. */
  Optional<DeliverySlot> find(Sender sender, long bodyBytes) {
    try {
      return Optional.of(open(sender, bodyBytes));
    } catch (ProblemException full) {
      return Optional.empty();
    }
  }

  private static ProblemException refused(Sender sender, Grant grant, String share) {
    @Nullable UUID workspaceId = sender.workspaceId();
    String owner = workspaceId == null ? "the canvas" : "the workspace " + workspaceId;
    return ProblemException.unavailable(
        grant == Grant.OWNER_FULL
            ? owner + " has used up its share, " + share + "; send again when some have ended"
            : "too many requests to agents are under way on this server; send again later");
  }

  /** What all deliveries keep now, beside their answers. */
  long keptBytes() {
    return bytes.held();
  }

  long running() {
    return ofSenders.held();
  }

  /** What one delivery has of these, until it is closed, once or more often. */
  final class DeliverySlot implements AutoCloseable {

    private final Object owner;

    // guarded by this
    private @Nullable UUID target;
    private long kept;
    private boolean closed;

    private DeliverySlot(Object owner, long kept) {
      this.owner = owner;
      this.kept = kept;
    }

    /** Whether it has a place at its target; false when as many deliveries to it run as may. */
    synchronized boolean enter(UUID wanted) {
      if (target == null && !closed && ofTargets.take(wanted, 1) == Grant.GRANTED) {
        target = wanted;
      }
      return target != null;
    }

    private synchronized boolean keep(long more) {
      if (closed || bytes.take(owner, more) != Grant.GRANTED) {
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
        bytes.release(owner, kept);
        ofSenders.release(owner, 1);
      }
    }
  }
}
