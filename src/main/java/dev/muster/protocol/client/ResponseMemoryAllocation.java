package dev.muster.protocol.client;

/**
 * What one answer has of an {@link ResponseMemoryBudget}; its owner closes it, once or more often.
 */
public final class ResponseMemoryAllocation implements AutoCloseable {

  private final ResponseMemoryBudget budget;
  private final Object target;
  private final Object sender;

  // guarded by this
  private long held;
  private boolean closed;

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

  /** Of an answer that begins to be counted. */
  ResponseRate pace() {
    return budget.pace();
  }

  /** Waits for room; {@code bytes} are beyond what it has. */
  void take(long bytes) throws InterruptedException {
    budget.take(this, held(), bytes);
    if (!keep(bytes)) {
      budget.giveBack(this, bytes);
      throw new InterruptedException("nobody needs the answer any more");
    }
  }

  private synchronized long held() {
    return held;
  }

  private synchronized boolean keep(long bytes) {
    if (!closed) {
      held += bytes;
    }
    return !closed;
  }

  /** Of an answer that was not read to its end; there may be another. */
  void clear() {
    long all;
    synchronized (this) {
      all = held;
      held = 0;
    }
    if (all > 0) {
      budget.giveBack(this, all);
    }
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    clear();
  }
}
