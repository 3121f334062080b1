package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.CommitAwareTransactions.UnknownCommitOutcomeException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.UncategorizedSQLException;

class BatchRetryTest {

  private static RuntimeException sqlState(String state) {
    return new UncategorizedSQLException("test", "sql", new SQLException("failed", state));
  }

  private static List<BatchOutcome<Integer>> done(List<Integer> values) {
    return values.stream().<BatchOutcome<Integer>>map(BatchOutcome.Done::new).toList();
  }

  @Test
  void letsABadValueFailAlone() {
    List<Integer> values = IntStream.range(0, 100).boxed().toList();
    List<Integer> committed = new ArrayList<>();
    List<BatchOutcome<Integer>> outcomes =
        BatchRetry.run(
            values,
            batch -> {
              if (batch.contains(37)) {
                throw sqlState("22021");
              }
              committed.addAll(batch);
              return done(batch);
            });
    assertThat(outcomes.get(37)).isInstanceOf(BatchOutcome.Failed.class);
    assertThat(outcomes.stream().filter(BatchOutcome.Failed.class::isInstance)).hasSize(1);
    assertThat(committed).hasSize(99).doesNotHaveDuplicates().doesNotContain(37);
  }

  @Test
  void retriesADeadlockedBatch() {
    AtomicInteger runs = new AtomicInteger();
    List<BatchOutcome<Integer>> outcomes =
        BatchRetry.run(
            List.of(1, 2),
            batch -> {
              if (runs.incrementAndGet() < 4) {
                throw sqlState("40P01");
              }
              return done(batch);
            });
    assertThat(outcomes).containsExactlyElementsOf(done(List.of(1, 2)));
    assertThat(runs).hasValue(4);
  }

  @Test
  void neverRetriesAnUnknownCommitOutcome() {
    AtomicInteger runs = new AtomicInteger();
    List<BatchOutcome<Integer>> outcomes =
        BatchRetry.run(
            List.of(1, 2),
            batch -> {
              runs.incrementAndGet();
              throw new UnknownCommitOutcomeException(sqlState("40001"));
            });
    assertThat(outcomes).hasSize(2).allMatch(BatchOutcome.Failed.class::isInstance);
    assertThat(runs).hasValue(1);
  }

  @Test
  void failsTheWholeBatchOnceDuringADatabaseOutage() {
    AtomicInteger runs = new AtomicInteger();
    List<BatchOutcome<Integer>> outcomes =
        BatchRetry.run(
            List.of(1, 2, 3),
            batch -> {
              runs.incrementAndGet();
              throw sqlState("08006");
            });
    assertThat(outcomes).hasSize(3).allMatch(BatchOutcome.Failed.class::isInstance);
    assertThat(runs).hasValue(1);
  }
}
