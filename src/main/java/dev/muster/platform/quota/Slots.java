package dev.muster.platform.quota;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Hands out single slots of a {@link Quota}, with a bounded wait for one. */
public final class Slots {

  private final Quota quota;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition someEnded = lock.newCondition();

  public Slots(Quota quota) {
    this.quota = quota;
  }

  /**
   * Waits up to {@code atMost} for a slot; returns true if the owner got one.
   *
   * <p>The owner must release that slot.
   */
  public boolean tryTake(Object owner, Duration atMost) throws InterruptedException {
    long left = atMost.toNanos();
    lock.lockInterruptibly();
    try {
      while (quota.take(owner, 1) != Quota.Grant.GRANTED) {
        if (left <= 0) {
          return false;
        }
        left = someEnded.awaitNanos(left);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  public void release(Object owner) {
    lock.lock();
    try {
      quota.release(owner, 1);
      someEnded.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
