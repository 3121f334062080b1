package dev.muster.platform.quota;

import dev.muster.platform.quota.Quota.Grant;
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
import java.util.concurrent.locks.ReentrantLock;

/**
 * Hands out single slots of a {@link Quota}, with a wait for one.
 *
 * <p>Owners that wait take turns, however many waits each has; the waits of one owner are served in
 * order. A released slot wakes one of them at most.
 */
public final class Slots {

  private final Quota quota;
  private final ReentrantLock lock = new ReentrantLock();

  /** The waits of each owner; without owners that have none. Guarded by the lock. */
  private final Map<Object, Deque<CountDownLatch>> waits = new HashMap<>();

  /** The waiting owners below their share, next first. Guarded by the lock. */
  private final SequencedSet<Object> turns = new LinkedHashSet<>();

  public Slots(Quota quota) {
    this.quota = quota;
  }

  /**
   * Waits up to {@code atMost} for a slot; returns which bound was in the way if there was none.
   *
   * <p>The owner must release the slot that it got.
   */
  public Grant tryTake(Object owner, Duration atMost) throws InterruptedException {
    CountDownLatch granted;
    lock.lockInterruptibly();
    try {
      Grant grant = takeNow(owner);
      if (grant == Grant.GRANTED || atMost.isZero()) {
        return grant;
      }
      granted = enqueue(owner, grant);
    } finally {
      lock.unlock();
    }
    try {
      return granted.await(atMost.toNanos(), TimeUnit.NANOSECONDS)
          ? Grant.GRANTED
          : giveUp(owner, granted);
    } catch (InterruptedException e) {
      if (giveUp(owner, granted) == Grant.GRANTED) {
        release(owner);
      }
      throw e;
    }
  }

  /**
   * Waits for a slot without a bound, also while the thread is interrupted. So what holds a slot
   * must have a bound, as a statement has.
   *
   * <p>The owner must release the slot.
   */
  public void takeUninterruptibly(Object owner) {
    CountDownLatch granted;
    lock.lock();
    try {
      Grant grant = takeNow(owner);
      if (grant == Grant.GRANTED) {
        return;
      }
      granted = enqueue(owner, grant);
    } finally {
      lock.unlock();
    }
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
  }

  /** Takes a slot, if one is free; while others wait, a free slot is theirs. */
  private Grant takeNow(Object owner) {
    return turns.isEmpty() || isFull(owner) ? quota.take(owner, 1) : Grant.FULL;
  }

  /** Adds a wait of the owner, which gets a turn when only the total is in the way. */
  private CountDownLatch enqueue(Object owner, Grant refused) {
    CountDownLatch granted = new CountDownLatch(1);
    waits.computeIfAbsent(owner, _ -> new ArrayDeque<>()).add(granted);
    if (refused == Grant.FULL) {
      turns.add(owner);
    }
    return granted;
  }

  /** Ends a wait; it may have been granted at the last moment. */
  private Grant giveUp(Object owner, CountDownLatch granted) {
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
  }

  public void release(Object owner) {
    lock.lock();
    try {
      quota.release(owner, 1);
      if (waits.containsKey(owner)) {
        turns.add(owner);
      }
      while (!turns.isEmpty() && grantTo(turns.getFirst())) {
        // as many as are free now
      }
    } finally {
      lock.unlock();
    }
  }

  /** Grants a slot to the first wait of an owner, which goes to the end; false if none is free. */
  private boolean grantTo(Object owner) {
    if (quota.take(owner, 1) != Grant.GRANTED) {
      return false;
    }
    Deque<CountDownLatch> own = Objects.requireNonNull(waits.get(owner));
    own.remove().countDown();
    turns.remove(owner);
    if (own.isEmpty()) {
      waits.remove(owner);
    } else if (!isFull(owner)) {
      turns.add(owner);
    }
    return true;
  }

  private boolean isFull(Object owner) {
    return quota.heldBy(owner) >= quota.ownerLimit();
  }
}
