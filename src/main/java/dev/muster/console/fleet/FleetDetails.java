package dev.muster.console.fleet;

import dev.muster.platform.postgres.Timestamps;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.HierarchyCache;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads workspaces by id, with the counts of their messages and delegations. */
@Repository
class FleetDetails {

  /**
   * The transaction that pauses also writes the audit row. The time of the status is the start of
   * that transaction, so the row is slightly later.
   */
  private static final String BY_ID =
      """
      WITH queue AS (
          SELECT workspace_id, count(*) AS depth
          FROM api_message_queue
          WHERE workspace_id = ANY (:ids)
          GROUP BY workspace_id
      ), inbound AS (
          SELECT callee_id, count(*) AS delegations
          FROM api_delegation_open
          WHERE callee_id = ANY (:ids)
          GROUP BY callee_id
      ), outbound AS (
          SELECT caller_id, count(*) AS delegations
          FROM api_delegation_open
          WHERE caller_id = ANY (:ids)
          GROUP BY caller_id
      )
      SELECT w.id, w.name, w.role, w.tier, w.parent_id, w.runtime, w.url, w.delivery_mode, w.max_concurrent_tasks,
          w.created_at, w.updated_at, w.removed_at, b.status, b.status_since, b.degraded_reason, b.last_heartbeat_at,
          b.error_rate, b.sample_error, b.active_tasks, b.current_task, b.uptime_seconds, b.stalled,
          b.stalled_since, b.restart_requested_at, f.last_own_at,
          coalesce(queue.depth, 0) AS queue_depth, coalesce(inbound.delegations, 0) AS in_flight_in,
          coalesce(outbound.delegations, 0) AS in_flight_out,
          (SELECT a.who FROM api_identity_action a
           WHERE b.status = 'paused' AND a.at >= b.status_since AND a.at < b.status_since + interval '5 s'
             AND w.id::text = ANY (a.targets) AND a.action LIKE '%/pause'
           ORDER BY a.at LIMIT 1) AS paused_by
      FROM unnest(:ids::uuid[]) WITH ORDINALITY AS asked (id, place)
      JOIN api_workspace_fleet w ON w.id = asked.id
      JOIN api_workspace_status b ON b.workspace_id = w.id
      LEFT JOIN api_message_feed f ON f.workspace_id = w.id
      LEFT JOIN queue ON queue.workspace_id = w.id
      LEFT JOIN inbound ON inbound.callee_id = w.id
      LEFT JOIN outbound ON outbound.caller_id = w.id
      ORDER BY asked.place
      """;

  /**
   * A workspace with values that no event reports. Its members have the names of docs/api.md,
   * section 2.
   *
   * @param lastHeartbeatAt null when there is none, or when the caller may not see it
   * @param queueDepth the number of its waiting messages; null, like the next three, when the
   *     caller may not see it
   * @param pausedBy the name of the token that paused it; null when it is not paused, or was paused
   *     by its own agent
   * @param lastWroteAt when its agent wrote to its feed last; null before it has
   */
  record FleetDetail(
      UUID id,
      String name,
      @Nullable String role,
      int tier,
      @Nullable UUID parentId,
      String runtime,
      String url,
      String deliveryMode,
      String status,
      @Nullable DegradedReason degradedReason,
      @Nullable String lastSampleError,
      @Nullable String hint,
      @Nullable Double lastErrorRate,
      int activeTasks,
      int maxConcurrentTasks,
      @Nullable String currentTask,
      long uptimeSeconds,
      boolean stalled,
      @Nullable Instant stalledSince,
      @Nullable Instant lastHeartbeatAt,
      Instant statusSince,
      Instant createdAt,
      Instant updatedAt,
      @Nullable Instant removedAt,
      @Nullable Long queueDepth,
      @Nullable Long inFlightIn,
      @Nullable Long inFlightOut,
      @Nullable String pausedBy,
      @Nullable Instant restartRequestedAt,
      @Nullable Instant lastWroteAt) {}

  private final JdbcClient db;
  private final HierarchyCache hierarchy;

  FleetDetails(JdbcClient db, HierarchyCache hierarchy) {
    this.db = db;
    this.hierarchy = hierarchy;
  }

  /** Returns the workspaces that exist and that the audience may see, in the order of the ids. */
  List<FleetDetail> of(List<UUID> ids, FleetAudience audience) {
    @Nullable UUID self = audience.self();
    UUID[] shown =
        ids.stream()
            .distinct()
            .filter(id -> self == null || hierarchy.mayTalk(self, id))
            .toArray(UUID[]::new);
    return db.sql(BY_ID)
        .param("ids", shown)
        .query((row, n) -> {
          UUID id = row.getObject("id", UUID.class);
          return detail(row, id, self == null || id.equals(self));
        })
        .list();
  }

  private static FleetDetail detail(ResultSet row, UUID id, boolean isWhole) throws SQLException {
    @Nullable DegradedReason reason =
        isWhole ? DegradedReason.ofNullable(row.getString("degraded_reason")) : null;
    return new FleetDetail(
        id,
        row.getString("name"),
        row.getString("role"),
        row.getInt("tier"),
        row.getObject("parent_id", UUID.class),
        row.getString("runtime"),
        row.getString("url"),
        row.getString("delivery_mode"),
        row.getString("status"),
        reason,
        isWhole ? row.getString("sample_error") : null,
        reason == null ? null : reason.hint(),
        isWhole ? row.getDouble("error_rate") : null,
        row.getInt("active_tasks"),
        row.getInt("max_concurrent_tasks"),
        isWhole ? row.getString("current_task") : null,
        row.getLong("uptime_seconds"),
        row.getBoolean("stalled"),
        Timestamps.instantOrNull(row, "stalled_since"),
        isWhole ? Timestamps.instantOrNull(row, "last_heartbeat_at") : null,
        Timestamps.instant(row, "status_since"),
        Timestamps.instant(row, "created_at"),
        Timestamps.instant(row, "updated_at"),
        Timestamps.instantOrNull(row, "removed_at"),
        isWhole ? row.getLong("queue_depth") : null,
        isWhole ? row.getLong("in_flight_in") : null,
        isWhole ? row.getLong("in_flight_out") : null,
        isWhole ? row.getString("paused_by") : null,
        isWhole ? Timestamps.instantOrNull(row, "restart_requested_at") : null,
        isWhole ? Timestamps.instantOrNull(row, "last_own_at") : null);
  }
}
