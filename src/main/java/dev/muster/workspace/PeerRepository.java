package dev.muster.workspace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.muster.platform.http.Page;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.text.RawJson;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the siblings, children and parent of a workspace (R3.6). */
@Repository
class PeerRepository {

  /**
   * Ends a page early once its cards reach {@code :max_bytes}, because a card has up to 256 KiB.
   */
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
          WHERE w.parent_id IS NULL AND w.removed_at IS NULL AND w.created_at < 'infinity'
      )
      SELECT * FROM (
          SELECT page.*, count(*) OVER () AS found,
              sum(card_bytes) OVER (ORDER BY created_at, id ROWS UNBOUNDED PRECEDING) - card_bytes AS bytes_before
          FROM (
              SELECT w.id, w.name, w.role, w.tier, b.status, w.url, w.delivery_mode, w.parent_id, b.active_tasks,
                  w.agent_card, w.created_at, coalesce(octet_length(w.agent_card::text), 0) AS card_bytes
              FROM peer JOIN workspaces w ON w.id = peer.id JOIN workspace_heartbeats b ON b.workspace_id = w.id
              WHERE w.removed_at IS NULL AND w.id <> :id
                AND (w.created_at, w.id) > (:after_time, :after_id)
                AND (:q::text IS NULL OR strpos(lower(w.name), lower(:q)) > 0 OR strpos(lower(w.role), lower(:q)) > 0)
              ORDER BY w.created_at, w.id
              LIMIT :limit) AS page) AS sized
      WHERE bytes_before < :max_bytes
      ORDER BY created_at, id
      """;

  /** Describes a workspace to its siblings, children and parent (R3.6). */
  record Peer(
      UUID id,
      String name,
      String role,
      int tier,
      WorkspaceStatus status,
      String url,
      DeliveryMode deliveryMode,
      @Nullable UUID parentId,
      int activeTasks,
      @Nullable RawJson agentCard,
      @JsonIgnore Instant createdAt) {}

  private final JdbcClient db;
  private final SecuritySettings settings;

  PeerRepository(JdbcClient db, SecuritySettings settings) {
    this.db = db;
    this.settings = settings;
  }

  Page<Peer> page(UUID id, Optional<String> q, PageCursor after, int limit) {
    AtomicInteger found = new AtomicInteger();
    List<Peer> rows =
        db.sql(PAGE)
            .param("id", id)
            .param("roots", settings.security().rootsAreSiblings())
            .param("q", q.orElse(null))
            .param("after_time", Timestamps.utc(after.createdAt()))
            .param("after_id", after.id())
            .param("limit", limit + 1)
            .param("max_bytes", Page.MAX_BYTES)
            .query((row, n) -> {
              found.setPlain(row.getInt("found"));
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
                  Timestamps.instant(row, "created_at"));
            })
            .list();
    return Page.of(
        rows, found.getPlain(), limit, last -> new PageCursor(last.createdAt(), last.id()));
  }
}
