package dev.muster.runtime;

import dev.muster.platform.http.Quota;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.postgres.BatchLimits;
import dev.muster.platform.postgres.BatchOutcome;
import dev.muster.platform.postgres.BatchRetry;
import dev.muster.platform.postgres.CommitAwareTransactions;
import dev.muster.platform.postgres.GroupCommit;
import dev.muster.platform.work.BackgroundLoops;
import dev.muster.runtime.StreamWriter.EventSubmission;
import dev.muster.runtime.StreamWriter.SubmissionResult;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Service;

/**
 * Stores submitted runtime events with group commit.
 *
 * <p>A submission whose stream stays locked for {@code LOCK_TIMEOUT} waits for the lock in its own
 * transaction. At most {@code MAX_LOCK_WAITERS} submissions per replica do so.
 */
@Service
class RuntimeEventIngest {

  private static final long MAX_BATCH_BYTES = 4L << 20;
  private static final Duration LOCK_TIMEOUT = Duration.ofMillis(500);

  /** Together with the waits before it, this stays below the 5 s of R0.6. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  private static final int MAX_LOCK_WAITERS = 3;

  private final StreamWriter writer;
  private final CommitAwareTransactions transactions;
  private final CommitAwareTransactions boundedTransactions;
  private final Quota lockWaiters = new Quota(MAX_LOCK_WAITERS);
  private final GroupCommit<EventSubmission, SubmissionResult> commits;

  RuntimeEventIngest(
      StreamWriter writer,
      CommitAwareTransactions transactions,
      MeterRegistry metrics,
      BackgroundLoops loops) {
    this.writer = writer;
    this.transactions = transactions;
    this.boundedTransactions = transactions.withTimeout(MAX_WAIT);
    this.commits =
        new GroupCommit<>(
            "runtime",
            EventSubmission::workspaceId,
            BatchLimits.byWeight(EventSubmission::size, MAX_BATCH_BYTES),
            this::commit,
            loops,
            metrics);
  }

  /**
   * Returns after the commit.
   *
   * <p>Throws {@code UNAVAILABLE} when the commit does not happen in time or its outcome is
   * unknown.
   */
  SubmissionResult add(EventSubmission submission) {
    return commits
        .submitUnlessLockedFor(LOCK_TIMEOUT, submission)
        .orElseGet(() -> addBlocking(submission));
  }

  private List<BatchOutcome<SubmissionResult>> commit(List<EventSubmission> batch) {
    return BatchRetry.run(
        batch, posts -> transactions.run(() -> writer.writeSkippingLocked(posts)));
  }

  private SubmissionResult addBlocking(EventSubmission submission) {
    List<BatchOutcome<SubmissionResult>> outcomes =
        lockWaiters.run(
            RequestOwner.current(),
            MAX_WAIT,
            "too many posts wait for their streams; try again in a few seconds",
            () ->
                BatchRetry.run(
                    List.of(submission),
                    posts -> boundedTransactions.run(() -> writer.write(posts))));
    return switch (outcomes.getFirst()) {
      case BatchOutcome.Done<SubmissionResult>(SubmissionResult result) -> result;
      case BatchOutcome.Locked<SubmissionResult>() ->
          throw new IllegalStateException("what waits for its stream cannot find it busy");
      case BatchOutcome.Failed<SubmissionResult>(RuntimeException cause) -> throw cause;
    };
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}
