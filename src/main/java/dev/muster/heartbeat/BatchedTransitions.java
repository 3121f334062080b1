package dev.muster.heartbeat;

import dev.muster.platform.jobs.SweepMetrics;
import dev.muster.platform.jobs.SweepThrottle;
import dev.muster.platform.problem.DatabaseOutage;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs a sweep's status transitions in id order, one batch per transaction.
 *
 * <p>It pauses between batches. It counts a failed batch and continues with the next.
 */
final class BatchedTransitions {

  /** Below the 1,000 that R5.1 allows, so that a batch does not delay heartbeats. */
  static final int BATCH_SIZE = 50;

  private static final UUID LOWEST_ID = new UUID(0, 0);

  /**
   * The result of a sweep's batches.
   *
   * @param firstFailure null unless a batch failed; the next sweep retries the workspaces of failed
   *     batches
   */
  record TransitionSummary(
      int moved, int batches, int failedBatches, @Nullable RuntimeException firstFailure) {

    static final TransitionSummary NONE = new TransitionSummary(0, 0, 0, null);

    void throwIfABatchFailed() {
      if (firstFailure != null) {
        throw new IllegalStateException(
            "%d of %d batches failed: %s".formatted(failedBatches, batches, firstFailure),
            firstFailure);
      }
    }
  }

  private final TransactionTemplate transactions;
  private final SweepMetrics metrics;

  BatchedTransitions(TransactionTemplate transactions, SweepMetrics metrics) {
    this.transactions = transactions;
    this.metrics = metrics;
  }

  /**
   * Runs all batches and returns their summary; throws at once on a database outage.
   *
   * @param findDue returns the next due ids from an id on, that id included if it is still due
   * @param move runs in its own transaction and returns how many workspaces changed
   */
  TransitionSummary run(Function<UUID, List<UUID>> findDue, ToIntFunction<List<UUID>> move) {
    int moved = 0;
    int batches = 0;
    int failed = 0;
    @Nullable RuntimeException firstFailure = null;
    List<UUID> due = findDue.apply(LOWEST_ID);
    while (!due.isEmpty()) {
      List<UUID> batch = due;
      batches++;
      long start = System.nanoTime();
      try {
        int movedNow = transactions.execute(status -> move.applyAsInt(batch));
        metrics.countTransitions(movedNow);
        moved += movedNow;
      } catch (RuntimeException e) {
        if (DatabaseOutage.is(e)) {
          throw e;
        }
        metrics.countError();
        failed++;
        firstFailure = firstFailure == null ? e : firstFailure;
      }
      boolean last = batch.size() < BATCH_SIZE;
      if (!last) {
        SweepThrottle.pauseAfter(System.nanoTime() - start);
      }
      due = last ? List.of() : findDue.apply(batch.getLast());
    }
    return new TransitionSummary(moved, batches, failed, firstFailure);
  }
}
