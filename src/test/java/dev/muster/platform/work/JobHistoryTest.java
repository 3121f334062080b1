package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** Which jobs are late. The rows are changed in transactions that are rolled back. */
class JobHistoryTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final String RETENTION = "event-retention";
  private static final String SWEEP = "liveness-sweep";

  @ParameterizedTest
  @CsvSource({
    "retention_jobs, event-retention, false, 25, 25, false",
    "retention_jobs, event-retention, false, 31, 0, true",
    "retention_jobs, event-retention, true, 3600, 0, false",
    "retention_jobs, event-retention, true, 3600, 31, true",
    "recurring_jobs, liveness-sweep, true, 25, 0, false",
    "recurring_jobs, liveness-sweep, true, 31, 0, true",
  })
  void isLateAfterHalfAMinute(
      String table, String job, boolean picked, int dueFor, int heartbeatAgo, boolean late) {
    assertThat(
            isOverdue(
                job,
                """
                UPDATE %s SET picked = %s, execution_time = clock_timestamp() - interval '%d seconds',
                    last_heartbeat = clock_timestamp() - interval '%d seconds'
                WHERE task_name = '%s'\
                """
                    .formatted(table, picked, dueFor, heartbeatAgo, job)))
        .isEqualTo(late);
  }

  @Test
  void isLateWhenItIsNotScheduled() {
    assertThat(isOverdue(RETENTION, "DELETE FROM retention_jobs")).isTrue();
    assertThat(isOverdue(SWEEP, "DELETE FROM recurring_jobs")).isTrue();
  }

  private static boolean isOverdue(String job, String change) {
    RecurringJob.Kind kind =
        job.equals(SWEEP) ? RecurringJob.Kind.SWEEP : RecurringJob.Kind.RETENTION;
    RecurringJob known = new RecurringJob(job, Duration.ofHours(1), () -> {}, kind);
    return Objects.requireNonNull(
        SERVER
            .bean(TransactionTemplate.class)
            .execute(status -> {
              status.setRollbackOnly();
              SERVER.bean(JdbcClient.class).sql(change).update();
              return SERVER.bean(JobHistory.class).of(List.of(known)).getFirst().overdue();
            }));
  }
}
