package dev.muster.heartbeat;

import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the last heartbeat of workspaces. */
@Repository
class HeartbeatSnapshotRepository {

  private static final String OF =
      """
      SELECT workspace_id, last_heartbeat_at, active_tasks, uptime_seconds, current_task FROM api_workspace_heartbeat
      WHERE workspace_id = ANY (:ids) AND last_heartbeat_at IS NOT NULL
      """;

  private static final String CHANGED_SINCE =
      """
      SELECT workspace_id, last_heartbeat_at, active_tasks, uptime_seconds, current_task FROM api_workspace_heartbeat
      WHERE last_heartbeat_at > :since
      """;

  /** The work that a workspace's last heartbeat reported. */
  record HeartbeatSnapshot(
      UUID workspaceId,
      Instant lastHeartbeatAt,
      int activeTasks,
      long uptimeSeconds,
      String currentTask) {

    /** Returns the payload of {@code WORKSPACE_HEARTBEAT}. */
    Map<String, ?> heartbeat() {
      Map<String, Object> payload = new LinkedHashMap<>();
      payload.put("active_tasks", activeTasks);
      payload.put("uptime_seconds", uptimeSeconds);
      return payload;
    }

    /** Returns the payload of {@code TASK_UPDATED}. */
    Map<String, ?> task() {
      Map<String, Object> payload = new LinkedHashMap<>();
      payload.put("current_task", currentTask);
      payload.put("active_tasks", activeTasks);
      return payload;
    }
  }

  private final JdbcClient db;

  HeartbeatSnapshotRepository(JdbcClient db) {
    this.db = db;
  }

  List<HeartbeatSnapshot> of(Collection<UUID> workspaceIds) {
    if (workspaceIds.isEmpty()) {
      return List.of();
    }
    return db.sql(OF)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query(HeartbeatSnapshotRepository::telemetry)
        .list();
  }

  /** Scans all rows, because no column that a heartbeat updates has an index. */
  List<HeartbeatSnapshot> changedSince(Instant time) {
    return db.sql(CHANGED_SINCE)
        .param("since", Timestamps.utc(time))
        .query(HeartbeatSnapshotRepository::telemetry)
        .list();
  }

  private static HeartbeatSnapshot telemetry(ResultSet row, int n) throws SQLException {
    return new HeartbeatSnapshot(
        row.getObject("workspace_id", UUID.class),
        Timestamps.instant(row, "last_heartbeat_at"),
        row.getInt("active_tasks"),
        row.getLong("uptime_seconds"),
        row.getString("current_task"));
  }
}
