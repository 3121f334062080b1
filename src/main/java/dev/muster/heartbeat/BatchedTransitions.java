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
 * Goes through the workspaces that a sweep is about in the order of their ids, a few a transaction
 * and with a rest in between. A batch that fails is counted, and those behind it are still tried.
 */
final class BatchedTransitions {

  /** Of the thousand that are allowed (R5.1), few enough for beats not to feel a batch. */
  static final int BATCH_SIZE = 50;

  private static final UUID LOWEST_ID = new UUID(0, 0);

  private final TransactionTemplate transactions;
  private final SweepMetrics metrics;

  BatchedTransitions(TransactionTemplate transactions, SweepMetrics metrics) {
    this.transactions = transactions;
    this.metrics = metrics;
  }

  /**
   * {@code dueFrom} finds the next ones from an id on, that one included if it is still due; {@code
   * move} runs in a transaction of its own and says how many it moved. Fails at once when the
   * database is away.
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
