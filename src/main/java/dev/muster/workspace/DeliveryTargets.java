package dev.muster.workspace;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.muster.platform.time.Timestamps;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads workspaces as targets of messages, and caches them as last read. */
@Repository
class DeliveryTargets {

  private static final String READ =
      """
      SELECT w.id, w.name, w.delivery_mode, w.url, w.max_concurrent_tasks, w.removed_at,
          w.version, b.status, b.active_tasks, b.idle_timeout_seconds, (SELECT version FROM workspace_tree) AS tree_version
      FROM workspaces w JOIN workspace_heartbeats b ON b.workspace_id = w.id
      WHERE w.id = ?
      """;

  private static final int MAX_CACHED = 50_000;

  /** A target, and when it was removed; {@code removedAt} is null while it exists. */
  record Found(DeliveryTarget target, @Nullable Instant removedAt) {}

  private final JdbcClient db;
  private final Cache<UUID, DeliveryTarget> cache =
      Caffeine.newBuilder().maximumSize(MAX_CACHED).build();

  DeliveryTargets(JdbcClient db) {
    this.db = db;
  }

  /** Reads a workspace without its card, which may be large. */
  Optional<Found> read(UUID id) {
    return db.sql(READ)
        .param(id)
        .query((row, n) ->
            new Found(
                new DeliveryTarget(
                    row.getObject("id", UUID.class),
                    row.getString("name"),
                    DeliveryMode.of(row.getString("delivery_mode")),
                    row.getString("url"),
                    WorkspaceStatus.of(row.getString("status")),
                    row.getInt("active_tasks"),
                    row.getInt("max_concurrent_tasks"),
                    row.getObject("idle_timeout_seconds", Integer.class),
                    row.getLong("version"),
                    row.getLong("tree_version")),
                Timestamps.instantOrNull(row, "removed_at")))
        .optional();
  }

  /**
   * Returns a cached target, which may be outdated. Its user must have the database check the
   * versions of {@link DeliveryTarget}.
   */
  Optional<DeliveryTarget> cached(UUID id) {
    return Optional.ofNullable(cache.getIfPresent(id));
  }

  void cache(DeliveryTarget target) {
    cache.put(target.id(), target);
  }
}
