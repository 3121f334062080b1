package dev.muster.workspace;

import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.text.RawJson;
import dev.muster.protocol.A2aVersion;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Stores the identity rows of workspaces, and reads them together with their status. */
@Repository
class WorkspaceRepository {

  private static final String INSERT =
      """
      INSERT INTO workspaces (
          id, name, role, tier, parent_id, runtime, url, delivery_mode, mode_said, agent_protocol,
          max_concurrent_tasks, agent_card, x, y, created_at, updated_at)
      SELECT
          :id, :name, :role, :tier, :parent_id, :runtime, :url, :delivery_mode, :mode_said, :agent_protocol,
          :max_concurrent_tasks, :agent_card::json, :x, :y, now(), now()
      WHERE NOT EXISTS (SELECT FROM removed_workspaces WHERE id = :id)
      ON CONFLICT (id) DO NOTHING
      """;

  private static final String FIND =
      """
      SELECT w.id, w.name, w.role, w.tier, w.parent_id, w.runtime, w.url, w.delivery_mode, w.mode_said, w.agent_card,
          w.max_concurrent_tasks, w.x, w.y, w.collapsed, w.created_at, w.updated_at, w.removed_at,
          b.status, b.status_since, b.degraded_reason, b.sample_error, b.error_rate, b.active_tasks, b.current_task,
          b.uptime_seconds, b.stalled, CASE WHEN b.stalled THEN b.stalled_since END AS stalled_since,
          b.last_heartbeat_at, b.restart_requested_at
      FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
      WHERE w.id = :id
      """;

  /** Reads no card, which may be large. */
  private static final String FIND_TARGETS =
      """
      SELECT w.id, w.name, w.delivery_mode, w.url, w.max_concurrent_tasks, w.removed_at, w.version,
          w.agent_protocol, b.status, b.active_tasks, b.idle_timeout_seconds,
          (SELECT version FROM workspace_tree) AS tree_version
      FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
      WHERE w.id = ANY (?)
      """;

  /**
   * Ends a page early once its cards reach {@code :max_bytes}, because a card has up to 256 KiB.
   */
  private static final String PAGE =
      """
      SELECT * FROM (
          SELECT page.*, count(*) OVER () AS found,
              sum(card_bytes) OVER (ORDER BY created_at, id ROWS UNBOUNDED PRECEDING) - card_bytes AS bytes_before
          FROM (
              SELECT w.id, w.name, w.role, w.tier, w.parent_id, w.runtime, w.url, w.delivery_mode, w.mode_said, w.agent_card,
                  w.max_concurrent_tasks, w.x, w.y, w.collapsed, w.created_at, w.updated_at, w.removed_at,
                  b.status, b.status_since, b.degraded_reason, b.sample_error, b.error_rate, b.active_tasks,
                  b.current_task, b.uptime_seconds, b.stalled,
                  CASE WHEN b.stalled THEN b.stalled_since END AS stalled_since,
                  b.last_heartbeat_at, b.restart_requested_at,
                  coalesce(octet_length(w.agent_card::text), 0) AS card_bytes
              FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
              WHERE w.removed_at IS NULL AND w.created_at < 'infinity'
                AND (w.created_at, w.id) > (:after_time, :after_id)
                AND (:status::text IS NULL OR b.status = :status)
                AND (:parent_id::uuid IS NULL OR w.parent_id = :parent_id)
                AND (:q::text IS NULL OR strpos(lower(w.name), lower(:q)) > 0 OR strpos(lower(w.role), lower(:q)) > 0)
              ORDER BY w.created_at, w.id
              LIMIT :limit) AS page) AS sized
      WHERE bytes_before < :max_bytes
      ORDER BY created_at, id
      """;

  private static final String UPDATE =
      """
      UPDATE workspaces SET
          name = :name, role = :role, tier = :tier, parent_id = :parent_id, runtime = :runtime, url = :url,
          delivery_mode = :delivery_mode, mode_said = :mode_said,
          agent_protocol = CASE
              WHEN url = :url AND agent_card::text IS NOT DISTINCT FROM :agent_card THEN agent_protocol
              ELSE :agent_protocol
          END,
          max_concurrent_tasks = :max_concurrent_tasks, agent_card = :agent_card::json, x = :x, y = :y, collapsed = :collapsed, updated_at = now(), version = version + 1
      WHERE id = :id AND removed_at IS NULL
      """;

  private static final String STORE_CARD =
      """
      UPDATE workspaces SET agent_card = :agent_card::json, updated_at = now(), version = version + 1
      WHERE id = :id AND removed_at IS NULL AND agent_card::text IS DISTINCT FROM :agent_card
      RETURNING url
      """;

  private static final String STORE_REGISTRATION =
      """
      WITH was AS (SELECT agent_card::text AS agent_card FROM workspaces WHERE id = :id)
      UPDATE workspaces w SET
          agent_card = :agent_card::json, url = :url, delivery_mode = :delivery_mode, mode_said = :mode_said,
          agent_protocol = :agent_protocol, updated_at = now(), version = w.version + 1
      FROM was WHERE w.id = :id AND w.removed_at IS NULL
      RETURNING was.agent_card IS DISTINCT FROM :agent_card
      """;

  private static final String STORE_PROTOCOL =
      """
      UPDATE workspaces SET agent_protocol = :version, version = version + 1
      WHERE id = :id AND removed_at IS NULL AND agent_protocol IS DISTINCT FROM :version
      """;

  private static final String MARK_REMOVED =
      """
      UPDATE workspaces SET removed_at = now(), updated_at = now(), version = version + 1
      WHERE id = ANY (:ids) AND removed_at IS NULL
      """;

  private static final String DELETED_REMOVED_AT =
      "SELECT removed_at FROM removed_workspaces WHERE id = :id";

  private static final String NAMED = "SELECT id, name, role FROM workspaces WHERE id = ANY (:ids)";

  private final JdbcClient db;

  WorkspaceRepository(JdbcClient db) {
    this.db = db;
  }

  /** Restricts a list of workspaces. */
  record Filter(Optional<WorkspaceStatus> status, Optional<UUID> parentId, Optional<String> q) {}

  /** A target, and when it was removed; {@code removedAt} is null while it exists. */
  record FoundTarget(DeliveryTarget target, @Nullable Instant removedAt) {}

  /** Inserts a workspace; returns false when an existing or removed workspace has the id. */
  boolean insert(NewWorkspace workspace) {
    return db.sql(INSERT)
            .param("id", workspace.id())
            .param("name", workspace.name())
            .param("role", workspace.role().orElse(null))
            .param("tier", workspace.tier())
            .param("parent_id", workspace.parentId().orElse(null))
            .param("runtime", workspace.runtime())
            .param("url", workspace.delivery().url())
            .param("delivery_mode", workspace.delivery().mode().wire())
            .param("mode_said", workspace.delivery().isSaid())
            .param("agent_protocol", wireOrNull(workspace.delivery().agentProtocol()))
            .param("max_concurrent_tasks", workspace.maxConcurrentTasks())
            .param("agent_card", workspace.agentCard().map(RawJson::text).orElse(null))
            .param("x", workspace.x())
            .param("y", workspace.y())
            .update()
        == 1;
  }

  /** Finds a workspace, removed ones included. */
  Optional<Workspace> find(UUID id) {
    return db.sql(FIND).param("id", id).query(WorkspaceRepository::workspace).optional();
  }

  /** Finds workspaces as targets of messages, removed ones included. */
  List<FoundTarget> findTargets(Collection<UUID> ids) {
    return db.sql(FIND_TARGETS)
        .param(ids.toArray(UUID[]::new))
        .query(WorkspaceRepository::target)
        .list();
  }

  Page<Workspace> page(Filter filter, PageCursor after, int limit) {
    AtomicInteger found = new AtomicInteger();
    List<Workspace> rows =
        db.sql(PAGE)
            .param("after_time", Timestamps.utc(after.createdAt()))
            .param("after_id", after.id())
            .param("status", filter.status().map(WorkspaceStatus::wire).orElse(null))
            .param("parent_id", filter.parentId().orElse(null))
            .param("q", filter.q().orElse(null))
            .param("limit", limit + 1)
            .param("max_bytes", Page.MAX_BYTES)
            .query((row, n) -> {
              found.setPlain(row.getInt("found"));
              return workspace(row, n);
            })
            .list();
    return Page.of(
        rows, found.getPlain(), limit, last -> new PageCursor(last.createdAt(), last.id()));
  }

  /** Returns when a workspace was removed whose row is deleted by now. */
  Optional<Instant> deletedRemovedAt(UUID id) {
    return db.sql(DELETED_REMOVED_AT)
        .param("id", id)
        .query((row, n) -> Timestamps.instant(row, "removed_at"))
        .optional();
  }

  /**
   * Stores the fields that a patch may change. The version of A2A stays as it is, unless the url or
   * the card changes.
   */
  void update(Workspace changed, Optional<A2aVersion> agentProtocol) {
    db.sql(UPDATE)
        .param("id", changed.id())
        .param("name", changed.name())
        .param("role", changed.role())
        .param("tier", changed.tier())
        .param("parent_id", changed.parentId())
        .param("runtime", changed.runtime())
        .param("url", changed.url())
        .param("delivery_mode", changed.deliveryMode().wire())
        .param("mode_said", changed.modeSaid())
        .param("agent_protocol", wireOrNull(agentProtocol))
        .param("max_concurrent_tasks", changed.maxConcurrentTasks())
        .param("agent_card", changed.agentCard() == null ? null : changed.agentCard().text())
        .param("x", changed.x())
        .param("y", changed.y())
        .param("collapsed", changed.collapsed())
        .update();
  }

  /** Stores a card; returns the workspace's url if the card differs from the previous one. */
  Optional<String> storeCard(UUID id, RawJson card) {
    return db.sql(STORE_CARD)
        .param("id", id)
        .param("agent_card", card.text())
        .query(String.class)
        .optional();
  }

  /** Stores a registration; returns whether its card differs from the previous one. */
  boolean storeRegistration(UUID id, RawJson card, DeliveryChoice delivery) {
    return db.sql(STORE_REGISTRATION)
        .param("id", id)
        .param("agent_card", card.text())
        .param("url", delivery.url())
        .param("delivery_mode", delivery.mode().wire())
        .param("mode_said", delivery.isSaid())
        .param("agent_protocol", wireOrNull(delivery.agentProtocol()))
        .query(Boolean.class)
        .single();
  }

  /** Stores the version of A2A that the agent speaks; returns whether it differs. */
  boolean storeProtocol(UUID id, Optional<A2aVersion> version) {
    return db.sql(STORE_PROTOCOL).param("id", id).param("version", wireOrNull(version)).update()
        == 1;
  }

  void markRemoved(List<UUID> ids) {
    db.sql(MARK_REMOVED).param("ids", ids.toArray(UUID[]::new)).update();
  }

  List<WorkspaceLabel> labelsOf(Collection<UUID> ids) {
    return db.sql(NAMED)
        .param("ids", ids.toArray(UUID[]::new))
        .query((row, n) ->
            new WorkspaceLabel(
                row.getObject("id", UUID.class), row.getString("name"), row.getString("role")))
        .list();
  }

  private static FoundTarget target(ResultSet row, int n) throws SQLException {
    return new FoundTarget(
        new DeliveryTarget(
            row.getObject("id", UUID.class),
            row.getString("name"),
            DeliveryMode.of(row.getString("delivery_mode")),
            row.getString("url"),
            WorkspaceStatus.of(row.getString("status")),
            row.getInt("active_tasks"),
            row.getInt("max_concurrent_tasks"),
            row.getObject("idle_timeout_seconds", Integer.class),
            versionOrNull(row.getString("agent_protocol")),
            row.getLong("version"),
            row.getLong("tree_version")),
        Timestamps.instantOrNull(row, "removed_at"));
  }

  private static @Nullable String wireOrNull(Optional<A2aVersion> version) {
    return version.map(A2aVersion::wire).orElse(null);
  }

  private static @Nullable A2aVersion versionOrNull(@Nullable String agentProtocol) {
    return agentProtocol == null ? null : A2aVersion.of(agentProtocol);
  }

  private static Workspace workspace(ResultSet row, int n) throws SQLException {
    @Nullable String card = row.getString("agent_card");
    @Nullable DegradedReason reason = DegradedReason.ofNullable(row.getString("degraded_reason"));
    return new Workspace(
        row.getObject("id", UUID.class),
        row.getString("name"),
        row.getString("role"),
        row.getInt("tier"),
        row.getObject("parent_id", UUID.class),
        row.getString("runtime"),
        row.getString("url"),
        DeliveryMode.of(row.getString("delivery_mode")),
        row.getBoolean("mode_said"),
        card == null ? null : new RawJson(card),
        WorkspaceStatus.of(row.getString("status")),
        reason,
        row.getString("sample_error"),
        reason == null ? null : reason.hint(),
        row.getDouble("error_rate"),
        row.getInt("active_tasks"),
        row.getInt("max_concurrent_tasks"),
        row.getString("current_task"),
        row.getLong("uptime_seconds"),
        row.getBoolean("stalled"),
        Timestamps.instantOrNull(row, "stalled_since"),
        Timestamps.instantOrNull(row, "last_heartbeat_at"),
        Timestamps.instantOrNull(row, "restart_requested_at"),
        Timestamps.instant(row, "status_since"),
        row.getDouble("x"),
        row.getDouble("y"),
        row.getBoolean("collapsed"),
        Timestamps.instant(row, "created_at"),
        Timestamps.instant(row, "updated_at"),
        Timestamps.instantOrNull(row, "removed_at"));
  }
}
