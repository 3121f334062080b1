package dev.muster.heartbeat;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.postgres.Uptime;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.LifecycleEvents;
import dev.muster.workspace.WorkspaceStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Finds busy workspaces that write nothing, and marked ones that no longer stall. No other class
 * writes {@code stalled_since}.
 *
 * <p>No column that a heartbeat updates has an index, so each query scans the heartbeat rows.
 */
@Repository
class StallRepository {

  /** The planner estimates no CASE; it would expect so few rows that it would sort them all. */
  private static final String DUE_FROM =
      """
      SELECT b.workspace_id FROM workspace_heartbeats b LEFT JOIN api_message_feed f ON f.workspace_id = b.workspace_id
      WHERE b.workspace_id >= :from
          AND CASE WHEN NOT b.stalled AND b.stalled_since IS NULL AND b.status IN ('online', 'degraded')
              AND b.active_tasks > 0 AND b.busy_since < :quiet_before AND b.last_heartbeat_at >= :last_heartbeat_since
              AND greatest(b.busy_since, f.last_own_at, :up_since) < :quiet_before
              THEN true ELSE false END
      ORDER BY b.workspace_id LIMIT (SELECT :most)
      """;

  /**
   * Rechecks under the lock, because a heartbeat may have arrived in between; skips locked rows.
   */
  private static final String LOCK_DUE =
      """
      SELECT b.workspace_id, w.name, b.status, b.status_since, b.degraded_reason, b.active_tasks, b.current_task,
          b.busy_since, greatest(b.busy_since, f.last_own_at) AS silent_since
      FROM workspace_heartbeats b JOIN api_workspace_fleet w ON w.id = b.workspace_id
      LEFT JOIN api_message_feed f ON f.workspace_id = b.workspace_id
      WHERE b.workspace_id = ANY (:ids) AND NOT b.stalled AND b.stalled_since IS NULL AND b.status IN ('online', 'degraded')
          AND b.active_tasks > 0 AND b.busy_since < :quiet_before AND b.last_heartbeat_at >= :last_heartbeat_since
          AND greatest(b.busy_since, f.last_own_at, :up_since) < :quiet_before
      ORDER BY b.workspace_id
      FOR NO KEY UPDATE OF b SKIP LOCKED
      """;

  private static final String MARK =
      """
      UPDATE workspace_heartbeats SET stalled = true, stalled_since = :now
      WHERE workspace_id = ANY (:ids) AND NOT stalled
      """;

  /**
   * Also finds stalls that a heartbeat, a registration or a new status has ended: they clear {@code
   * stalled} and leave the time. Ignores {@code upSince}: an uptime gap is no sign of work, so it
   * ends no stall.
   */
  private static final String OVER_FROM =
      """
      SELECT b.workspace_id FROM workspace_heartbeats b LEFT JOIN api_message_feed f ON f.workspace_id = b.workspace_id
      WHERE b.workspace_id >= :from AND (b.stalled OR b.stalled_since IS NOT NULL)
          AND (NOT b.stalled OR b.status NOT IN ('online', 'degraded') OR b.active_tasks = 0 OR b.busy_since IS NULL
              OR greatest(b.busy_since, f.last_own_at) >= :quiet_before)
      ORDER BY b.workspace_id LIMIT (SELECT :most)
      """;

  private static final String UNMARK =
      """
      WITH over AS (
          SELECT b.workspace_id, b.stalled_since, w.name
          FROM workspace_heartbeats b JOIN api_workspace_fleet w ON w.id = b.workspace_id
          LEFT JOIN api_message_feed f ON f.workspace_id = b.workspace_id
          WHERE b.workspace_id = ANY (:ids) AND (b.stalled OR b.stalled_since IS NOT NULL)
              AND (NOT b.stalled OR b.status NOT IN ('online', 'degraded') OR b.active_tasks = 0 OR b.busy_since IS NULL
                  OR greatest(b.busy_since, f.last_own_at) >= :quiet_before)
          ORDER BY b.workspace_id
          FOR NO KEY UPDATE OF b SKIP LOCKED
      )
      UPDATE workspace_heartbeats b SET stalled = false, stalled_since = NULL
      FROM over WHERE b.workspace_id = over.workspace_id
      RETURNING b.workspace_id, over.name, b.status, b.status_since, b.degraded_reason, over.stalled_since
      """;

  /**
   * The times that decide which workspaces are stalled.
   *
   * <p>A workspace is stalled if it has been busy and wrote nothing since before {@code
   * quietBefore}, with a heartbeat since {@code lastHeartbeatSince}. No workspace is stalled unless
   * {@code upSince} is before {@code quietBefore}, because its writes may have failed during the
   * uptime gap.
   */
  record StallCutoff(
      Instant now, Instant quietBefore, Instant lastHeartbeatSince, Instant upSince) {

    static StallCutoff at(Uptime uptime, Duration stalledAfter, Duration staleAfter) {
      return new StallCutoff(
          uptime.now(),
          uptime.now().minus(stalledAfter),
          uptime.now().minus(staleAfter),
          uptime.upSince());
    }
  }

  /** A busy workspace that writes nothing, as read under its row lock. */
  record StalledWorkspace(
      UUID workspaceId,
      String name,
      WorkspaceStatus status,
      Instant statusSince,
      @Nullable DegradedReason degradedReason,
      int activeTasks,
      String currentTask,
      Instant busySince,
      Instant silentSince) {

    /** Builds the event, whose old and new status are equal. */
    NewEvent event(Instant now) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("name", name);
      fields.put("active_tasks", activeTasks);
      fields.put("current_task", currentTask);
      fields.put("busy_since", busySince);
      fields.put("silent_for_s", Duration.between(silentSince, now).toSeconds());
      fields.put("stalled_since", now);
      return LifecycleEvents.of(
          EventType.WORKSPACE_STALLED,
          workspaceId,
          status,
          status,
          statusSince,
          degradedReason,
          fields);
    }
  }

  /**
   * A workspace whose stall is over.
   *
   * @param stalledSince null when an earlier version of the server began the stall
   */
  record EndedStall(
      UUID workspaceId,
      String name,
      WorkspaceStatus status,
      Instant statusSince,
      @Nullable DegradedReason degradedReason,
      @Nullable Instant stalledSince) {

    /** Whether no event of another status has told the end. */
    boolean isUp() {
      return status == WorkspaceStatus.ONLINE || status == WorkspaceStatus.DEGRADED;
    }

    /** Builds the event, whose old and new status are equal. */
    NewEvent event() {
      Map<String, @Nullable Object> fields = new LinkedHashMap<>();
      fields.put("name", name);
      fields.put("stalled_since", stalledSince);
      return LifecycleEvents.of(
          EventType.WORKSPACE_STALL_ENDED,
          workspaceId,
          status,
          status,
          statusSince,
          degradedReason,
          fields);
    }
  }

  private final JdbcClient db;

  StallRepository(JdbcClient db) {
    this.db = db;
  }

  /** Returns the next due ids, unlocked; {@code from} is included if it is still due. */
  List<UUID> findDue(UUID from, StallCutoff cutoff) {
    return db.sql(DUE_FROM)
        .param("from", from)
        .param("quiet_before", Timestamps.utc(cutoff.quietBefore()))
        .param("last_heartbeat_since", Timestamps.utc(cutoff.lastHeartbeatSince()))
        .param("up_since", Timestamps.utc(cutoff.upSince()))
        .param("most", BatchedTransitions.BATCH_SIZE)
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  /** Locks the workspaces that are still due, in id order, and skips locked rows. */
  List<StalledWorkspace> lockDue(List<UUID> ids, StallCutoff cutoff) {
    return db.sql(LOCK_DUE)
        .param("ids", ids.toArray(UUID[]::new))
        .param("quiet_before", Timestamps.utc(cutoff.quietBefore()))
        .param("last_heartbeat_since", Timestamps.utc(cutoff.lastHeartbeatSince()))
        .param("up_since", Timestamps.utc(cutoff.upSince()))
        .query((row, n) ->
            new StalledWorkspace(
                row.getObject("workspace_id", UUID.class),
                row.getString("name"),
                WorkspaceStatus.of(row.getString("status")),
                Timestamps.instant(row, "status_since"),
                DegradedReason.ofNullable(row.getString("degraded_reason")),
                row.getInt("active_tasks"),
                row.getString("current_task"),
                Timestamps.instant(row, "busy_since"),
                Timestamps.instant(row, "silent_since")))
        .list();
  }

  /** Marks rows that this transaction has locked. */
  void mark(List<StalledWorkspace> stalled, Instant now) {
    int marked =
        db.sql(MARK)
            .param("now", Timestamps.utc(now))
            .param("ids", stalled.stream().map(StalledWorkspace::workspaceId).toArray(UUID[]::new))
            .update();
    if (marked != stalled.size()) {
      throw new IllegalStateException(
          marked + " of " + stalled.size() + " locked rows were marked, which indicates a bug");
    }
  }

  /** Returns the next ids whose stall is over, unlocked; pages like {@link #findDue}. */
  List<UUID> findEnded(UUID from, StallCutoff cutoff) {
    return db.sql(OVER_FROM)
        .param("from", from)
        .param("quiet_before", Timestamps.utc(cutoff.quietBefore()))
        .param("most", BatchedTransitions.BATCH_SIZE)
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  /** Ends the stalls that are still over, and skips locked rows. */
  List<EndedStall> unmark(List<UUID> ids, StallCutoff cutoff) {
    return db.sql(UNMARK)
        .param("ids", ids.toArray(UUID[]::new))
        .param("quiet_before", Timestamps.utc(cutoff.quietBefore()))
        .query((row, n) ->
            new EndedStall(
                row.getObject("workspace_id", UUID.class),
                row.getString("name"),
                WorkspaceStatus.of(row.getString("status")),
                Timestamps.instant(row, "status_since"),
                DegradedReason.ofNullable(row.getString("degraded_reason")),
                Timestamps.instantOrNull(row, "stalled_since")))
        .list();
  }
}
