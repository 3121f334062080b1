package dev.muster.platform.postgres;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Holds one caller's value from submission to outcome.
 *
 * <p>Also a node of the lock-free stack that callers push onto.
 */
final class PendingSubmission<T, R> {

  final T value;
  final Object key;
  final long weight;

  /** The attachment that commits with this value; null without one. */
  final @Nullable CommitAttachment attachment = CommitAttachment.waiting();

  private final long timeoutNanos;
  private final long lockTimeoutNanos;
  private final long submittedAt = System.nanoTime();
  @Nullable PendingSubmission<T, R> next;

  private final Thread caller = Thread.currentThread();
  private final AtomicReference<@Nullable BatchOutcome<R>> outcome = new AtomicReference<>();

  /**
   * Creates a submission that waits at most {@code timeoutNanos}, and {@code lockTimeoutNanos} for
   * a locked row.
   */
  PendingSubmission(T value, Object key, long weight, long timeoutNanos, long lockTimeoutNanos) {
    this.timeoutNanos = timeoutNanos;
    this.lockTimeoutNanos = lockTimeoutNanos;
    this.value = value;
    this.key = key;
    this.weight = weight;
  }

  /** Sets the outcome and wakes the caller; later completions are ignored. */
  void complete(BatchOutcome<R> result) {
    if (outcome.compareAndSet(null, result)) {
      LockSupport.unpark(caller);
    }
  }

  /** Completes the submission if its timeout has passed. */
  void completeIfOverdue(long now, Supplier<BatchOutcome<R>> result) {
    if (now - submittedAt > timeoutNanos) {
      complete(result.get());
    }
  }

  /** Returns whether the timeout for a locked row has passed. */
  boolean lockTimeoutIsOver() {
    return System.nanoTime() - submittedAt > lockTimeoutNanos;
  }

  boolean isComplete() {
    return outcome.get() != null;
  }

  /**
   * Waits for the outcome, with an untimed park.
   *
   * <p>A timed park of a virtual thread costs a scheduled task; the watch loop of the group commit
   * bounds the wait instead.
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
