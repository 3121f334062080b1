package dev.muster.runtime;

import dev.muster.platform.work.DailyDeletion;
import dev.muster.platform.work.RecurringJob;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Deletes runtime events after 7 days (R6.11), and runs with the last of their events.
 *
 * <p>Deletion does not change the numbering of a stream.
 */
@Configuration(proxyBeanMethods = false)
class RuntimeRetention {

  /** Number of rows; a segment has up to 64 KiB. */
  static final int BATCH_SIZE = 500;

  private static final String DELETE_EVENTS =
      """
      DELETE FROM runtime_segments WHERE (workspace_id, last_seq) IN (
          SELECT workspace_id, last_seq FROM runtime_segments
          WHERE created_at < statement_timestamp() - interval '7 days'
          ORDER BY created_at, workspace_id, last_seq LIMIT :most OFFSET :passed_over)
      """;

  /**
   * Skips locked runs, to which an event is being added; the next daily job examines them again.
   */
  private static final String DELETE_RUNS =
      """
      WITH old AS MATERIALIZED (
          SELECT workspace_id, first_seq FROM runtime_runs
          WHERE started_at < statement_timestamp() - interval '7 days'
              AND last_event_at < statement_timestamp() - interval '7 days'
          ORDER BY started_at, workspace_id, first_seq LIMIT :most OFFSET :passed_over
          FOR UPDATE SKIP LOCKED),
      output AS (
          DELETE FROM runtime_output o USING old
          WHERE o.workspace_id = old.workspace_id AND o.run_seq = old.first_seq)
      DELETE FROM runtime_runs r USING old
      WHERE r.workspace_id = old.workspace_id AND r.first_seq = old.first_seq
      """;

  private final JdbcClient db;
  private final DailyDeletion deletion;

  RuntimeRetention(JdbcClient db, MeterRegistry metrics) {
    this.db = db;
    this.deletion =
        new DailyDeletion(
            "runtime-retention", metrics, BATCH_SIZE, this::deleteEvents, this::deleteRuns);
  }

  @Bean
  RecurringJob runtimeRetentionJob() {
    return deletion.job();
  }

  int sweep() {
    return deletion.sweep();
  }

  private int deleteEvents(int most, int passedOver) {
    return db.sql(DELETE_EVENTS).param("most", most).param("passed_over", passedOver).update();
  }

  private int deleteRuns(int most, int passedOver) {
    return db.sql(DELETE_RUNS).param("most", most).param("passed_over", passedOver).update();
  }
}
