package dev.muster.activity;

import dev.muster.platform.commit.CommitAwareTransactions;
import dev.muster.platform.commit.WaitSlots;
import dev.muster.platform.postgres.StatementTimeouts;
import java.time.Duration;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * Appends rows one by one, each in its own transaction that waits for its feed. It takes large
 * rows, which would delay a batch, rows of feeds that stay locked, and rows of feeds that seem
 * full. Few run at a time, since each takes memory and a connection.
 */
@Component
class SingleFeedWrites {

  private static final long MAX_CONCURRENT_ROW_BYTES = 2L << 20;

  /**
   * Longest duration of a transaction. With the waits before it, it stays below the 5 s of R0.6.
   */
  private static final Duration TRANSACTION_LIMIT = Duration.ofSeconds(2);

  /**
   * Longest duration for a large row. The request's deadline leaves less after a wait for the slot.
   */
  private static final Duration LARGE_TRANSACTION_LIMIT = Duration.ofSeconds(4);

  /** Longest wait for a slot. */
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final String REFUSAL =
      "too many rows wait for their feeds; try again in a few seconds";

  private final FeedAppender appender;
  private final StatementTimeouts statements;
  private final CommitAwareTransactions transactions;
  private final WaitSlots rows = new WaitSlots(4, TIMEOUT, REFUSAL);

  /**
   * Admits one row above 2 MiB at a time. Two at once would take twice as long and exceed the
   * limit.
   */
  private final WaitSlots largeRows = new WaitSlots(1, TIMEOUT, REFUSAL);

  SingleFeedWrites(
      FeedAppender appender, CommitAwareTransactions transactions, StatementTimeouts statements) {
    this.appender = appender;
    this.statements = statements;
    this.transactions = transactions;
  }

  /** Returns after the commit; throws {@code UNAVAILABLE} if no slot is free in time. */
  AppendResult append(NewActivity row) {
    return RowSize.estimate(row) > MAX_CONCURRENT_ROW_BYTES
        ? append(row, largeRows, LARGE_TRANSACTION_LIMIT)
        : append(row, rows, TRANSACTION_LIMIT);
  }

  private AppendResult append(NewActivity row, WaitSlots slots, Duration limit) {
    return slots.run(() ->
        transactions
            .withTimeout(limit)
            .runRetryingDeadlocks(_ -> {
              statements.allow(limit);
              return appender.append(List.of(row)).getFirst();
            }));
  }
}
