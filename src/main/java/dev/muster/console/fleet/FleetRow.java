package dev.muster.console.fleet;

import dev.muster.platform.postgres.Timestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One of the worst workspaces of a summary; its members are named as in docs/api.md, section 2. */
record FleetRow(
    UUID id,
    String name,
    @Nullable String role,
    int tier,
    @Nullable UUID parentId,
    String runtime,
    String deliveryMode,
    String status,
    @Nullable String degradedReason,
    boolean stalled,
    Instant statusSince,
    @Nullable Instant lastHeartbeatAt,
    String lastSampleError,
    int activeTasks,
    boolean queued) {

  static FleetRow of(ResultSet row, int n) throws SQLException {
    return new FleetRow(
        row.getObject("id", UUID.class),
        row.getString("name"),
        row.getString("role"),
        row.getInt("tier"),
        row.getObject("parent_id", UUID.class),
        row.getString("runtime"),
        row.getString("delivery_mode"),
        row.getString("status"),
        row.getString("degraded_reason"),
        row.getBoolean("stalled"),
        Timestamps.instant(row, "status_since"),
        Timestamps.instantOrNull(row, "last_heartbeat_at"),
        row.getString("sample_error"),
        row.getInt("active_tasks"),
        row.getBoolean("queued"));
  }
}
