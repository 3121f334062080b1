package dev.muster.platform.work;

import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores the result of each job's last run, so that every replica can show it. */
@Repository
public class JobHistory {

  private static final String RECORD =
      """
      INSERT INTO job_runs AS r (job, replica, started_at, duration_ms, last_error, last_error_at, runs, failures)
      VALUES (:job, :replica, :started_at, :duration_ms, :error::text,
          CASE WHEN :error::text IS NULL THEN NULL ELSE statement_timestamp() END, 1,
          CASE WHEN :error::text IS NULL THEN 0 ELSE 1 END)
      ON CONFLICT (job) DO UPDATE SET
          replica = excluded.replica,
          started_at = excluded.started_at,
          duration_ms = excluded.duration_ms,
          last_error = coalesce(excluded.last_error, r.last_error),
          last_error_at = coalesce(excluded.last_error_at, r.last_error_at),
          runs = r.runs + 1,
          failures = r.failures + excluded.failures
      """;

  /**
   * Reports a job as overdue when it has been due for longer than a dead owner takes to be
   * replaced. It then runs on no replica, or its run takes that long. A retention may take long, so
   * it is overdue only when its owner renews no heartbeat.
   */
  private static final String OF_JOBS =
      """
      SELECT job.name, r.replica, r.started_at, r.duration_ms, r.last_error, r.last_error_at,
          coalesce(r.runs, 0) AS runs, coalesce(r.failures, 0) AS failures, j.execution_time,
          coalesce(j.renewed_at < clock_timestamp() - :overdue_ms * interval '1 ms', true) AS overdue
      FROM unnest(:jobs::text[], :sweeps::boolean[]) AS job (name, is_sweep)
      LEFT JOIN job_runs r ON r.job = job.name
      LEFT JOIN (
          SELECT task_name, true AS is_sweep, execution_time, execution_time AS renewed_at FROM recurring_jobs
          UNION ALL
          SELECT task_name, false, execution_time, CASE WHEN picked THEN last_heartbeat ELSE execution_time END
          FROM retention_jobs) j
          ON j.task_name = job.name AND j.is_sweep = job.is_sweep
      ORDER BY job.name
      """;

  /** Describes a cluster job's last run and its next start; nulls before the first run. */
  public record JobRun(
      String job,
      @Nullable String replica,
      @Nullable Instant startedAt,
      @Nullable Long durationMs,
      @Nullable String lastError,
      @Nullable Instant lastErrorAt,
      long runs,
      long failures,
      @Nullable Instant nextRunAt,
      boolean overdue) {}

  private final JdbcClient db;
  private final JobTimes times;

  JobHistory(JdbcClient db, JobTimes times) {
    this.db = db;
    this.times = times;
  }

  void record(
      String job, String replica, Instant startedAt, Duration took, @Nullable String error) {
    db.sql(RECORD)
        .param("job", job)
        .param("replica", replica)
        .param("started_at", Timestamps.utc(startedAt))
        .param("duration_ms", took.toMillis())
        .param("error", error)
        .update();
  }

  public List<JobRun> of(Collection<RecurringJob> jobs) {
    return db.sql(OF_JOBS)
        .param("jobs", jobs.stream().map(RecurringJob::name).toArray(String[]::new))
        .param(
            "sweeps",
            jobs.stream().map(job -> job.kind() == RecurringJob.Kind.SWEEP).toArray(Boolean[]::new))
        .param("overdue_ms", times.overdue().toMillis())
        .query(JobHistory::run)
        .list();
  }

  private static JobRun run(ResultSet row, int n) throws SQLException {
    @Nullable String replica = row.getString("replica");
    return new JobRun(
        row.getString("name"),
        replica,
        Timestamps.instantOrNull(row, "started_at"),
        row.getObject("duration_ms", Long.class),
        row.getString("last_error"),
        Timestamps.instantOrNull(row, "last_error_at"),
        row.getLong("runs"),
        row.getLong("failures"),
        Timestamps.instantOrNull(row, "execution_time"),
        row.getBoolean("overdue"));
  }
}
