package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.heartbeat.MassOfflineGuard.FleetSilence;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.postgres.Uptime;
import dev.muster.workspace.LifecycleEvents;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/** Finds silent workspaces and takes them offline in batches. */
@Repository
class LivenessRepository {

  private static final String COUNT =
      """
      SELECT count(*) AS live,
          count(*) FILTER (WHERE last_heartbeat_at < :last_heartbeat_before) AS silent,
          count(*) FILTER (WHERE last_heartbeat_at < :last_heartbeat_before
              AND (last_heartbeat_at >= :up_since OR :grace_is_over)) AS due
      FROM workspace_heartbeats WHERE status IN ('online', 'degraded')
      """;

  private static final String DUE_FROM =
      """
      SELECT workspace_id FROM workspace_heartbeats
      WHERE workspace_id >= :from AND status IN ('online', 'degraded')
          AND last_heartbeat_at < :last_heartbeat_before AND (last_heartbeat_at >= :up_since OR :grace_is_over)
      ORDER BY workspace_id LIMIT (SELECT :most)
      """;

  /**
   * Rechecks under the lock, because a heartbeat may have arrived in between; skips locked rows.
   */
  private static final String LOCK =
      """
      SELECT b.workspace_id, w.name, b.status, b.last_heartbeat_at
      FROM workspace_heartbeats b JOIN api_workspace_fleet w ON w.id = b.workspace_id
      WHERE b.workspace_id = ANY (:ids) AND b.status IN ('online', 'degraded')
          AND b.last_heartbeat_at < :last_heartbeat_before AND (b.last_heartbeat_at >= :up_since OR :grace_is_over)
      ORDER BY b.workspace_id
      FOR NO KEY UPDATE OF b SKIP LOCKED
      """;

  private static final String TAKE_OFFLINE =
      """
      UPDATE workspace_heartbeats b
      SET status = 'offline', status_since = statement_timestamp(), degraded_reason = NULL,
          stalled = false, busy_since = NULL
      FROM unnest(:ids::uuid[], :expected::text[]) AS row (workspace_id, status)
      WHERE b.workspace_id = row.workspace_id AND b.status = row.status
      RETURNING b.status_since
      """;

  /**
   * The times that decide which workspaces are silent (R5.1, R5.2).
   *
   * <p>A workspace is silent if its last heartbeat is before {@code lastHeartbeatBefore}. It is due
   * if that heartbeat is also not before {@code upSince}, or if {@code graceIsOver}.
   */
  record SilenceCutoff(
      Instant now, Instant lastHeartbeatBefore, Instant upSince, boolean graceIsOver) {

    static SilenceCutoff at(Uptime uptime, LivenessSettings settings, Duration staleAfter) {
      return new SilenceCutoff(
          uptime.now(),
          uptime.now().minus(staleAfter),
          uptime.upSince(),
          !uptime.now().isBefore(uptime.upSince().plus(settings.grace(staleAfter))));
    }
  }

  /** A workspace that goes offline, as read under its row lock. */
  record SilentWorkspace(
      UUID workspaceId, String name, WorkspaceStatus status, Instant lastHeartbeatAt) {

    NewEvent offlineEvent(Instant now, Instant since) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", name);
      fields.put("last_heartbeat_at", lastHeartbeatAt);
      fields.put("silent_for_s", Duration.between(lastHeartbeatAt, now).toSeconds());
      return LifecycleEvents.of(
          EventType.WORKSPACE_OFFLINE,
          workspaceId,
          status,
          WorkspaceStatus.OFFLINE,
          since,
          null,
          fields);
    }
  }

  private final JdbcClient db;

  LivenessRepository(JdbcClient db) {
    this.db = db;
  }

  FleetSilence count(SilenceCutoff cutoff) {
    return bind(db.sql(COUNT), cutoff)
        .query((row, n) ->
            new FleetSilence(row.getLong("live"), row.getLong("silent"), row.getLong("due")))
        .single();
  }

  /** Returns the next due ids, unlocked; {@code from} is included if it is still due. */
  List<UUID> findDue(UUID from, SilenceCutoff cutoff) {
    return bind(db.sql(DUE_FROM), cutoff)
        .param("from", from)
        .param("most", BatchedTransitions.BATCH_SIZE)
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  /** Locks the workspaces that are still due, in id order, and skips locked rows. */
  List<SilentWorkspace> lock(List<UUID> ids, SilenceCutoff cutoff) {
    return bind(db.sql(LOCK), cutoff)
        .param("ids", ids.toArray(UUID[]::new))
        .query((row, n) ->
            new SilentWorkspace(
                row.getObject("workspace_id", UUID.class),
                row.getString("name"),
                WorkspaceStatus.of(row.getString("status")),
                Timestamps.instant(row, "last_heartbeat_at")))
        .list();
  }

  /** Sets rows that this transaction has locked to offline; returns since when they are. */
  Optional<Instant> takeOffline(List<SilentWorkspace> silent) {
    List<Instant> taken =
        db.sql(TAKE_OFFLINE)
            .param("ids", silent.stream().map(SilentWorkspace::workspaceId).toArray(UUID[]::new))
            .param("expected", silent.stream().map(s -> s.status().wire()).toArray(String[]::new))
            .query((row, n) -> Timestamps.instant(row, "status_since"))
            .list();
    if (taken.size() != silent.size()) {
      throw new IllegalStateException(
          taken.size()
              + " of "
              + silent.size()
              + " locked rows went offline, which indicates a bug");
    }
    return taken.stream().findFirst();
  }

  private static StatementSpec bind(StatementSpec statement, SilenceCutoff cutoff) {
    return statement
        .param("last_heartbeat_before", Timestamps.utc(cutoff.lastHeartbeatBefore()))
        .param("up_since", Timestamps.utc(cutoff.upSince()))
        .param("grace_is_over", cutoff.graceIsOver());
  }
}
