package dev.muster.platform.quota;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds a resource that callers hold for a while: so much for all of them together, and so much
 * for each owner, so that no single one takes it all. Amounts are of the resource's own unit.
 *
 * <p>An owner is a value with {@code equals}: a workspace's id, or a remote network. Safe from any
 * thread; nothing waits.
 */
public final class Quota {

  /** Whether an amount was granted, and if not, which of the two bounds refused it. */
  public enum Grant {
    GRANTED,
    /** The owner holds its whole share. */
    OWNER_FULL,
    /** All owners together hold everything. */
    FULL
  }

  private final long limit;
  private final long ownerLimit;
  private final AtomicLong held = new AtomicLong();
  private final ConcurrentHashMap<Object, Long> heldByOwner = new ConcurrentHashMap<>();

  /** Both limits are at least 1. */
  public Quota(long limit, long ownerLimit) {
    if (limit < 1 || ownerLimit < 1) {
      throw new IllegalArgumentException(
          "limits: " + limit + " and " + ownerLimit + " (expected: 1 or more)");
    }
    this.limit = limit;
    this.ownerLimit = ownerLimit;
  }

  public long limit() {
    return limit;
  }

  public long ownerLimit() {
    return ownerLimit;
  }

  /** Grants all of the amount or nothing of it; what is granted must be given back. */
  public Grant take(Object owner, long amount) {
    if (amount < 0) {
      throw new IllegalArgumentException("amount: " + amount + " (expected: 0 or more)");
    }
    Grant[] grant = {Grant.OWNER_FULL};
    heldByOwner.compute(
        owner,
        (same, own) -> {
          long before = own == null ? 0 : own;
          if (amount > ownerLimit - before) {
            return own;
          }
          grant[0] = takeOfAll(amount) ? Grant.GRANTED : Grant.FULL;
          return grant[0] == Grant.GRANTED && before + amount > 0
              ? Long.valueOf(before + amount)
              : own;
        });
    return grant[0];
  }

  private boolean takeOfAll(long amount) {
    if (held.addAndGet(amount) <= limit) {
      return true;
    }
    held.addAndGet(-amount);
    return false;
  }

  /** Ends what {@link #take} granted, in one or several parts. */
  public void release(Object owner, long amount) {
    heldByOwner.compute(
        owner,
        (same, own) -> {
          long after = (own == null ? 0 : own) - amount;
          if (after < 0) {
            throw new IllegalStateException(
                owner + " gives back " + -after + " more than it holds, which indicates a bug");
          }
          return after == 0 ? null : Long.valueOf(after);
        });
    held.addAndGet(-amount);
  }

  /** What all owners hold now. */
  public long held() {
    return held.get();
  }

  /** What this owner holds now. */
  public long heldBy(Object owner) {
    return heldByOwner.getOrDefault(owner, 0L);
  }
}
