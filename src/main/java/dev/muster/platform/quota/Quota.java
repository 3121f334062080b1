package dev.muster.platform.quota;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds a resource that callers hold, in total and per owner.
 *
 * <p>The bound per owner keeps one owner from taking everything. Amounts have the unit of the
 * resource.
 *
 * <p>An owner is a value with {@code equals}: a workspace's id, or a remote network. Safe for use
 * by several threads; no method blocks for a free amount.
 */
public final class Quota {

  /** Reports whether an amount was granted, or which bound refused it. */
  public enum Grant {
    GRANTED,
    /** The owner's own limit is reached. */
    OWNER_FULL,
    /** The limit of all owners together is reached. */
    FULL
  }

  private final long limit;
  private final long ownerLimit;
  private final AtomicLong held = new AtomicLong();
  private final ConcurrentHashMap<Object, Long> heldByOwner = new ConcurrentHashMap<>();

  /** Creates a quota; both limits are at least 1. */
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

  /** Grants all of the amount or nothing; a granted amount must be released. */
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

  /** Releases a granted amount, all of it or a part. */
  public void release(Object owner, long amount) {
    heldByOwner.compute(
        owner,
        (same, own) -> {
          long after = (own == null ? 0 : own) - amount;
          if (after < 0) {
            throw new IllegalStateException(
                owner + " releases " + -after + " more than it holds, which indicates a bug");
          }
          return after == 0 ? null : Long.valueOf(after);
        });
    held.addAndGet(-amount);
  }

  /** Returns the amount that all owners hold together. */
  public long held() {
    return held.get();
  }

  /** Returns the amount that this owner holds. */
  public long heldBy(Object owner) {
    return heldByOwner.getOrDefault(owner, 0L);
  }
}
