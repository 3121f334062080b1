package dev.muster.protocol.client;

import java.io.InterruptedIOException;

/**
 * The memory that one response holds of a {@link ResponseMemoryBudget}.
 *
 * <p>Its owner closes it; closing it again has no effect.
 */
public final class ResponseMemoryAllocation implements AutoCloseable {

  private final ResponseMemoryBudget budget;
  private final Object target;
  private final Object sender;

  // guarded by this
  private long held;

  ResponseMemoryAllocation(ResponseMemoryBudget budget, Object target, Object sender) {
    this.budget = budget;
    this.target = target;
    this.sender = sender;
  }

  Object target() {
    return target;
  }

  Object sender() {
    return sender;
  }

  /** Starts the rate check of a response that takes counted memory. */
  ResponseRate pace() {
    return budget.pace();
  }

  /**
   * Waits until the budget grants {@code bytes} in addition to those already held.
   *
   * @throws InterruptedIOException at the deadline, or when the thread is interrupted; its flag
   *     stays set
   */
  void take(long bytes, Deadline deadline) throws InterruptedIOException {
    budget.take(this, held(), bytes, deadline);
    hold(bytes);
  }

  private synchronized long held() {
    return held;
  }

  private synchronized void hold(long bytes) {
    held += bytes;
  }

  /** Releases the memory of a response that is not needed, before the next attempt. */
  public void clear() {
    long all;
    synchronized (this) {
      all = held;
      held = 0;
    }
    if (all > 0) {
      budget.release(this, all);
    }
  }

  @Override
  public void close() {
    clear();
  }
}
