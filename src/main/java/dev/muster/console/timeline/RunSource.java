package dev.muster.console.timeline;

import dev.muster.console.timeline.TimelineCursor.Lane;
import dev.muster.console.timeline.TimelineCursor.Place;
import dev.muster.console.timeline.TimelineEntry.Kind;
import dev.muster.console.timeline.TimelineEntry.Refs;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.runtime.RuntimeIds;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the runs of a workspace's sandboxes, by their start. */
@Repository
@Order(4)
class RunSource extends NumberedSource {

  static final String PAGE =
      """
      SELECT workspace_id, first_seq, left(task_name, 200) AS task_name, language, status, exit_code, error_kind,
          left(error_message, 400) AS error_message, started_at, ended_at, duration_ms
      FROM api_runtime_run WHERE workspace_id = :workspace_id AND first_seq < :before
      ORDER BY first_seq DESC LIMIT :limit
      """;

  private static final String NEWEST =
      """
      SELECT first_seq AS seq, started_at AS at FROM api_runtime_run WHERE workspace_id = :workspace_id
      ORDER BY first_seq DESC LIMIT 1
      """;

  private static final String FROM =
      """
      SELECT first_seq AS seq, started_at AS at FROM api_runtime_run
      WHERE workspace_id = :workspace_id AND first_seq >= :low AND first_seq < :high ORDER BY first_seq LIMIT 1
      """;

  RunSource(JdbcClient db) {
    super(db, new Statements(PAGE, NEWEST, FROM), RunSource::row);
  }

  @Override
  public Lane lane() {
    return Lane.RUNS;
  }

  @Override
  public Set<Kind> kinds() {
    return Set.of(Kind.RUN);
  }

  private static Row row(ResultSet row, int n) throws SQLException {
    Instant at = Timestamps.instant(row, "started_at");
    long seq = row.getLong("first_seq");
    UUID id = RuntimeIds.of(row.getObject("workspace_id", UUID.class), seq);
    return new Row(
        at,
        Place.ofSeq(seq),
        List.of(
            new TimelineEntry(
                at,
                Kind.RUN,
                id.toString(),
                row.getString("task_name"),
                row.getString("status"),
                text(row),
                tookMs(row),
                new Refs(null, null, id, null, null, null, null),
                null)));
  }

  /**
   * Returns how long a run took, in ms: what its end says, else the time between the arrivals of
   * its start and its end. Null when it has not ended, and when these arrived together.
   */
  static @Nullable Long tookMs(ResultSet row) throws SQLException {
    @Nullable BigDecimal said = row.getBigDecimal("duration_ms");
    if (said != null) {
      return said.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue();
    }
    @Nullable Instant endedAt = Timestamps.instantOrNull(row, "ended_at");
    Instant startedAt = Timestamps.instant(row, "started_at");
    if (endedAt == null || !endedAt.isAfter(startedAt)) {
      return null;
    }
    return Duration.between(startedAt, endedAt).toMillis();
  }

  private static @Nullable String text(ResultSet row) throws SQLException {
    @Nullable String kind = row.getString("error_kind");
    if (kind != null) {
      return kind + ": " + row.getString("error_message");
    }
    int exitCode = row.getInt("exit_code");
    return row.wasNull() || exitCode == 0 ? row.getString("language") : "exit code " + exitCode;
  }
}
