package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.SequencedSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Bounds a resource that callers hold, in total and per owner.
 *
 * <p>The bound per owner keeps one owner from taking everything. Amounts have the unit of the
 * resource. {@link #take} does not wait; {@link #await}, {@link #run} and {@link
 * #runUninterruptibly} wait for one unit. Owners that wait take turns, however many waits each has,
 * and the waits of one owner are served in order.
 *
 * <p>An owner is a value with {@code equals}, such as an {@link Owner} or the id of a target. Safe
 * for use by several threads.
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

  // guarded by this
  private long held;
  private final Map<Object, Long> heldByOwner = new HashMap<>();

  /** The waits of each owner; without owners that have none. */
  private final Map<Object, Deque<CountDownLatch>> waits = new HashMap<>();

  /** The waiting owners below their limit, next first. */
  private final SequencedSet<Object> turns = new LinkedHashSet<>();

  /** Creates a quota of which one owner may hold half, and at least 1. */
  public Quota(long limit) {
    this(limit, Math.max(1, limit / 2));
  }

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

  /**
   * Grants all of the amount or nothing; a granted amount must be released. What is free while
   * owners wait is theirs.
   */
  public synchronized Grant take(Object owner, long amount) {
    if (amount < 0) {
      throw new IllegalArgumentException("amount: " + amount + " (expected: 0 or more)");
    }
    long own = heldBy(owner);
    if (amount > ownerLimit - own) {
      return Grant.OWNER_FULL;
    }
    if (amount > limit - held || !turns.isEmpty()) {
      return Grant.FULL;
    }
    setHeld(owner, own + amount);
    return Grant.GRANTED;
  }

  /**
   * Waits up to {@code atMost} for one unit, which must be released; returns which bound was in the
   * way if there was none.
   */
  public Grant await(Object owner, Duration atMost) throws InterruptedException {
    CountDownLatch granted = takeOrWait(owner);
    try {
      return granted.await(atMost.toNanos(), TimeUnit.NANOSECONDS)
          ? Grant.GRANTED
          : giveUp(owner, granted);
    } catch (InterruptedException e) {
      if (giveUp(owner, granted) == Grant.GRANTED) {
        release(owner, 1);
      }
      throw e;
    }
  }

  /**
   * Runs work that holds one unit. Throws {@code UNAVAILABLE} when the owner gets none in time, or
   * is interrupted: the same request may succeed a few seconds later.
   *
   * @param atMost the longest wait; the request's deadline may end it earlier
   * @param refusal the text for a caller that gets none
   */
  public <T> T run(Object owner, Duration atMost, String refusal, Supplier<T> work) {
    if (!isGranted(owner, RequestDeadline.capping(atMost))) {
      throw ProblemException.unavailable(refusal);
    }
    return runAndRelease(owner, work);
  }

  private boolean isGranted(Object owner, Duration atMost) {
    try {
      return await(owner, atMost) == Grant.GRANTED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Runs work that holds one unit. It waits for it without a bound, also while the thread is
   * interrupted. So the work must have a bound, as a statement has.
   */
  public <T> T runUninterruptibly(Object owner, Supplier<T> work) {
    CountDownLatch granted = takeOrWait(owner);
    boolean wasInterrupted = false;
    while (granted.getCount() > 0) {
      try {
        granted.await();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
    return runAndRelease(owner, work);
  }

  private <T> T runAndRelease(Object owner, Supplier<T> work) {
    try {
      return work.get();
    } finally {
      release(owner, 1);
    }
  }

  /** Takes one unit or adds a wait for it, which gets a turn when only the total is in the way. */
  private synchronized CountDownLatch takeOrWait(Object owner) {
    Grant grant = take(owner, 1);
    if (grant == Grant.GRANTED) {
      return new CountDownLatch(0);
    }
    CountDownLatch granted = new CountDownLatch(1);
    waits.computeIfAbsent(owner, _ -> new ArrayDeque<>()).add(granted);
    if (grant == Grant.FULL) {
      turns.add(owner);
    }
    return granted;
  }

  /** Ends a wait; it may have been granted at the last moment. */
  private synchronized Grant giveUp(Object owner, CountDownLatch granted) {
    if (granted.getCount() == 0) {
      return Grant.GRANTED;
    }
    Deque<CountDownLatch> own = Objects.requireNonNull(waits.get(owner));
    own.remove(granted);
    if (own.isEmpty()) {
      waits.remove(owner);
      turns.remove(owner);
    }
    return isFull(owner) ? Grant.OWNER_FULL : Grant.FULL;
  }

  /** Releases a granted amount, all of it or a part. */
  public synchronized void release(Object owner, long amount) {
    long after = heldBy(owner) - amount;
    if (after < 0) {
      throw new IllegalStateException(
          owner + " releases " + -after + " more than it holds, which indicates a bug");
    }
    setHeld(owner, after);
    if (waits.containsKey(owner) && !isFull(owner)) {
      turns.add(owner);
    }
    while (!turns.isEmpty() && held < limit) {
      grantTo(turns.removeFirst());
    }
  }

  /** Grants one unit to the first wait of an owner, which takes its next turn after the others. */
  private void grantTo(Object owner) {
    setHeld(owner, heldBy(owner) + 1);
    Deque<CountDownLatch> own = Objects.requireNonNull(waits.get(owner));
    own.remove().countDown();
    if (own.isEmpty()) {
      waits.remove(owner);
    } else if (!isFull(owner)) {
      turns.add(owner);
    }
  }

  private boolean isFull(Object owner) {
    return heldBy(owner) >= ownerLimit;
  }

  private void setHeld(Object owner, long amount) {
    held += amount - heldBy(owner);
    if (amount == 0) {
      heldByOwner.remove(owner);
    } else {
      heldByOwner.put(owner, amount);
    }
  }

  /** Returns the amount that all owners hold together. */
  public synchronized long held() {
    return held;
  }

  /** Returns the amount that this owner holds. */
  public synchronized long heldBy(Object owner) {
    return heldByOwner.getOrDefault(owner, 0L);
  }
}
