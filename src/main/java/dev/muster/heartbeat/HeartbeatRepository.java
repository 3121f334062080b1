package dev.muster.heartbeat;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.heartbeat.HeartbeatDecision.StoredHealth;
import dev.muster.heartbeat.Heartbeats.HeartbeatResult.Recorded;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

/**
 * Stores heartbeats in batches.
 *
 * <p>Statements use positional parameters, because they run on every heartbeat.
 */
@Repository
class HeartbeatRepository {

  /**
   * The columns that each heartbeat sets, for a SET of {@code workspace_heartbeats b}.
   *
   * <p>An uptime that starts over clears a requested restart. The uptime must also be about as
   * young as the request, because a heartbeat of the same process may be stored late.
   */
  private static final String ASSIGNMENTS =
      """
          last_heartbeat_at = statement_timestamp(),
          error_rate = coalesce(heartbeat.error_rate, b.error_rate),
          sample_error = heartbeat.sample_error,
          active_tasks = coalesce(heartbeat.active_tasks, b.active_tasks),
          busy_since = CASE
              WHEN coalesce(heartbeat.active_tasks, b.active_tasks) > 0
              THEN coalesce(CASE WHEN b.active_tasks > 0 THEN b.busy_since END, statement_timestamp())
          END,
          stalled = b.stalled AND coalesce(heartbeat.active_tasks, b.active_tasks) > 0,
          current_task = coalesce(heartbeat.current_task, b.current_task),
          uptime_seconds = coalesce(heartbeat.uptime_seconds, b.uptime_seconds),
          restart_requested_at = CASE
              WHEN heartbeat.uptime_seconds
                  < least(b.uptime_seconds, extract(epoch FROM statement_timestamp() - b.restart_requested_at) + 60)
              THEN NULL
              ELSE b.restart_requested_at
          END,
          runtime_state = heartbeat.runtime_state,
          capabilities = CASE
              WHEN heartbeat.sets_capabilities THEN heartbeat.capabilities::json
              ELSE b.capabilities
          END,
          native_status = CASE
              WHEN heartbeat.sets_capabilities THEN heartbeat.native_status
              ELSE b.native_status
          END,
          idle_timeout_seconds = CASE
              WHEN heartbeat.sets_idle_timeout THEN heartbeat.idle_timeout_seconds
              ELSE b.idle_timeout_seconds
          END
      """;

  private static final BatchColumns<Heartbeat> COLUMNS =
      BatchColumns.<Heartbeat>none()
          .uuid("workspace_id", Heartbeat::workspaceId)
          .decimal("error_rate", Heartbeat::errorRate)
          .text("sample_error", Heartbeat::sampleError)
          .integer("active_tasks", Heartbeat::activeTasks)
          .text("current_task", Heartbeat::currentTask)
          .bigint("uptime_seconds", Heartbeat::uptimeSeconds)
          .text("runtime_state", Heartbeat::runtimeState)
          .flag("sets_capabilities", heartbeat -> heartbeat.capabilities().given())
          .text(
              "capabilities",
              heartbeat -> heartbeat.capabilities().value().map(json -> json.text()).orElse(null))
          .flag("native_status", Heartbeat::nativeStatus)
          .flag("sets_idle_timeout", heartbeat -> heartbeat.idleTimeoutSeconds().given())
          .integer(
              "idle_timeout_seconds",
              heartbeat -> heartbeat.idleTimeoutSeconds().value().orElse(null));

  private static final BatchColumns<HeartbeatDecision> COLUMNS_OF_EVALUATED =
      COLUMNS
          .of(HeartbeatDecision::heartbeatToStore)
          .text("expected_status", decision -> decision.stored().status().wire())
          .text("next_status", decision -> decision.nextStatus().wire())
          .text("next_reason", decision -> partOf(decision.nextReason(), DegradedReason::wire));

  /**
   * Records heartbeats without a status transition, in one statement and one commit.
   *
   * <p>They are those of online workspaces whose error rate stays below the threshold. Rows are
   * locked in id order. Locked rows are skipped (SKIP LOCKED), so the statement never waits.
   */
  static final String RECORD_STEADY =
      StablePlans.of(
          """
          WITH heartbeat AS (
              SELECT * FROM {ROWS} AS heartbeat ({NAMES})
              ORDER BY workspace_id
          ), steady AS (
              SELECT heartbeat.*, found.place
              FROM heartbeat CROSS JOIN LATERAL (
                  SELECT ctid AS place FROM workspace_heartbeats b
                  WHERE workspace_id = heartbeat.workspace_id AND status = 'online'
                      AND coalesce(heartbeat.error_rate, b.error_rate) < ?
                  FOR NO KEY UPDATE SKIP LOCKED) AS found
          )
          UPDATE workspace_heartbeats b SET
          """
                  .replace("{ROWS}", COLUMNS.unnest())
                  .replace("{NAMES}", COLUMNS.names())
              + ASSIGNMENTS
              + """
              FROM steady AS heartbeat
              WHERE b.ctid = heartbeat.place
              RETURNING b.workspace_id, b.restart_requested_at
              """);

  private static final String LOCK =
      """
      SELECT b.workspace_id, w.name, b.status, b.degraded_reason, b.error_rate, b.sample_error, b.native_status
      FROM workspace_heartbeats b JOIN api_workspace_fleet w ON w.id = b.workspace_id
      WHERE b.workspace_id = ANY (?)
      ORDER BY b.workspace_id
      FOR NO KEY UPDATE OF b SKIP LOCKED
      """;

  private static final String EXISTING =
      "SELECT workspace_id FROM workspace_heartbeats WHERE workspace_id = ANY (?)";

  static final String RECORD_EVALUATED =
      """
      UPDATE workspace_heartbeats b SET
          status_since = CASE
              WHEN heartbeat.next_status = b.status THEN b.status_since
              ELSE statement_timestamp()
          END,
          status = heartbeat.next_status,
          degraded_reason = heartbeat.next_reason,
      """
          + ASSIGNMENTS
          + """
          FROM {ROWS} AS heartbeat ({NAMES})
          WHERE b.workspace_id = heartbeat.workspace_id AND b.status = heartbeat.expected_status
          RETURNING b.workspace_id, b.restart_requested_at, b.status_since
          """
              .replace("{ROWS}", COLUMNS_OF_EVALUATED.unnest())
              .replace("{NAMES}", COLUMNS_OF_EVALUATED.names());

  /** A recorded heartbeat, and since when its workspace has its status. */
  record Stored(Recorded result, Instant statusSince) {}

  private static final Recorded STEADY = new Recorded(WorkspaceStatus.ONLINE, null);

  private final JdbcTemplate db;

  HeartbeatRepository(JdbcTemplate db) {
    this.db = db;
  }

  /**
   * Returns the results of the heartbeats that are committed, by workspace; nothing is stored for
   * the others.
   */
  Map<UUID, Recorded> recordSteady(List<Heartbeat> heartbeats, double degradeAt) {
    Map<UUID, Recorded> recorded = new HashMap<>();
    db.query(
        RECORD_STEADY,
        statement -> {
          int next = COLUMNS.bind(statement, 1, heartbeats);
          statement.setDouble(next, degradeAt);
        },
        row -> {
          @Nullable Instant restart = restartRequestedAt(row);
          recorded.put(
              row.getObject(1, UUID.class),
              restart == null ? STEADY : new Recorded(WorkspaceStatus.ONLINE, restart));
        });
    return recorded;
  }

  /** Locks the unlocked rows in id order (SKIP LOCKED) until the transaction ends. */
  List<StoredHealth> lock(Collection<UUID> workspaceIds) {
    return db.query(
        LOCK, statement -> bindIds(statement, workspaceIds), HeartbeatRepository::health);
  }

  Set<UUID> existing(Collection<UUID> workspaceIds) {
    return new HashSet<>(
        db.query(
            EXISTING,
            statement -> bindIds(statement, workspaceIds),
            (row, n) -> row.getObject("workspace_id", UUID.class)));
  }

  /**
   * Records evaluated heartbeats of rows that this transaction has locked. Returns the results by
   * workspace.
   */
  Map<UUID, Stored> recordEvaluated(Map<UUID, HeartbeatDecision> evaluated) {
    List<HeartbeatDecision> decisions = List.copyOf(evaluated.values());
    Map<UUID, Stored> recorded = new HashMap<>();
    db.query(
        RECORD_EVALUATED,
        statement -> {
          int _ = COLUMNS_OF_EVALUATED.bind(statement, 1, decisions);
        },
        row -> {
          UUID id = row.getObject(1, UUID.class);
          HeartbeatDecision decision = Objects.requireNonNull(evaluated.get(id));
          recorded.put(
              id,
              new Stored(
                  new Recorded(decision.nextStatus(), restartRequestedAt(row)),
                  Timestamps.instant(row, "status_since")));
        });
    if (recorded.size() != evaluated.size()) {
      throw new IllegalStateException(
          recorded.size()
              + " of "
              + evaluated.size()
              + " locked rows took their heartbeats, which indicates a bug");
    }
    return recorded;
  }

  private static @Nullable Instant restartRequestedAt(ResultSet row) throws SQLException {
    return Timestamps.instantOrNull(row, "restart_requested_at");
  }

  private static void bindIds(PreparedStatement statement, Collection<UUID> ids)
      throws SQLException {
    statement.setArray(1, statement.getConnection().createArrayOf("uuid", ids.toArray()));
  }

  private static StoredHealth health(ResultSet row, int n) throws SQLException {
    return new StoredHealth(
        row.getObject("workspace_id", UUID.class),
        row.getString("name"),
        WorkspaceStatus.of(row.getString("status")),
        DegradedReason.ofNullable(row.getString("degraded_reason")),
        row.getDouble("error_rate"),
        row.getString("sample_error"),
        row.getBoolean("native_status"));
  }
}
