package dev.muster.platform.commit;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One caller and its value, from submission to outcome; a node of the lock-free stack that callers
 * push onto.
 */
final class PendingSubmission<T, R> {

  final T value;
  final Object key;
  final long weight;

  /** What its commit takes along. */
  final @Nullable CommitAttachment rider = CommitAttachment.waiting();

  private final long timeoutNanos;
  private final long lockTimeoutNanos;
  private final long submittedAt = System.nanoTime();
  @Nullable PendingSubmission<T, R> next;

  private final Thread caller = Thread.currentThread();
  private final AtomicReference<@Nullable BatchOutcome<R>> outcome = new AtomicReference<>();

  /** With how long it waits at most, and how long for a row that is busy. */
  PendingSubmission(T value, Object key, long weight, long timeoutNanos, long lockTimeoutNanos) {
    this.timeoutNanos = timeoutNanos;
    this.lockTimeoutNanos = lockTimeoutNanos;
    this.value = value;
    this.key = key;
    this.weight = weight;
  }

  /** The first completion counts. */
  void complete(BatchOutcome<R> result) {
    if (outcome.compareAndSet(null, result)) {
      LockSupport.unpark(caller);
    }
  }

  /** When it has waited for all of its time. */
  void completeIfOverdue(long now, Supplier<BatchOutcome<R>> result) {
    if (now - submittedAt > timeoutNanos) {
      complete(result.get());
    }
  }

  /** Whether it has waited long enough for a row that is busy. */
  boolean isOverdue() {
    return System.nanoTime() - submittedAt > lockTimeoutNanos;
  }

  boolean isComplete() {
    return outcome.get() != null;
  }

  /**
   * Parks untimed: a timed park of a virtual thread costs a scheduled task; the committer's watch
   * bounds the wait.
   */
  BatchOutcome<R> await() {
    boolean interrupted = false;
    @Nullable BatchOutcome<R> result;
    while ((result = outcome.get()) == null) {
      LockSupport.park(this);
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return result;
  }
}
