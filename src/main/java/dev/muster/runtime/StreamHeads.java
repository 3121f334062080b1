package dev.muster.runtime;

import dev.muster.event.SeriesRelay.End;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.workspace.WorkspaceListener;
import dev.muster.workspace.WorkspaceStatus;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Stores stream heads; the lock of a head orders the events of its stream.
 *
 * <p>A head exists as long as its workspace. Runs become lost in the transaction that makes the
 * workspace offline or removed, so a crash cannot separate the two.
 */
@Repository
class StreamHeads implements WorkspaceListener {

  private static final String INSERT =
      StablePlans.ofNoTable("INSERT INTO runtime_heads (workspace_id) VALUES (:id)");

  private static final String LOCK_SKIP_LOCKED =
      """
      SELECT workspace_id, last_seq, last_created_at, clock_timestamp() AS now FROM runtime_heads
      WHERE workspace_id = ANY (:ids)
      ORDER BY workspace_id
      FOR NO KEY UPDATE SKIP LOCKED
      """;

  private static final String LOCK =
      """
      SELECT workspace_id, last_seq, last_created_at, clock_timestamp() AS now FROM runtime_heads
      WHERE workspace_id = ANY (:ids)
      ORDER BY workspace_id
      FOR NO KEY UPDATE
      """;

  private static final String PRESENT =
      "SELECT id FROM api_workspace_delivery WHERE id = ANY (:ids) AND removed_at IS NULL";

  private static final BatchColumns<StreamHead> MOVED =
      BatchColumns.<StreamHead>none()
          .uuid("workspace_id", StreamHead::workspaceId)
          .bigint("last_seq", StreamHead::lastSeq)
          .time("last_created_at", StreamHead::lastCreatedAt);

  private static final String MOVE =
      """
      UPDATE runtime_heads h SET last_seq = moved.last_seq, last_created_at = moved.last_created_at
      FROM {ROWS} AS moved ({NAMES})
      WHERE h.workspace_id = moved.workspace_id
      """
          .replace("{ROWS}", MOVED.unnest())
          .replace("{NAMES}", MOVED.names());

  /** Scans all heads, because no column that changes has an index. */
  private static final String ENDS_SINCE =
      """
      SELECT workspace_id, last_seq, least(last_created_at, clock_timestamp()) AS last_changed_at
      FROM runtime_heads WHERE last_created_at > :since
      """;

  private static final String LOSE_RUNS =
      """
      UPDATE runtime_runs SET lost_at = greatest(statement_timestamp(), last_event_at)
      WHERE workspace_id = ANY (:ids) AND ended_at IS NULL AND lost_at IS NULL
      """;

  private static final String DELETE =
      """
      WITH heads AS (DELETE FROM runtime_heads WHERE workspace_id = ANY (:ids)),
      runs AS (DELETE FROM runtime_runs WHERE workspace_id = ANY (:ids)),
      output AS (DELETE FROM runtime_output WHERE workspace_id = ANY (:ids))
      DELETE FROM runtime_segments WHERE workspace_id = ANY (:ids)
      """;

  /** The locked head of a stream; {@code now} is the database's time under the lock. */
  record StreamHead(UUID workspaceId, long lastSeq, Instant lastCreatedAt, Instant now) {

    /** Returns the time of the next event, never earlier than that of the last one. */
    Instant next() {
      return now.isAfter(lastCreatedAt) ? now : lastCreatedAt;
    }

    StreamHead movedTo(long seq) {
      return new StreamHead(workspaceId, seq, next(), now);
    }
  }

  private final JdbcClient db;
  private final JdbcTemplate batches;

  StreamHeads(JdbcClient db, JdbcTemplate batches) {
    this.db = db;
    this.batches = batches;
  }

  @Override
  public void created(UUID workspaceId) {
    db.sql(INSERT).param("id", workspaceId).update();
  }

  /** Locks first: so the next statement sees the runs that the previous lock holder committed. */
  @Override
  public void statusChanged(Collection<UUID> workspaceIds, WorkspaceStatus status) {
    if (status == WorkspaceStatus.OFFLINE || status == WorkspaceStatus.REMOVED) {
      List<StreamHead> _ = lock(workspaceIds);
      db.sql(LOSE_RUNS).param("ids", workspaceIds.toArray(UUID[]::new)).update();
    }
  }

  @Override
  public void deleted(List<UUID> workspaceIds) {
    db.sql(DELETE).param("ids", workspaceIds.toArray(UUID[]::new)).update();
  }

  /** Locks the unlocked heads in id order (SKIP LOCKED) until the transaction ends. */
  List<StreamHead> lockSkippingLocked(Collection<UUID> workspaceIds) {
    return lock(LOCK_SKIP_LOCKED, workspaceIds);
  }

  /** Locks all heads in id order until the transaction ends; waits for locked ones. */
  List<StreamHead> lock(Collection<UUID> workspaceIds) {
    return lock(LOCK, workspaceIds);
  }

  private List<StreamHead> lock(String statement, Collection<UUID> workspaceIds) {
    return db.sql(statement)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query(StreamHeads::head)
        .list();
  }

  /**
   * Returns the workspaces that are not removed.
   *
   * <p>The caller holds the head locks, so the result stays valid until they are released.
   */
  Set<UUID> present(Collection<UUID> workspaceIds) {
    return db.sql(PRESENT)
        .param("ids", workspaceIds.toArray(UUID[]::new))
        .query((row, n) -> row.getObject("id", UUID.class))
        .set();
  }

  /** Updates heads that this transaction has locked. */
  void move(List<StreamHead> heads) {
    int moved =
        batches.update(
            MOVE,
            (PreparedStatement statement) -> {
              int _ = MOVED.bind(statement, 1, heads);
            });
    if (moved != heads.size()) {
      throw new IllegalStateException(
          moved + " of " + heads.size() + " locked streams moved, which indicates a bug");
    }
  }

  List<End> endsSince(Instant time) {
    return db.sql(ENDS_SINCE).param("since", Timestamps.utc(time)).query(End::of).list();
  }

  private static StreamHead head(ResultSet row, int n) throws SQLException {
    return new StreamHead(
        row.getObject("workspace_id", UUID.class),
        row.getLong("last_seq"),
        Timestamps.instant(row, "last_created_at"),
        Timestamps.instant(row, "now"));
  }
}
