package dev.muster.activity;

import dev.muster.platform.commit.BatchAttempts;
import dev.muster.platform.commit.CertainTransactions;
import dev.muster.platform.commit.Outcome;
import dev.muster.platform.deadline.RequestDeadline;
import dev.muster.platform.postgres.LongStatements;
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

  /**
   * Who wait for the same turns.
   *
   * @param patience how long one waits for its turn
   * @param most how long its transaction may take
   */
  private record Line(
      Semaphore turns, Duration patience, Duration most, CertainTransactions transactions) {

    static Line of(int atOnce, Duration patience, Duration most, CertainTransactions any) {
      return new Line(new Semaphore(atOnce, true), patience, most, any.noLongerThan(most));
    }

    boolean isOurTurn() {
      try {
        return turns.tryAcquire(
            RequestDeadline.cappingNanos(patience.toNanos()), TimeUnit.NANOSECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }

  private static final long MAX_CONCURRENT_ROW_BYTES = 2L << 20;

  private final FeedWriter writer;
  private final LongStatements statements;

  /** With the waits before it, below the 5 s of R0.6. */
  private final Line rows;

  /**
   * Of several MiB each: one after the other, since two at once take twice as long, and then too
   * long.
   */
  private final Line largeRows;

  /** Of up to 64 MiB each, for senders who have waited for agents already. */
  private final Line answers;

  PatientWrites(FeedWriter writer, CertainTransactions transactions, LongStatements statements) {
    this.writer = writer;
    this.statements = statements;
    this.rows = Line.of(4, Duration.ofMillis(500), Duration.ofSeconds(2), transactions);
    this.largeRows = Line.of(1, Duration.ofSeconds(2), Duration.ofSeconds(2), transactions);
    this.answers = Line.of(1, Duration.ofSeconds(60), Duration.ofSeconds(30), transactions);
  }

  /** Returns after the commit; refuses with {@code UNAVAILABLE} when too many wait. */
  FeedResult write(FeedChange change) {
    return write(change, lineOf(change));
  }

  private Line lineOf(FeedChange change) {
    // one without a companion was brought by a request, which is to be answered in time
    if (change instanceof TurnEnd end && end.companion() != null) {
      return answers;
    }
    return ListedSize.whole(change) > MAX_CONCURRENT_ROW_BYTES ? largeRows : rows;
  }

  private FeedResult write(FeedChange change, Line line) {
    if (!line.isOurTurn()) {
      throw ProblemException.unavailable(
          "too many rows wait for their feeds; try again in a few seconds");
    }
    try {
      return switch (BatchAttempts.run(List.of(change), all -> commit(all, line)).getFirst()) {
        case Outcome.Done<FeedResult>(FeedResult result) -> result;
        case Outcome.Busy<FeedResult>() ->
            throw new IllegalStateException("what waits for its feed cannot find it busy");
        case Outcome.Failed<FeedResult>(RuntimeException cause) -> throw cause;
      };
    } finally {
      line.turns().release();
    }
  }

  private List<Outcome<FeedResult>> commit(List<FeedChange> changes, Line line) {
    return line.transactions()
        .run(() -> {
          statements.allow(line.most());
          return writer.write(changes).stream()
              .<Outcome<FeedResult>>map(Outcome.Done::new)
              .toList();
        });
  }
}
