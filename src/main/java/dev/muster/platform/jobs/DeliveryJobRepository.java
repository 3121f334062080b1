package dev.muster.platform.jobs;

import dev.muster.platform.postgres.SqlTime;
import java.time.Instant;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Writes into db-scheduler's table what its own client cannot: many jobs in one statement that
 * leaves the caller's transaction whole when they exist, and the wish for another run.
 */
@Repository
class DeliveryJobRepository {

  /** Whoever runs a job has its row by the version, which a wish must not change. */
  private static final String SCHEDULE =
      """
      INSERT INTO delivery_jobs AS j (task_name, task_instance, execution_time, picked, version)
      SELECT :job, wanted.instance, :at, false, 1 FROM unnest(:instances::text[]) AS wanted (instance)
      ON CONFLICT (task_name, task_instance) DO UPDATE SET
          execution_time = CASE WHEN j.picked THEN j.execution_time ELSE excluded.execution_time END,
          wanted_at = CASE WHEN j.picked THEN excluded.execution_time END,
          version = CASE WHEN j.picked THEN j.version ELSE j.version + 1 END
      WHERE excluded.execution_time < CASE WHEN j.picked THEN coalesce(j.wanted_at, 'infinity') ELSE j.execution_time END
      """;

  private static final String END =
      """
      DELETE FROM delivery_jobs
      WHERE task_name = :job AND task_instance = :instance AND version = :version AND wanted_at IS NULL
      """;

  private static final String RUN_AGAIN =
      """
      UPDATE delivery_jobs SET
          picked = false, picked_by = NULL, last_heartbeat = NULL, version = version + 1, wanted_at = NULL,
          execution_time = coalesce(least(wanted_at, :next::timestamptz), statement_timestamp()),
          last_success = CASE WHEN :failed THEN last_success ELSE statement_timestamp() END,
          last_failure = CASE WHEN :failed THEN statement_timestamp() ELSE last_failure END,
          consecutive_failures = CASE WHEN :failed THEN coalesce(consecutive_failures, 0) + 1 ELSE 0 END
      WHERE task_name = :job AND task_instance = :instance AND version = :version
      """;

  private final JdbcClient db;

  DeliveryJobRepository(JdbcClient db) {
    this.db = db;
  }

  void schedule(String job, SortedSet<String> instances, Instant at) {
    db.sql(SCHEDULE)
        .param("job", job)
        .param("instances", instances.toArray(String[]::new))
        .param("at", SqlTime.utc(at))
        .update();
  }

  /**
   * After a run of the row in this version: it is over, unless {@code next} or somebody's wish says
   * when to run again. Nothing happens when another replica has taken the job over.
   */
  void end(String job, String instance, long version, @Nullable Instant next, boolean failed) {
    if (next == null && deleted(job, instance, version)) {
      return;
    }
    db.sql(RUN_AGAIN)
        .param("job", job)
        .param("instance", instance)
        .param("version", version)
        .param("next", next == null ? null : SqlTime.utc(next))
        .param("failed", failed)
        .update();
  }

  private boolean deleted(String job, String instance, long version) {
    return db.sql(END)
            .param("job", job)
            .param("instance", instance)
            .param("version", version)
            .update()
        == 1;
  }
}
