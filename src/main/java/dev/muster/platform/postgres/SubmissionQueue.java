package dev.muster.platform.postgres;

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
 * Holds the submissions without an outcome, oldest first.
 *
 * <p>Callers push onto a lock-free stack; a committer moves the stack into the queue. The watch
 * loop reads both. Several committers may take batches. All values of a key are in one running
 * batch at a time, which keeps their order.
 */
final class SubmissionQueue<T, R> {

  private final BatchLimits<T> limits;
  private final AtomicReference<@Nullable PendingSubmission<T, R>> submitted =
      new AtomicReference<>();

  /** Taken from the stack, without an outcome; shared by the committers and the watch loop. */
  private final List<PendingSubmission<T, R>> waiting = new ArrayList<>();

  /** Keys of the running batches; guarded by {@link #waiting}. */
  private final Set<Object> keysUnderWay = new HashSet<>();

  /** Keys whose rows were locked in the last batch; guarded by {@link #waiting}. */
  private final Set<Object> busyKeys = new HashSet<>();

  SubmissionQueue(BatchLimits<T> limits) {
    this.limits = limits;
  }

  /** Returns true for the first submission since the last drain; the committers may then wait. */
  boolean push(PendingSubmission<T, R> submission) {
    @Nullable PendingSubmission<T, R> head;
    do {
      head = submitted.get();
      submission.next = head;
    } while (!submitted.compareAndSet(head, submission));
    return head == null;
  }

  /**
   * Returns the next batch, oldest values first.
   *
   * <p>Its values stay in the queue until they have an outcome. No other committer gets any of
   * their keys before {@link #ended}.
   *
   * <p>Keys that were locked in the last batch go last in this one, and have their old place in the
   * next. Otherwise the values of one locked row could fill every batch.
   */
  List<PendingSubmission<T, R>> nextBatch() {
    BatchBuilder<T, R> batch = new BatchBuilder<>(limits);
    synchronized (waiting) {
      waiting.addAll(takeSubmitted());
      waiting.removeIf(PendingSubmission::isComplete);
      boolean allFit = fill(batch, false);
      if (allFit && !busyKeys.isEmpty()) {
        fill(batch, true);
      }
      busyKeys.clear();
      batch.chosen().forEach(submission -> keysUnderWay.add(submission.key));
    }
    return batch.chosen();
  }

  /** Releases the keys of a batch; values without an outcome, such as {@code busy}, stay queued. */
  void ended(List<PendingSubmission<T, R>> batch, List<PendingSubmission<T, R>> busy) {
    synchronized (waiting) {
      batch.forEach(submission -> keysUnderWay.remove(submission.key));
      busy.forEach(submission -> busyKeys.add(submission.key));
    }
  }

  /** Completes every overdue submission with this outcome. */
  void failOverdue(Supplier<BatchOutcome<R>> outcome) {
    long now = System.nanoTime();
    forEach(submission -> submission.completeIfOverdue(now, outcome));
  }

  /** Completes every submission with this outcome. */
  void failAll(Supplier<BatchOutcome<R>> outcome) {
    forEach(submission -> submission.complete(outcome.get()));
  }

  /** May miss a submission that is pushed meanwhile; the next call finds it. */
  private void forEach(Consumer<PendingSubmission<T, R>> action) {
    synchronized (waiting) {
      waiting.forEach(action);
    }
    for (@Nullable PendingSubmission<T, R> submission = submitted.get();
        submission != null;
        submission = submission.next) {
      action.accept(submission);
    }
  }

  /** Returns whether the batch may take more values. */
  private boolean fill(BatchBuilder<T, R> batch, boolean withBusyKeys) {
    for (PendingSubmission<T, R> submission : waiting) {
      if (!isIn(keysUnderWay, submission)
          && isIn(busyKeys, submission) == withBusyKeys
          && !batch.offer(submission)) {
        return false;
      }
    }
    return true;
  }

  /** Skips the look-up in an empty set, the usual case: thousands of values may be queued. */
  private static boolean isIn(Set<Object> keys, PendingSubmission<?, ?> submission) {
    return !keys.isEmpty() && keys.contains(submission.key);
  }

  private List<PendingSubmission<T, R>> takeSubmitted() {
    List<PendingSubmission<T, R>> taken = new ArrayList<>();
    @Nullable PendingSubmission<T, R> newest = submitted.getAndSet(null);
    for (@Nullable PendingSubmission<T, R> submission = newest;
        submission != null;
        submission = submission.next) {
      taken.add(submission);
    }
    Collections.reverse(taken);
    return taken;
  }

  /** Selects queued values for one batch, in queue order, until one does not fit. */
  private static final class BatchBuilder<T, R> {

    static final int MAX_VALUES = 256;

    private final BatchLimits<T> limits;
    private final List<PendingSubmission<T, R>> chosen = new ArrayList<>();
    private final Set<Object> keys = new HashSet<>();
    private long weight;

    BatchBuilder(BatchLimits<T> limits) {
      this.limits = limits;
    }

    /**
     * Adds a value, or skips it when its key allows only one value per batch.
     *
     * <p>Returns false when the value does not fit. The caller must then offer no later value: a
     * light value would overtake a heavy one of the same key.
     */
    boolean offer(PendingSubmission<T, R> submission) {
      if (!limits.manyOfAKey() && keys.contains(submission.key)) {
        return true;
      }
      if (!fits(submission)) {
        return false;
      }
      keys.add(submission.key);
      chosen.add(submission);
      weight += submission.weight;
      return true;
    }

    List<PendingSubmission<T, R>> chosen() {
      return chosen;
    }

    private boolean fits(PendingSubmission<T, R> submission) {
      return chosen.isEmpty()
          || (chosen.size() < MAX_VALUES && submission.weight <= limits.mostWeight() - weight);
    }
  }
}
