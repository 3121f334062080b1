package dev.muster.platform.postgres;

import dev.muster.platform.log.LimitedLog;
import dev.muster.platform.postgres.BatchRetry.BatchHandler;
import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import dev.muster.platform.problem.DatabaseOutage;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.Level;

/** Runs the batches of a group commit, measures them, and remembers outages of the database. */
final class BatchRunner<T, R> {

  private static final LimitedLog log = new LimitedLog(GroupCommit.class);

  private final BatchHandler<T, R> work;
  private final DistributionSummary batchSize;
  private final Timer batchTime;

  /** The {@code System.nanoTime()} of the last outage; null once a later batch has committed. */
  private volatile @Nullable Long failedAt;

  BatchRunner(String name, BatchHandler<T, R> work, MeterRegistry metrics) {
    this.work = work;
    this.batchSize =
        DistributionSummary.builder("muster.commit.batch.size")
            .description("Requests that shared a commit")
            .tag("name", name)
            .register(metrics);
    this.batchTime =
        Timer.builder("muster.commit.batch")
            .description("How long shared commits took")
            .tag("name", name)
            .register(metrics);
  }

  /**
   * Commits a batch; returns one outcome for each of its submissions. Never throws an exception.
   */
  List<BatchOutcome<R>> run(List<PendingSubmission<T, R>> batch) {
    long start = System.nanoTime();
    List<BatchOutcome<R>> outcomes = outcomesOf(batch);
    batchTime.record(Duration.ofNanos(System.nanoTime() - start));
    batchSize.record(batch.size());
    remember(outcomes);
    return outcomes;
  }

  /**
   * Returns whether the last batch failed within {@code memory}, because of the database.
   *
   * <p>Older failures are ignored: without new heartbeats no batch would ever clear the failure.
   */
  boolean failedWithin(Duration memory) {
    @Nullable Long failed = failedAt;
    return failed != null && System.nanoTime() - failed <= memory.toNanos();
  }

  /**
   * Ignores failures caused by a value itself, and locked rows: neither says the database is down.
   */
  private void remember(List<BatchOutcome<R>> outcomes) {
    if (outcomes.stream().anyMatch(BatchRunner::isOutage)) {
      failedAt = System.nanoTime();
    } else if (outcomes.stream().anyMatch(BatchOutcome.Done.class::isInstance)) {
      failedAt = null;
    }
  }

  private static boolean isOutage(BatchOutcome<?> outcome) {
    return outcome instanceof BatchOutcome.Failed<?>(RuntimeException cause)
        && (DatabaseOutage.is(cause) || cause instanceof UnknownCommitOutcomeException);
  }

  private List<BatchOutcome<R>> outcomesOf(List<PendingSubmission<T, R>> batch) {
    try {
      List<T> values = new ArrayList<>(batch.size());
      batch.forEach(submission -> values.add(submission.value));
      List<BatchOutcome<R>> outcomes = CommitAttachment.withBatch(batch, () -> work.commit(values));
      if (outcomes.size() != batch.size()) {
        throw new IllegalStateException(
            outcomes.size() + " outcomes for " + batch.size() + " values indicate a bug");
      }
      return outcomes;
    } catch (RuntimeException e) {
      if (!DatabaseOutage.is(e)) {
        log.log(Level.ERROR, "a batch failed", e);
      }
      return Collections.nCopies(batch.size(), new BatchOutcome.Failed<>(e));
    }
  }
}
