package dev.muster.delivery;

import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Quota;
import dev.muster.platform.quota.Quota.Grant;
import dev.muster.protocol.client.AnswerBudget;
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

  private static final long LEAST_SHARE_BYTES = 32L << 20;
  private static final int LEAST_SHARE_DELIVERIES = 64;

  /** What deliveries may take of the heap: for their requests, and once more for small answers. */
  private static final int SHARE_OF_HEAP = 8;

  private final Quota ofTargets;
  private final Quota ofSenders;
  private final Quota bytes;

  DeliverySlots(Quota ofTargets, Quota ofSenders, Quota bytes) {
    this.ofTargets = ofTargets;
    this.ofSenders = ofSenders;
    this.bytes = bytes;
  }

  /** As many as the heap has room for; {@code heap} in bytes. */
  static DeliverySlots ofHeap(long heap) {
    long part = heap / SHARE_OF_HEAP;
    long deliveries = Math.clamp(part / AnswerBudget.FREE, LEAST_SHARE_DELIVERIES, MAX_DELIVERIES);
    long bytes = Math.clamp(part, LEAST_SHARE_BYTES, MAX_BYTES);
    return new DeliverySlots(
        new Quota(deliveries, MAX_DELIVERIES_OF_TARGET),
        new Quota(deliveries, Math.max(LEAST_SHARE_DELIVERIES, deliveries / SHARES)),
        new Quota(bytes, Math.max(LEAST_SHARE_BYTES, bytes / SHARES)));
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
      ofSenders.giveBack(owner, 1);
      throw refused(sender, body, "bytes of " + bytes.ownerLimit() + " in requests under way");
    }
    return new DeliverySlot(this, owner, bodyBytes);
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

  boolean enter(UUID target) {
    return ofTargets.take(target, 1) == Grant.GRANTED;
  }

  boolean keep(Object owner, long more) {
    return bytes.take(owner, more) == Grant.GRANTED;
  }

  void close(Object owner, long kept, @Nullable UUID target) {
    if (target != null) {
      ofTargets.giveBack(target, 1);
    }
    bytes.giveBack(owner, kept);
    ofSenders.giveBack(owner, 1);
  }

  /** What all deliveries keep now, beside their answers. */
  long keptBytes() {
    return bytes.held();
  }

  long running() {
    return ofSenders.held();
  }
}
