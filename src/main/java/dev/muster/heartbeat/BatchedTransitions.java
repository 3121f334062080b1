package dev.muster.heartbeat;

import dev.muster.platform.work.FailingUnits;
import dev.muster.platform.work.SweepMetrics;
import dev.muster.platform.work.SweepThrottle;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs a sweep's status transitions in id order, one batch per transaction.
 *
 * <p>It pauses between batches. A workspace that fails by itself delays no other.
 */
final class BatchedTransitions {

  /** Below the 1,000 that R5.1 allows, so that a batch does not delay heartbeats. */
  static final int BATCH_SIZE = 50;

  private static final UUID LOWEST_ID = new UUID(0, 0);

  /**
   * The result of a sweep's batches.
   *
   * @param failed workspaces that failed by themselves, or wait since they did
   */
  record TransitionSummary(int moved, int batches, int failed) {

    static final TransitionSummary NONE = new TransitionSummary(0, 0, 0);
  }

  private final TransactionTemplate transactions;
  private final SweepMetrics metrics;
  private final FailingUnits failing;

  BatchedTransitions(TransactionTemplate transactions, SweepMetrics metrics, FailingUnits failing) {
    this.transactions = transactions;
    this.metrics = metrics;
    this.failing = failing;
  }

  /**
   * Runs all batches and returns their summary; throws at once on a database outage.
   *
   * @param findDue returns the next due ids from an id on, that id included if it is still due
   * @param move runs in its own transaction and returns how many workspaces changed
   */
  TransitionSummary run(Function<UUID, List<UUID>> findDue, ToIntFunction<List<UUID>> move) {
    AtomicInteger moved = new AtomicInteger();
    int batches = 0;
    Set<UUID> failed = new HashSet<>();
    List<UUID> due = findDue.apply(LOWEST_ID);
    while (!due.isEmpty()) {
      List<UUID> batch = due;
      batches++;
      long start = System.nanoTime();
      failing.runAll(
          batch,
          id -> id,
          some -> {
            int movedNow = transactions.execute(status -> move.applyAsInt(some));
            metrics.countTransitions(movedNow);
            moved.addAndGet(movedNow);
          });
      batch.stream()
          .filter(failing::isDelayed)
          .filter(failed::add)
          .forEach(id -> metrics.countError());
      boolean last = batch.size() < BATCH_SIZE;
      if (!last) {
        SweepThrottle.pauseAfter(System.nanoTime() - start);
      }
      due = last ? List.of() : findDue.apply(batch.getLast());
    }
    return new TransitionSummary(moved.get(), batches, failed.size());
  }
}
