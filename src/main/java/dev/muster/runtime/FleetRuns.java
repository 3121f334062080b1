package dev.muster.runtime;

import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.runtime.Run.RunStatus;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Lists the runs of all workspaces, latest start first. */
@Repository
class FleetRuns {

  /**
   * The rows that one page scans. A page of a filter with few matches ends after them, with a
   * cursor to continue.
   */
  static final int MAX_SCANNED = 5000;

  /** Scans the index of start times; an incremental sort orders runs with the same time. */
  static final String SCANNED =
      """
      SELECT workspace_id, first_seq, task_key, task_name, runtime_name, language, status,
          exit_code, duration_ms, error_kind, error_message, stdout_bytes, stderr_bytes, started_at, ended_at
      FROM api_runtime_run
      WHERE (started_at, workspace_id, first_seq) < (:time, :workspace, :seq)
      ORDER BY started_at DESC, workspace_id DESC, first_seq DESC LIMIT :scanned
      """;

  static final String SCANNED_OF_WORKSPACE =
      """
      SELECT workspace_id, first_seq, task_key, task_name, runtime_name, language, status,
          exit_code, duration_ms, error_kind, error_message, stdout_bytes, stderr_bytes, started_at, ended_at
      FROM api_runtime_run
      WHERE workspace_id = :of AND first_seq < :seq
      ORDER BY first_seq DESC LIMIT :scanned
      """;

  private static final String MATCHING =
      """
      ) AS scanned
      WHERE (:status::text IS NULL OR status = :status) AND (:task::uuid IS NULL OR task_key = :task)
      ORDER BY started_at DESC, workspace_id DESC, first_seq DESC LIMIT :limit
      """;

  private static final String LAST =
      """
      ) AS scanned
      ORDER BY started_at, workspace_id, first_seq LIMIT 1
      """;

  static final String PAGE = "SELECT * FROM (" + SCANNED + MATCHING;

  static final String PAGE_OF_WORKSPACE = "SELECT * FROM (" + SCANNED_OF_WORKSPACE + MATCHING;

  private static final String END =
      "SELECT count(*) OVER () AS rows, started_at, workspace_id, first_seq FROM ("
          + SCANNED
          + LAST;

  private static final String END_OF_WORKSPACE =
      "SELECT count(*) OVER () AS rows, started_at, workspace_id, first_seq FROM ("
          + SCANNED_OF_WORKSPACE
          + LAST;

  private final JdbcClient db;

  FleetRuns(JdbcClient db) {
    this.db = db;
  }

  /** The runs to list; an empty member matches all. */
  record Filter(Optional<RunStatus> status, Optional<UUID> workspaceId, Optional<TaskName> task) {

    boolean isOpen() {
      return status.isEmpty() && task.isEmpty();
    }
  }

  /** The run after which the next page begins. Its text is opaque to clients (R0.10). */
  record Place(Instant time, UUID workspaceId, long seq) {

    static final Place NEWEST =
        new Place(Instant.parse("9999-12-31T00:00:00Z"), new UUID(-1, -1), Long.MAX_VALUE);

    private static final Pattern TEXT =
        Pattern.compile(
            "([0-9a-z]{1,11})\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\\.([0-9a-z]{1,12})");

    String text() {
      return Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, time), Character.MAX_RADIX)
          + "."
          + workspaceId
          + "."
          + Long.toString(seq, Character.MAX_RADIX);
    }

    static Place parse(String text) {
      Matcher parts = TEXT.matcher(text);
      if (!parts.matches()) {
        throw PageCursor.unknown();
      }
      return new Place(
          Instant.EPOCH.plus(number(parts.group(1)), ChronoUnit.MICROS),
          UUID.fromString(parts.group(2)),
          number(parts.group(3)));
    }

    private static long number(String text) {
      return Long.parseLong(text, Character.MAX_RADIX);
    }
  }

  /**
   * A run without its output.
   *
   * @param truncated whether the kept output lacks earlier output
   */
  record RunSummary(
      UUID runId,
      UUID workspaceId,
      String taskName,
      @Nullable String runtimeName,
      @Nullable String language,
      String status,
      @Nullable Integer exitCode,
      @Nullable BigInteger durationMs,
      @Nullable String errorKind,
      @Nullable String errorMessage,
      boolean truncated,
      long stdoutBytes,
      long stderrBytes,
      Instant startedAt,
      @Nullable Instant endedAt) {}

  /**
   * A page.
   *
   * @param next the start of the next page; empty at the end
   */
  record RunPage(List<RunSummary> runs, Optional<Place> next) {}

  private record Found(RunSummary run, Place place) {}

  private record ScanEnd(long rows, Place place) {}

  /** Reads a page. It may have fewer than {@code limit} runs, even none, and still a next page. */
  RunPage page(Filter filter, Place after, int limit) {
    boolean ofWorkspace = filter.workspaceId().isPresent();
    List<Found> found =
        bound(db.sql(ofWorkspace ? PAGE_OF_WORKSPACE : PAGE), filter, after)
            .param("status", filter.status().map(RunStatus::wire).orElse(null))
            .param("task", filter.task().map(TaskName::key).orElse(null))
            .param("limit", limit + 1)
            .query((row, n) -> new Found(run(row), place(row)))
            .list();
    List<RunSummary> runs = found.stream().limit(limit).map(Found::run).toList();
    if (found.size() > limit) {
      return new RunPage(runs, Optional.of(found.get(limit - 1).place()));
    }
    return new RunPage(
        runs,
        filter.isOpen()
            ? Optional.empty()
            : bound(db.sql(ofWorkspace ? END_OF_WORKSPACE : END), filter, after)
                .query((row, n) -> new ScanEnd(row.getLong("rows"), place(row)))
                .optional()
                .filter(end -> end.rows() == MAX_SCANNED)
                .map(ScanEnd::place));
  }

  private static JdbcClient.StatementSpec bound(
      JdbcClient.StatementSpec statement, Filter filter, Place after) {
    return statement
        .param("of", filter.workspaceId().orElse(null))
        .param("time", Timestamps.utc(after.time()))
        .param("workspace", after.workspaceId())
        .param("seq", after.seq())
        .param("scanned", MAX_SCANNED);
  }

  private static Place place(ResultSet row) throws SQLException {
    return new Place(
        Timestamps.instant(row, "started_at"),
        row.getObject("workspace_id", UUID.class),
        row.getLong("first_seq"));
  }

  private static RunSummary run(ResultSet row) throws SQLException {
    UUID workspace = row.getObject("workspace_id", UUID.class);
    long stdout = row.getLong("stdout_bytes");
    long stderr = row.getLong("stderr_bytes");
    @Nullable BigDecimal duration = row.getBigDecimal("duration_ms");
    return new RunSummary(
        RuntimeIds.of(workspace, row.getLong("first_seq")),
        workspace,
        row.getString("task_name"),
        row.getString("runtime_name"),
        row.getString("language"),
        row.getString("status"),
        duration == null ? null : row.getInt("exit_code"),
        duration == null ? null : duration.toBigIntegerExact(),
        row.getString("error_kind"),
        row.getString("error_message"),
        Math.max(stdout, stderr) > OutputPiece.MAX_KEPT_BYTES,
        stdout,
        stderr,
        Timestamps.instant(row, "started_at"),
        Timestamps.instantOrNull(row, "ended_at"));
  }
}
