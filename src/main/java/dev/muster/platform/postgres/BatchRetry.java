package dev.muster.platform.postgres;

import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.problem.DatabaseOutage;
import dev.muster.platform.work.FailingUnits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * Runs all-or-nothing work over a batch, with retries and splits.
 *
 * <p>A failure that is no outage of the database splits the batch in halves, so that a bad value
 * fails alone. Deadlocks and serialization failures are retried, 4 attempts in all. An outage fails
 * the whole batch.
 */
public final class BatchRetry {

  private static final Set<String> WORTH_ANOTHER_TRY = Set.of("40P01", "40001");
  private static final int TRIES = 4;

  /** Commits a batch and returns one outcome per value, in the order of the values. */
  @FunctionalInterface
  public interface BatchHandler<T, R> {

    List<BatchOutcome<R>> commit(List<T> batch);
  }

  private BatchRetry() {}

  /**
   * Runs {@code work}, which must commit all of its values or, when it throws, none. With them it
   * commits their attachments.
   *
   * <p>An unknown commit outcome fails the whole batch without a retry.
   */
  public static <T, R> List<BatchOutcome<R>> run(List<T> values, BatchHandler<T, R> work) {
    for (int attempt = 1; ; attempt++) {
      CommitAttachment.bindThoseOf(values);
      try {
        return work.commit(values);
      } catch (UnknownCommitOutcomeException e) {
        return allFailed(values, e);
      } catch (RuntimeException e) {
        if (values.size() > 1 && !FailingUnits.isOutage(e)) {
          return halves(values, work);
        }
        if (attempt == TRIES || !WORTH_ANOTHER_TRY.contains(DatabaseOutage.sqlState(e))) {
          return allFailed(values, e);
        }
      }
    }
  }

  private static <T, R> List<BatchOutcome<R>> halves(List<T> values, BatchHandler<T, R> work) {
    int middle = values.size() / 2;
    List<BatchOutcome<R>> outcomes = new ArrayList<>(run(values.subList(0, middle), work));
    outcomes.addAll(run(values.subList(middle, values.size()), work));
    return outcomes;
  }

  private static <T, R> List<BatchOutcome<R>> allFailed(List<T> values, RuntimeException cause) {
    return Collections.nCopies(values.size(), new BatchOutcome.Failed<>(cause));
  }
}
