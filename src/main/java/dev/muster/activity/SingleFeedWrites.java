package dev.muster.activity;

import dev.muster.platform.commit.CommitAwareTransactions;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.postgres.StatementTimeouts;
import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/**
 * Appends rows one by one, each in a transaction of its own that waits for its feed: large ones,
 * for which the others of a batch would have to wait, those of feeds that are never free when a
 * batch looks, and those of feeds that seem full. A few at a time, for the memory and connections
 * they take.
 */
@Component
class SingleFeedWrites {

  private static final long MAX_CONCURRENT_ROW_BYTES = 2L << 20;

  /** How long a transaction may take; with the waits before it, below the 5 s of R0.6. */
  private static final Duration TRANSACTION_LIMIT = Duration.ofSeconds(2);

  /** Of a large row; a request that waited for its place has less, by its deadline. */
  private static final Duration LARGE_TRANSACTION_LIMIT = Duration.ofSeconds(4);

  /** For its turn to be written. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final FeedAppender appender;
  private final StatementTimeouts statements;
  private final CommitAwareTransactions transactions;
  private final Semaphore rows = new Semaphore(4, true);

  /**
   * Of several MiB each: one after the other, since two at once take twice as long, and then too
   * long.
   */
  private final Semaphore largeRows = new Semaphore(1, true);

  SingleFeedWrites(
      FeedAppender appender, CommitAwareTransactions transactions, StatementTimeouts statements) {
    this.appender = appender;
    this.statements = statements;
    this.transactions = transactions;
  }

  /** Returns after the commit; refuses with {@code UNAVAILABLE} when too many wait. */
  AppendResult append(NewActivity row) {
    return RowSize.estimate(row) > MAX_CONCURRENT_ROW_BYTES
        ? append(row, largeRows, LARGE_TRANSACTION_LIMIT)
        : append(row, rows, TRANSACTION_LIMIT);
  }

  private AppendResult append(NewActivity row, Semaphore permits, Duration limit) {
    if (!acquire(permits)) {
      throw ProblemException.unavailable(
          "too many rows wait for their feeds; try again in a few seconds");
    }
    try {
      return transactions
          .withTimeout(limit)
          .runRetryingDeadlocks(_ -> {
            statements.allow(limit);
            return appender.append(List.of(row)).getFirst();
          });
    } finally {
      permits.release();
    }
  }

  private static boolean acquire(Semaphore permits) {
    try {
      return permits.tryAcquire(
          RequestDeadline.cappingNanos(TIMEOUT.toNanos()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
