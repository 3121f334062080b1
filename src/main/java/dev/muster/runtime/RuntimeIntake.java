package dev.muster.runtime;

import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.BatchLimits;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.GroupCommit;
import dev.muster.platform.commit.Outcome;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.problem.ProblemException;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Service;

/**
 * Takes in what sandboxes say. Posts share their commits; one to a stream that another replica
 * holds whenever we look waits in line for it.
 */
@Service
class RuntimeIntake {

  private static final long LARGEST_BATCH = 4L << 20;
  private static final Duration BUSY_PATIENCE = Duration.ofMillis(500);

  /** With the waits before it, below the 5 s of R0.6. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  private static final int MOST_WAITING_FOR_LOCKS = 3;

  private final StreamWriter writer;
  private final CertainTransactions transactions;
  private final CertainTransactions patient;
  private final Semaphore turns = new Semaphore(MOST_WAITING_FOR_LOCKS, true);
  private final GroupCommit<Post, PostResult> commits;

  RuntimeIntake(StreamWriter writer, CertainTransactions transactions, MeterRegistry metrics) {
    this.writer = writer;
    this.transactions = transactions;
    this.patient = transactions.noLongerThan(LONGEST_WAIT);
    this.commits =
        new GroupCommit<>(
            "runtime",
            Post::workspaceId,
            BatchLimits.byWeight(Post::size, LARGEST_BATCH),
            this::commit,
            metrics);
  }

  /**
   * Returns after the commit; throws {@code UNAVAILABLE} when it cannot be had, or known, in time.
   */
  PostResult add(Post post) {
    return commits.submitUnlessBusyFor(BUSY_PATIENCE, post).orElseGet(() -> addPatiently(post));
  }

  private List<Outcome<PostResult>> commit(List<Post> batch) {
    return BatchAttempts.run(batch, posts -> transactions.run(() -> writer.writeUnlessBusy(posts)));
  }

  private PostResult addPatiently(Post post) {
    if (!isOurTurn()) {
      throw ProblemException.unavailable(
          "too many posts wait for their streams; try again in a few seconds");
    }
    try {
      List<Outcome<PostResult>> outcomes =
          BatchAttempts.run(List.of(post), posts -> patient.run(() -> writer.write(posts)));
      return switch (outcomes.getFirst()) {
        case Outcome.Done<PostResult>(PostResult result) -> result;
        case Outcome.Busy<PostResult>() ->
            throw new IllegalStateException("what waits for its stream cannot find it busy");
        case Outcome.Failed<PostResult>(RuntimeException cause) -> throw cause;
      };
    } finally {
      turns.release();
    }
  }

  private boolean isOurTurn() {
    try {
      return turns.tryAcquire(
          RequestDeadline.cappingNanos(LONGEST_WAIT.toNanos()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @PreDestroy
  void close() {
    commits.close();
  }
}
