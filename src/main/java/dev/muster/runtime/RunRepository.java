package dev.muster.runtime;

import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.runtime.Run.RunEnd;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads and writes the rows of runs. */
@Repository
class RunRepository {

  /** A task of a workspace. */
  record TaskOf(UUID workspaceId, UUID taskKey) {}

  private static final String NEWEST_OF_TASKS =
      """
      SELECT r.workspace_id, r.first_seq, r.task_key, r.task_name, r.runtime_name, r.language, r.exit_code,
          r.duration_ms, r.error_kind, r.error_message, r.stdout_bytes, r.stderr_bytes, r.started_at, r.last_event_at,
          r.ended_at, r.lost_at
      FROM unnest(:ids::uuid[], :keys::uuid[]) AS task (workspace_id, task_key)
      CROSS JOIN LATERAL (
          SELECT * FROM runtime_runs one
          WHERE one.workspace_id = task.workspace_id AND one.task_key = task.task_key
          ORDER BY one.first_seq DESC LIMIT 1) AS r
      """;

  private static final BatchColumns<Run> COLUMNS =
      BatchColumns.<Run>none()
          .uuid("workspace_id", Run::workspaceId)
          .bigint("first_seq", Run::firstSeq)
          .uuid("task_key", run -> run.task().key())
          .text("task_name", run -> run.task().name())
          .text("runtime_name", Run::runtimeName)
          .text("language", Run::language)
          .integer(
              "exit_code",
              run -> run.end() instanceof RunEnd.Exited exited ? exited.exitCode() : null)
          .numeric(
              "duration_ms",
              run ->
                  run.end() instanceof RunEnd.Exited exited ? exited.durationMs().toString() : null)
          .text(
              "error_kind",
              run -> run.end() instanceof RunEnd.Errored errored ? errored.kind() : null)
          .text(
              "error_message",
              run -> run.end() instanceof RunEnd.Errored errored ? errored.message() : null)
          .bigint("stdout_bytes", Run::stdoutBytes)
          .bigint("stderr_bytes", Run::stderrBytes)
          .time("started_at", Run::startedAt)
          .time("last_event_at", Run::lastEventAt)
          .time("ended_at", Run::closedAt)
          .time("lost_at", Run::lostAt);

  private static final String STORE =
      """
      INSERT INTO runtime_runs ({NAMES})
      SELECT * FROM {ROWS}
      ON CONFLICT (workspace_id, first_seq) DO UPDATE SET
          exit_code = excluded.exit_code,
          duration_ms = excluded.duration_ms,
          error_kind = excluded.error_kind,
          error_message = excluded.error_message,
          stdout_bytes = excluded.stdout_bytes,
          stderr_bytes = excluded.stderr_bytes,
          last_event_at = excluded.last_event_at,
          ended_at = excluded.ended_at,
          lost_at = excluded.lost_at
      """
          .replace("{ROWS}", COLUMNS.unnest())
          .replace("{NAMES}", COLUMNS.names());

  private static final String PAGE =
      """
      SELECT workspace_id, first_seq, task_key, task_name, runtime_name, language, exit_code, duration_ms, error_kind,
          error_message, stdout_bytes, stderr_bytes, started_at, last_event_at, ended_at, lost_at
      FROM runtime_runs WHERE workspace_id = :workspace_id AND first_seq < :before
      ORDER BY first_seq DESC LIMIT :limit
      """;

  private static final String PAGE_OF_TASK =
      """
      SELECT workspace_id, first_seq, task_key, task_name, runtime_name, language, exit_code, duration_ms, error_kind,
          error_message, stdout_bytes, stderr_bytes, started_at, last_event_at, ended_at, lost_at
      FROM runtime_runs WHERE workspace_id = :workspace_id AND task_key = :task_key AND first_seq < :before
      ORDER BY first_seq DESC LIMIT :limit
      """;

  private static final String RUNNING =
      "SELECT count(*) FROM runtime_runs WHERE ended_at IS NULL AND lost_at IS NULL";

  private final JdbcClient db;
  private final JdbcTemplate batches;

  RunRepository(JdbcClient db, JdbcTemplate batches) {
    this.db = db;
    this.batches = batches;
  }

  /** Returns the newest run of each task that has one, unordered. */
  List<Run> newestOf(List<TaskOf> tasks) {
    return db.sql(NEWEST_OF_TASKS)
        .param("ids", tasks.stream().map(TaskOf::workspaceId).toArray(UUID[]::new))
        .param("keys", tasks.stream().map(TaskOf::taskKey).toArray(UUID[]::new))
        .query(RunRepository::run)
        .list();
  }

  /** Inserts new runs and updates changed ones; the caller holds the locks of the stream heads. */
  void store(List<Run> runs) {
    batches.update(
        STORE,
        (PreparedStatement statement) -> {
          int _ = COLUMNS.bind(statement, 1, runs);
        });
  }

  /** Returns the newest runs that began before {@code beforeSeq}, of one task or of all. */
  List<Run> page(UUID workspaceId, Optional<TaskName> task, long beforeSeq, int limit) {
    return db.sql(task.isPresent() ? PAGE_OF_TASK : PAGE)
        .param("workspace_id", workspaceId)
        .param("task_key", task.map(TaskName::key).orElse(null))
        .param("before", beforeSeq)
        .param("limit", limit)
        .query(RunRepository::run)
        .list();
  }

  /** Counts the running runs of all workspaces. */
  long running() {
    return db.sql(RUNNING).query(Long.class).single();
  }

  private static Run run(ResultSet row, int n) throws SQLException {
    return new Run(
        row.getObject("workspace_id", UUID.class),
        row.getLong("first_seq"),
        new TaskName(row.getString("task_name"), row.getObject("task_key", UUID.class)),
        row.getString("runtime_name"),
        row.getString("language"),
        end(row),
        row.getLong("stdout_bytes"),
        row.getLong("stderr_bytes"),
        Timestamps.instant(row, "started_at"),
        Timestamps.instant(row, "last_event_at"),
        Timestamps.instantOrNull(row, "ended_at"),
        Timestamps.instantOrNull(row, "lost_at"));
  }

  private static @Nullable RunEnd end(ResultSet row) throws SQLException {
    @Nullable BigDecimal durationMs = row.getBigDecimal("duration_ms");
    if (durationMs != null) {
      return new RunEnd.Exited(row.getInt("exit_code"), durationMs.toBigIntegerExact());
    }
    @Nullable String kind = row.getString("error_kind");
    return kind == null ? null : new RunEnd.Errored(kind, row.getString("error_message"));
  }
}
