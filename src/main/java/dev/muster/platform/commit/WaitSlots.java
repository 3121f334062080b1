package dev.muster.platform.commit;

import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.quota.Owner;
import dev.muster.platform.quota.Quota;
import dev.muster.platform.quota.Slots;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Bounds how many threads of this replica do some work at once; the others wait in turns by owner.
 * One owner has half of the slots, and at least one.
 */
public final class WaitSlots {

  private final Slots slots;
  private final Duration timeout;
  private final String refusal;

  /**
   * @param timeout the longest wait for a slot; the request's deadline may end it earlier
   * @param refusal the text for a caller that gets no slot
   */
  public WaitSlots(int slots, Duration timeout, String refusal) {
    this.slots = new Slots(new Quota(slots, Math.max(1, slots / 2)));
    this.timeout = timeout;
    this.refusal = refusal;
  }

  /** Runs the work in a slot; throws {@code UNAVAILABLE} when the owner gets none in time. */
  public <T> T run(Owner owner, Supplier<T> work) {
    if (!acquire(owner)) {
      throw ProblemException.unavailable(refusal);
    }
    try {
      return work.get();
    } finally {
      slots.release(owner);
    }
  }

  private boolean acquire(Owner owner) {
    try {
      return slots.tryTake(owner, RequestDeadline.capping(timeout)) == Quota.Grant.GRANTED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
