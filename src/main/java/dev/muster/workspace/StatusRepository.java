package dev.muster.workspace;

import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Stores the statuses that the registry decides. Every status write names the status it expects.
 */
@Repository
class StatusRepository {

  private static final String INSERT =
      StablePlans.ofNoTable(
          """
          INSERT INTO workspace_heartbeats (workspace_id, status, status_since)
          VALUES (:id, 'awaiting_agent', now())
          RETURNING status_since
          """);

  private static final String LOCK =
      """
      SELECT workspace_id, status, status_since
      FROM workspace_heartbeats
      WHERE workspace_id = ANY (:ids)
      ORDER BY workspace_id
      FOR UPDATE
      """;

  private static final String MOVE =
      """
      UPDATE workspace_heartbeats b SET
          status = :to, status_since = now(), degraded_reason = NULL, stalled = false, busy_since = NULL,
          restart_requested_at = CASE WHEN :to <> 'removed' THEN restart_requested_at END
      FROM unnest(:ids::uuid[], :expected::text[]) AS row (workspace_id, status)
      WHERE b.workspace_id = row.workspace_id AND b.status = row.status
      RETURNING b.status_since
      """;

  private static final String RECORD_REGISTRATION =
      """
      UPDATE workspace_heartbeats SET
          last_heartbeat_at = now(), active_tasks = 0, current_task = '', error_rate = 0, runtime_state = '',
          uptime_seconds = 0,
          sample_error = CASE WHEN :to = 'online' THEN '' ELSE sample_error END,
          degraded_reason = NULL, stalled = false, busy_since = NULL, restart_requested_at = NULL,
          status_since = CASE WHEN :to = status THEN status_since ELSE now() END,
          status = :to
      WHERE workspace_id = :id AND status = :from
      RETURNING status_since
      """;

  private static final String REQUEST_RESTART =
      """
      UPDATE workspace_heartbeats SET restart_requested_at = statement_timestamp()
      WHERE workspace_id = :id AND status <> 'removed'
      RETURNING restart_requested_at
      """;

  private static final String REQUEST_RESTARTS =
      """
      UPDATE workspace_heartbeats SET restart_requested_at = statement_timestamp()
      WHERE workspace_id = ANY (:ids) AND status <> 'removed'
      RETURNING restart_requested_at
      """;

  private static final String WITHDRAW_RESTART =
      """
      UPDATE workspace_heartbeats SET restart_requested_at = NULL
      WHERE workspace_id = :id AND restart_requested_at IS NOT NULL
      """;

  /** Holds the status of one workspace whose row is locked, and since when it has it. */
  record StatusRow(UUID workspaceId, WorkspaceStatus status, Instant since) {}

  private final JdbcClient db;

  StatusRepository(JdbcClient db) {
    this.db = db;
  }

  /** Returns since when the workspace has its first status. */
  Instant insert(UUID workspaceId) {
    return db.sql(INSERT).param("id", workspaceId).query(StatusRepository::since).single();
  }

  /** Locks in id order, as all code that locks several rows does, to avoid deadlocks. */
  List<StatusRow> lock(Collection<UUID> workspaceIds) {
    return db.sql(LOCK)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query((row, n) ->
            new StatusRow(
                row.getObject("workspace_id", UUID.class),
                WorkspaceStatus.of(row.getString("status")),
                since(row, n)))
        .list();
  }

  Optional<StatusRow> lock(UUID workspaceId) {
    return lock(List.of(workspaceId)).stream().findFirst();
  }

  /**
   * Changes the status of locked rows, from the status read under the lock. Returns since when they
   * have the new one; empty when there are no rows.
   */
  Optional<Instant> move(List<StatusRow> seen, WorkspaceStatus to) {
    List<Instant> moved =
        db.sql(MOVE)
            .param("to", to.wire())
            .param("ids", seen.stream().map(StatusRow::workspaceId).toArray(UUID[]::new))
            .param("expected", seen.stream().map(row -> row.status().wire()).toArray(String[]::new))
            .query(StatusRepository::since)
            .list();
    if (moved.size() != seen.size()) {
      throw new IllegalStateException(
          moved.size() + " of " + seen.size() + " locked rows moved, which indicates a bug");
    }
    return moved.stream().findFirst();
  }

  /**
   * Stores a registration like the first heartbeat of a new agent; {@code to} may be the old
   * status. Returns since when the workspace has it.
   */
  Instant recordRegistration(StatusRow seen, WorkspaceStatus to) {
    List<Instant> recorded =
        db.sql(RECORD_REGISTRATION)
            .param("id", seen.workspaceId())
            .param("from", seen.status().wire())
            .param("to", to.wire())
            .query(StatusRepository::since)
            .list();
    if (recorded.size() != 1) {
      throw new IllegalStateException(
          recorded.size() + " rows of a locked workspace registered, which indicates a bug");
    }
    return recorded.getFirst();
  }

  private static Instant since(ResultSet row, int n) throws SQLException {
    return Timestamps.instant(row, "status_since");
  }

  /** Returns when the restart was requested; empty when the workspace is removed. */
  Optional<Instant> requestRestart(UUID workspaceId) {
    return db.sql(REQUEST_RESTART)
        .param("id", workspaceId)
        .query((row, n) -> Timestamps.instant(row, "restart_requested_at"))
        .optional();
  }

  /** As {@link #requestRestart}, for locked rows; empty when there are none. */
  Optional<Instant> requestRestarts(List<UUID> workspaceIds) {
    return db
        .sql(REQUEST_RESTARTS)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query((row, n) -> Timestamps.instant(row, "restart_requested_at"))
        .list()
        .stream()
        .findFirst();
  }

  /** Returns whether a restart was requested until now. */
  boolean withdrawRestart(UUID workspaceId) {
    return db.sql(WITHDRAW_RESTART).param("id", workspaceId).update() == 1;
  }
}
