package dev.muster.platform.commit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for an outcome, oldest first. Callers push onto a lock-free stack, which a
 * committer turns over into the line; the watch looks at both. Several committers may take batches
 * from it: the values of a key are in one of them at a time, so that they keep their order.
 */
final class SubmissionQueue<T, R> {

  private final BatchLimits<T> limits;
  private final AtomicReference<@Nullable PendingSubmission<T, R>> submitted =
      new AtomicReference<>();

  /** Taken from the stack and without an outcome; committers and the watch share it. */
  private final List<PendingSubmission<T, R>> waiting = new ArrayList<>();

  /** Of batches that were taken and have not ended; guarded by {@link #waiting}. */
  private final Set<Object> keysUnderWay = new HashSet<>();

  /** Of the last batch; guarded by {@link #waiting}. */
  private final Set<Object> busyKeys = new HashSet<>();

  SubmissionQueue(BatchLimits<T> limits) {
    this.limits = limits;
  }

  /** Whether it is the first since a committer last looked; all of them may be asleep. */
  boolean push(PendingSubmission<T, R> waiter) {
    @Nullable PendingSubmission<T, R> head;
    do {
      head = submitted.get();
      waiter.next = head;
    } while (!submitted.compareAndSet(head, waiter));
    return head == null;
  }

  /**
   * The oldest waiting values; they stay in the line until they have an outcome, and nobody else
   * gets any of their keys before {@link #ended}. Those of a key that was busy in the last batch
   * let all others go first, else the values of one locked row could be all that every batch has
   * room for; in the batch after that they have their old place.
   */
  List<PendingSubmission<T, R>> nextBatch() {
    BatchBuilder<T, R> batch = new BatchBuilder<>(limits);
    synchronized (waiting) {
      waiting.addAll(takeSubmitted());
      waiting.removeIf(PendingSubmission::isComplete);
      boolean room = fill(batch, false);
      if (room && !busyKeys.isEmpty()) {
        fill(batch, true);
      }
      busyKeys.clear();
      batch.chosen().forEach(waiter -> keysUnderWay.add(waiter.key));
    }
    return batch.chosen();
  }

  /** What has no outcome yet, as those that were found {@code busy}, stays in the line. */
  void ended(List<PendingSubmission<T, R>> batch, List<PendingSubmission<T, R>> busy) {
    synchronized (waiting) {
      batch.forEach(waiter -> keysUnderWay.remove(waiter.key));
      busy.forEach(waiter -> busyKeys.add(waiter.key));
    }
  }

  /** Tells this outcome to those who have waited for all of their time. */
  void failOverdue(Supplier<BatchOutcome<R>> outcome) {
    long now = System.nanoTime();
    forEach(waiter -> waiter.completeIfOverdue(now, outcome));
  }

  /** Tells this outcome to all. */
  void failAll(Supplier<BatchOutcome<R>> outcome) {
    forEach(waiter -> waiter.complete(outcome.get()));
  }

  /** Whoever is submitted while this runs may be missed, and is met the next time. */
  private void forEach(Consumer<PendingSubmission<T, R>> action) {
    synchronized (waiting) {
      waiting.forEach(action);
    }
    for (@Nullable PendingSubmission<T, R> waiter = submitted.get();
        waiter != null;
        waiter = waiter.next) {
      action.accept(waiter);
    }
  }

  /** Whether there may be room for more. */
  private boolean fill(BatchBuilder<T, R> batch, boolean withBusyKeys) {
    for (PendingSubmission<T, R> waiter : waiting) {
      if (!isIn(keysUnderWay, waiter)
          && isIn(busyKeys, waiter) == withBusyKeys
          && !batch.offer(waiter)) {
        return false;
      }
    }
    return true;
  }

  /** Nearly always nothing is, and then thousands that wait are gone through without a look-up. */
  private static boolean isIn(Set<Object> keys, PendingSubmission<?, ?> waiter) {
    return !keys.isEmpty() && keys.contains(waiter.key);
  }

  private List<PendingSubmission<T, R>> takeSubmitted() {
    List<PendingSubmission<T, R>> taken = new ArrayList<>();
    @Nullable PendingSubmission<T, R> newest = submitted.getAndSet(null);
    for (@Nullable PendingSubmission<T, R> waiter = newest; waiter != null; waiter = waiter.next) {
      taken.add(waiter);
    }
    Collections.reverse(taken);
    return taken;
  }
}
