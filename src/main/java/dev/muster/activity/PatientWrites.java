package dev.muster.activity;

import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.Outcome;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Writes into feeds, each change in a transaction of its own that waits for its feed: large ones,
 * for which the others of a batch would have to wait, and those of feeds that are never free when a
 * batch looks, since others wait for them in line. A few at a time, for the memory and connections
 * they take.
 */
@Component
class PatientWrites {

  private static final int AT_ONCE = 4;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  /** With the waits before it, below the 5 s of R0.6. */
  private static final Duration LONGEST_TRANSACTION = Duration.ofSeconds(2);

  private final FeedWriter writer;
  private final CertainTransactions transactions;
  private final Semaphore turns = new Semaphore(AT_ONCE, true);

  PatientWrites(FeedWriter writer, CertainTransactions transactions) {
    this.writer = writer;
    this.transactions = transactions.noLongerThan(LONGEST_TRANSACTION);
  }

  /** Returns after the commit; refuses with {@code UNAVAILABLE} when too many wait. */
  FeedResult write(FeedChange change) {
    if (!isOurTurn()) {
      throw ProblemException.unavailable(
          "too many rows wait for their feeds; try again in a few seconds");
    }
    try {
      return switch (BatchAttempts.run(List.of(change), this::commit).getFirst()) {
        case Outcome.Done<FeedResult>(FeedResult result) -> result;
        case Outcome.Busy<FeedResult>() ->
            throw new IllegalStateException("what waits for its feed cannot find it busy");
        case Outcome.Failed<FeedResult>(RuntimeException cause) -> throw cause;
      };
    } finally {
      turns.release();
    }
  }

  private List<Outcome<FeedResult>> commit(List<FeedChange> changes) {
    return transactions.run(
        () -> writer.write(changes).stream().<Outcome<FeedResult>>map(Outcome.Done::new).toList());
  }

  private boolean isOurTurn() {
    try {
      return turns.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
