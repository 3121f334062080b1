package dev.muster.platform.commit;

import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Bounds how many threads of this replica do some work at once; the others wait in turn. */
public final class WaitSlots {

  private final Semaphore slots;
  private final Duration timeout;
  private final String refusal;

  /**
   * @param timeout the longest wait for a slot; the request's deadline may end it earlier
   * @param refusal the text for a caller that gets no slot
   */
  public WaitSlots(int slots, Duration timeout, String refusal) {
    this.slots = new Semaphore(slots, true);
    this.timeout = timeout;
    this.refusal = refusal;
  }

  /** Runs the work in a slot; throws {@code UNAVAILABLE} when none is free in time. */
  public <T> T run(Supplier<T> work) {
    if (!acquire()) {
      throw ProblemException.unavailable(refusal);
    }
    try {
      return work.get();
    } finally {
      slots.release();
    }
  }

  private boolean acquire() {
    try {
      return slots.tryAcquire(
          RequestDeadline.cappingNanos(timeout.toNanos()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
