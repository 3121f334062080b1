package dev.muster.workspace;

import dev.muster.platform.http.PageCursor;
import dev.muster.platform.json.RawJson;
import dev.muster.platform.postgres.SqlTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the workspaces next to one: siblings, children and parent (R3.6). */
@Repository
class PeerRepository {

  private static final String PAGE =
      """
      WITH me AS (SELECT id, parent_id FROM workspaces WHERE id = :id),
      peer AS (
          SELECT w.id FROM workspaces w JOIN me ON w.parent_id = me.parent_id
          UNION
          SELECT w.id FROM workspaces w JOIN me ON w.parent_id = me.id
          UNION
          SELECT parent_id FROM me
          UNION
          SELECT w.id FROM workspaces w JOIN me ON :roots AND me.parent_id IS NULL
          WHERE w.parent_id IS NULL AND w.removed_at IS NULL
      )
      SELECT w.id, w.name, w.role, w.tier, b.status, w.url, w.delivery_mode, w.parent_id, b.active_tasks, w.agent_card,
          w.created_at
      FROM peer JOIN workspaces w ON w.id = peer.id JOIN workspace_beats b ON b.workspace_id = w.id
      WHERE w.removed_at IS NULL AND w.id <> :id
        AND (w.created_at, w.id) > (:after_time, :after_id)
        AND (:q::text IS NULL OR strpos(lower(w.name), lower(:q)) > 0 OR strpos(lower(w.role), lower(:q)) > 0)
      ORDER BY w.created_at, w.id
      LIMIT :limit
      """;

  private final JdbcClient db;
  private final WorkspaceSettings settings;

  PeerRepository(JdbcClient db, WorkspaceSettings settings) {
    this.db = db;
    this.settings = settings;
  }

  List<Peer> page(UUID id, Optional<String> q, PageCursor after, int limit) {
    return db.sql(PAGE)
        .param("id", id)
        .param("roots", settings.rootsAreSiblings())
        .param("q", q.orElse(null))
        .param("after_time", SqlTime.utc(after.createdAt()))
        .param("after_id", after.id())
        .param("limit", limit)
        .query((row, n) -> {
          @Nullable String role = row.getString("role");
          @Nullable String card = row.getString("agent_card");
          return new Peer(
              row.getObject("id", UUID.class),
              row.getString("name"),
              role == null ? "" : role,
              row.getInt("tier"),
              WorkspaceStatus.of(row.getString("status")),
              row.getString("url"),
              DeliveryMode.of(row.getString("delivery_mode")),
              row.getObject("parent_id", UUID.class),
              row.getInt("active_tasks"),
              card == null ? null : new RawJson(card),
              SqlTime.instant(row, "created_at"));
        })
        .list();
  }
}
