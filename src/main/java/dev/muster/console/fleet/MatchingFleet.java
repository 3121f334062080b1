package dev.muster.console.fleet;

import dev.muster.platform.postgres.Timestamps;
import dev.muster.workspace.HierarchyCache;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/** Finds the workspaces that a filter matches. */
@Repository
class MatchingFleet {

  /** The number of characters of an error that a filter compares and a row shows. */
  static final int ERROR_CHARACTERS = 160;

  private static final int WORST = 50;

  /**
   * The statement for all filters. An empty array excludes nothing. A null choice allows
   * everything. {@code state_since} is since when a row has the state that the console shows, which
   * is the stall of one that is online. Name and role are joined by a character that neither
   * contains. The planner estimates no CASE; without statistics it would expect few workspaces that
   * are not removed, and would read all workspaces for each level of a branch: so the next level is
   * found in a subquery.
   */
  static final String MATCHING =
      """
      WITH RECURSIVE tops AS MATERIALIZED (
          SELECT branch.term, w.id
          FROM unnest(:branch_terms::integer[], :branches::text[]) AS branch (term, top)
          JOIN api_workspace_fleet w ON w.id::text = branch.top OR lower(w.name) = branch.top
      ), below (term, id) AS (
          SELECT tops.term, w.id FROM tops CROSS JOIN LATERAL (
              SELECT id FROM api_workspace_fleet WHERE parent_id = tops.id OFFSET 0) AS w
          UNION
          SELECT below.term, w.id FROM below CROSS JOIN LATERAL (
              SELECT id FROM api_workspace_fleet WHERE parent_id = below.id OFFSET 0) AS w
      ), inside (id, terms) AS (
          SELECT id, array_agg(term) FROM below GROUP BY id
      ), seen AS (
          SELECT w.id, w.name, w.role, w.tier, w.parent_id, w.runtime, w.delivery_mode, w.created_at,
              b.status, b.status_since, b.last_heartbeat_at, b.stalled, b.stalled_since, b.active_tasks,
              CASE WHEN b.stalled AND b.status = 'online' THEN b.stalled_since ELSE b.status_since END AS state_since,
              CASE WHEN own THEN b.degraded_reason END AS degraded_reason,
              CASE WHEN own THEN left(b.sample_error, 160) ELSE '' END AS sample_error,
              CASE WHEN own THEN b.current_task ELSE '' END AS current_task,
              own AND w.id IN (SELECT workspace_id FROM api_message_queue) AS queued
          FROM api_workspace_fleet w JOIN api_workspace_status b ON b.workspace_id = w.id
          CROSS JOIN LATERAL (SELECT :self::uuid IS NULL OR w.id = :self::uuid AS own) AS sight
          WHERE CASE WHEN w.removed_at IS NULL THEN true ELSE false END AND (:peers::uuid[] IS NULL OR w.id = ANY (:peers::uuid[]))
      ), matching AS (
          SELECT seen.* FROM seen LEFT JOIN inside ON inside.id = seen.id
          CROSS JOIN LATERAL (SELECT
              stalled::integer + 4 * queued::integer
                  + CASE WHEN stalled OR status IN ('degraded', 'offline', 'failed') THEN 2 ELSE 0 END AS conditions,
              lower(name) || E'\\x1f' || lower(coalesce(role, '')) AS words) AS computed
          WHERE (:status::text[] IS NULL OR status = ANY (:status::text[]))
            AND (:not_status::text[] = '{}' OR status <> ALL (:not_status::text[]))
            AND (:reason::text[] IS NULL OR coalesce(degraded_reason, 'none') = ANY (:reason::text[]))
            AND (:not_reason::text[] = '{}' OR coalesce(degraded_reason, 'none') <> ALL (:not_reason::text[]))
            AND (:mode::text[] IS NULL OR delivery_mode = ANY (:mode::text[]))
            AND (:not_mode::text[] = '{}' OR delivery_mode <> ALL (:not_mode::text[]))
            AND (:runtime::text[] IS NULL OR lower(runtime) = ANY (:runtime::text[]))
            AND (:not_runtime::text[] = '{}' OR lower(runtime) <> ALL (:not_runtime::text[]))
            AND (:tier::integer[] IS NULL OR tier = ANY (:tier::integer[]))
            AND (:not_tier::integer[] = '{}' OR tier <> ALL (:not_tier::integer[]))
            AND (:parent::uuid[] IS NULL
                OR coalesce(parent_id, '00000000-0000-0000-0000-000000000000') = ANY (:parent::uuid[]))
            AND (:not_parent::uuid[] = '{}'
                OR coalesce(parent_id, '00000000-0000-0000-0000-000000000000') <> ALL (:not_parent::uuid[]))
            AND (:is::integer[] IS NULL OR conditions = ANY (:is::integer[]))
            AND (:not_is::integer[] = '{}' OR conditions <> ALL (:not_is::integer[]))
            AND (:inside_of::integer[] = '{}' OR coalesce(inside.terms, '{}') @> :inside_of::integer[])
            AND (:outside_of::integer[] = '{}' OR NOT coalesce(inside.terms, '{}') && :outside_of::integer[])
            AND (:words::text[] = '{}' OR words ~ ALL (:words::text[]))
            AND (:not_words::text[] = '{}' OR words !~ ALL (:not_words::text[]))
            AND (:name::text[] = '{}' OR lower(name) ~ ALL (:name::text[]))
            AND (:not_name::text[] = '{}' OR lower(name) !~ ALL (:not_name::text[]))
            AND (:role::text[] = '{}' OR lower(coalesce(role, '')) ~ ALL (:role::text[]))
            AND (:not_role::text[] = '{}' OR lower(coalesce(role, '')) !~ ALL (:not_role::text[]))
            AND (:error::text[] = '{}' OR lower(sample_error) ~ ALL (:error::text[]))
            AND (:not_error::text[] = '{}' OR lower(sample_error) !~ ALL (:not_error::text[]))
            AND (:task::text[] = '{}' OR lower(current_task) ~ ALL (:task::text[]))
            AND (:not_task::text[] = '{}' OR lower(current_task) !~ ALL (:not_task::text[]))
            AND (:heartbeat_before::text[] = '{}' OR last_heartbeat_at < ALL (:heartbeat_before::text[]::timestamptz[]))
            AND (:heartbeat_after::text[] = '{}' OR last_heartbeat_at > ALL (:heartbeat_after::text[]::timestamptz[]))
            AND (:not_heartbeat_before::text[] = '{}'
                OR coalesce(last_heartbeat_at >= ALL (:not_heartbeat_before::text[]::timestamptz[]), true))
            AND (:not_heartbeat_after::text[] = '{}'
                OR coalesce(last_heartbeat_at <= ALL (:not_heartbeat_after::text[]::timestamptz[]), true))
            AND (:since_before::text[] = '{}' OR state_since < ALL (:since_before::text[]::timestamptz[]))
            AND (:since_after::text[] = '{}' OR state_since > ALL (:since_after::text[]::timestamptz[]))
            AND (:not_since_before::text[] = '{}'
                OR coalesce(state_since >= ALL (:not_since_before::text[]::timestamptz[]), true))
            AND (:not_since_after::text[] = '{}'
                OR coalesce(state_since <= ALL (:not_since_after::text[]::timestamptz[]), true))
      )
      """;

  /** The severity of the status; within one its start, newest first. */
  private static final String WORST_FIRST =
      """
      ORDER BY CASE WHEN status = 'failed' THEN 0 WHEN status = 'degraded' AND degraded_reason = 'runtime_wedged' THEN 1
          WHEN status = 'offline' THEN 2 WHEN status = 'degraded' THEN 3 WHEN stalled THEN 4
          WHEN status = 'awaiting_agent' THEN 5 WHEN status = 'paused' THEN 6 ELSE 7 END,
          state_since DESC NULLS LAST, id
      LIMIT :most
      """;

  /**
   * Returns the counts, without an id, and the ids of the worst workspaces. {@code matches} has few
   * columns, because PostgreSQL writes what exceeds its memory for a statement to disk.
   */
  private static final String SUMMARY =
      MATCHING
          + """
          , matches AS MATERIALIZED (
              SELECT id, status, degraded_reason, runtime, stalled, state_since FROM matching)
          SELECT NULL::uuid AS id, status, degraded_reason, runtime, stalled, count(*) AS workspaces FROM matches
          GROUP BY status, degraded_reason, runtime, stalled
          UNION ALL
          (SELECT id, status, degraded_reason, runtime, stalled, NULL FROM matches
          """
          + WORST_FIRST
          + ")";

  private static final String ROWS =
      MATCHING
          + """
          SELECT id, name, role, tier, parent_id, runtime, delivery_mode, status, degraded_reason, stalled,
              stalled_since, status_since, last_heartbeat_at, sample_error, active_tasks, queued
          FROM matching
          """
          + WORST_FIRST;

  /** All that match, counted, and the worst of them. */
  record Matches(List<Count> counts, List<FleetRow> worst) {}

  /** The number of workspaces that have the same values. */
  record Count(
      String status,
      @Nullable String degradedReason,
      String runtime,
      boolean stalled,
      long workspaces) {}

  /**
   * One of the worst workspaces of a summary; its members are named as in docs/api.md, section 2.
   */
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
      @Nullable Instant stalledSince,
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
          Timestamps.instantOrNull(row, "stalled_since"),
          Timestamps.instant(row, "status_since"),
          Timestamps.instantOrNull(row, "last_heartbeat_at"),
          row.getString("sample_error"),
          row.getInt("active_tasks"),
          row.getBoolean("queued"));
    }
  }

  private final JdbcClient db;
  private final HierarchyCache hierarchy;

  MatchingFleet(JdbcClient db, HierarchyCache hierarchy) {
    this.db = db;
    this.hierarchy = hierarchy;
  }

  Matches find(FleetFilter filter, FleetAudience audience) {
    @Nullable UUID self = audience.self();
    UUID @Nullable [] peers = self == null ? null : hierarchy.peersOf(self).toArray(UUID[]::new);
    List<Count> counts = new ArrayList<>();
    List<UUID> worst = new ArrayList<>();
    bound(SUMMARY, filter, self, peers)
        .param("most", WORST)
        .query(row -> {
          @Nullable UUID id = row.getObject("id", UUID.class);
          if (id == null) {
            counts.add(count(row));
          } else {
            worst.add(id);
          }
        });
    return new Matches(counts, rows(worst, self));
  }

  private static Count count(ResultSet row) throws SQLException {
    return new Count(
        row.getString("status"),
        row.getString("degraded_reason"),
        row.getString("runtime"),
        row.getBoolean("stalled"),
        row.getLong("workspaces"));
  }

  private List<FleetRow> rows(List<UUID> ids, @Nullable UUID self) {
    if (ids.isEmpty()) {
      return List.of();
    }
    return bound(ROWS, FleetFilter.ALL, self, ids.toArray(UUID[]::new))
        .param("most", WORST)
        .query(FleetRow::of)
        .list();
  }

  /**
   * Binds {@link #MATCHING}; {@code peers} limits the workspaces that can match, null for no limit.
   */
  StatementSpec bound(
      String sql, FleetFilter filter, @Nullable UUID self, UUID @Nullable [] peers) {
    StatementSpec statement = db.sql(sql).param("self", self).param("peers", peers);
    for (Map.Entry<String, @Nullable Object> parameter : filter.parameters().entrySet()) {
      statement = statement.param(parameter.getKey(), parameter.getValue());
    }
    return statement;
  }
}
