package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.OwnLog;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.BadSqlGrammarException;

/** A deletion by age, as its nightly job runs it. */
class DailyDeletionTest {

  private final SimpleMeterRegistry metrics = new SimpleMeterRegistry();
  private final Deque<Integer> batches = new ArrayDeque<>();
  private final RecurringJob job =
      new DailyDeletion("old", metrics, 1000, (most, passedOver) -> batches.pop()).job();

  @Test
  void runsBatchesUntilOneIsEmptyAndCountsAll() {
    batches.addAll(List.of(3, 2, 0, 7));

    job.body().run();

    assertThat(batches).containsExactly(7);
    assertThat(metrics.counter("muster.sweep.transitions", "sweep", "old").count()).isEqualTo(5);
    assertThat(metrics.counter("muster.sweep.runs", "sweep", "old").count()).isEqualTo(1);
  }

  @Test
  void passesOverTheRowsThatCannotBeDeleted() {
    List<Integer> rows = new ArrayList<>(IntStream.range(0, 3_000).boxed().toList());
    Set<Integer> undeletable = Set.of(0, 1, 777, 2_999);
    DailyDeletion deletion =
        new DailyDeletion(
            "stuck",
            metrics,
            1000,
            (most, passedOver) -> {
              List<Integer> batch =
                  rows.subList(passedOver, Math.min(rows.size(), passedOver + most));
              if (batch.stream().anyMatch(undeletable::contains)) {
                throw new DataIntegrityViolationException(
                    "delete", new SQLException("the row is referenced", "23503"));
              }
              int deleted = batch.size();
              batch.clear();
              return deleted;
            });

    assertThat(deletion.sweep()).isEqualTo(2_996);

    assertThat(rows).containsExactlyElementsOf(undeletable.stream().sorted().toList());
    assertThat(metrics.counter("muster.units.failed", "loop", "stuck").count()).isEqualTo(4);
    assertThat(metrics.counter("muster.sweep.errors", "sweep", "stuck").count()).isEqualTo(4);
  }

  @Test
  void endsWhenNothingCanBeDeleted() {
    DailyDeletion deletion =
        new DailyDeletion(
            "refused",
            metrics,
            1000,
            (most, passedOver) -> {
              throw new BadSqlGrammarException("delete", "DELETE", new SQLException("no", "42P01"));
            });

    assertThatThrownBy(deletion::sweep).isInstanceOf(BadSqlGrammarException.class);
  }

  /** It says nothing about the rows: the next run deletes them. */
  @Test
  void endsWithAnOutageAndPassesOverNothing() {
    AtomicInteger tries = new AtomicInteger();
    DailyDeletion deletion =
        new DailyDeletion(
            "away",
            metrics,
            1000,
            (most, passedOver) -> {
              tries.incrementAndGet();
              throw new DataAccessResourceFailureException("no connection");
            });

    assertThatThrownBy(deletion::sweep).isInstanceOf(DataAccessResourceFailureException.class);

    assertThat(tries).hasValue(1);
    assertThat(metrics.counter("muster.units.failed", "loop", "away").count()).isZero();
  }

  @Test
  void logsOneLineWhenItDeletedRows() {
    List<String> ofSome =
        OwnLog.of(
            DailyDeletion.class,
            () -> {
              batches.addAll(List.of(3, 2, 0));
              job.body().run();
            });
    assertThat(ofSome).containsExactly("INFO old deleted 5 rows past their retention");

    List<String> ofNone =
        OwnLog.of(
            DailyDeletion.class,
            () -> {
              batches.add(0);
              job.body().run();
            });
    assertThat(ofNone).isEmpty();
  }
}
