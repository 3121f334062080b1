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
 * Appends rows each in a transaction of its own that waits for its feed: large ones, for which the
 * others of a batch would have to wait, and those of feeds that are never free when a batch looks,
 * since others wait for them in line. A few at a time, for the memory and connections they take.
 */
@Component
class PatientAppends {

  private static final int AT_ONCE = 4;
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private final FeedWriter writer;
  private final CertainTransactions transactions;
  private final Semaphore turns = new Semaphore(AT_ONCE, true);

  PatientAppends(FeedWriter writer, CertainTransactions transactions) {
    this.writer = writer;
    this.transactions = transactions;
  }

  /** Returns after the commit; refuses with {@code UNAVAILABLE} when too many wait. */
  Appended append(NewActivity row) {
    if (!isOurTurn()) {
      throw ProblemException.unavailable(
          "too many rows wait for their feeds; try again in a few seconds");
    }
    try {
      return switch (BatchAttempts.run(List.of(row), this::commit).getFirst()) {
        case Outcome.Done<Appended>(Appended result) -> result;
        case Outcome.Busy<Appended>() ->
            throw new IllegalStateException("a row that waits for its feed cannot find it busy");
        case Outcome.Failed<Appended>(RuntimeException cause) -> throw cause;
      };
    } finally {
      turns.release();
    }
  }

  private List<Outcome<Appended>> commit(List<NewActivity> rows) {
    return transactions.run(
        () -> writer.append(rows).stream().<Outcome<Appended>>map(Outcome.Done::new).toList());
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
