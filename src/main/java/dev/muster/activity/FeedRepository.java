package dev.muster.activity;

import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.SqlTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.stereotype.Repository;

/** The heads of feeds, whose locks make the order of rows (R6.4). */
@Repository
class FeedRepository {

  private static final String LOCK_UNLESS_BUSY =
      """
      SELECT workspace_id, last_seq, last_created_at, last_own_at, clock_timestamp() AS now FROM activity_feeds
      WHERE workspace_id = ANY (?)
      ORDER BY workspace_id
      FOR NO KEY UPDATE SKIP LOCKED
      """;

  private static final String LOCK =
      """
      SELECT workspace_id, last_seq, last_created_at, last_own_at, clock_timestamp() AS now FROM activity_feeds
      WHERE workspace_id = ANY (?)
      ORDER BY workspace_id
      FOR NO KEY UPDATE
      """;

  private static final String EXISTING =
      "SELECT workspace_id FROM activity_feeds WHERE workspace_id = ANY (?)";

  /** In id order, as they are locked: two who begin the same feeds must not wait in a circle. */
  private static final String BEGIN =
      """
      INSERT INTO activity_feeds (workspace_id)
      SELECT id FROM unnest(?::uuid[]) AS new (id) ORDER BY id
      ON CONFLICT DO NOTHING
      """;

  private static final String MOVE =
      """
      UPDATE activity_feeds f
      SET last_seq = moved.last_seq, last_created_at = moved.last_created_at, last_own_at = moved.last_own_at
      FROM unnest(?::uuid[], ?::bigint[], ?::timestamptz[], ?::timestamptz[])
          AS moved (workspace_id, last_seq, last_created_at, last_own_at)
      WHERE f.workspace_id = moved.workspace_id
      """;

  private final JdbcTemplate db;

  FeedRepository(JdbcTemplate db) {
    this.db = db;
  }

  /** Those that nobody else holds, until the transaction ends. */
  List<FeedHead> lockUnlessBusy(Collection<UUID> workspaceIds) {
    return db.query(LOCK_UNLESS_BUSY, ids(workspaceIds), FeedRepository::head);
  }

  /** All of them, until the transaction ends; waits for those that somebody else holds. */
  List<FeedHead> lock(Collection<UUID> workspaceIds) {
    return db.query(LOCK, ids(workspaceIds), FeedRepository::head);
  }

  Set<UUID> existing(Collection<UUID> workspaceIds) {
    return new HashSet<>(
        db.query(
            EXISTING, ids(workspaceIds), (row, n) -> row.getObject("workspace_id", UUID.class)));
  }

  /** Makes heads of feeds that have none yet. */
  void begin(Collection<UUID> workspaceIds) {
    db.update(BEGIN, ids(workspaceIds));
  }

  /** Moves heads that this transaction has locked. */
  void move(List<FeedHead> heads) {
    int moved =
        db.update(
            MOVE,
            (PreparedStatement statement) -> {
              var columns = new BatchColumns(statement, 1);
              columns.uuids(heads, FeedHead::workspaceId);
              columns.longs(heads, FeedHead::lastSeq);
              columns.times(heads, FeedHead::lastCreatedAt);
              columns.times(heads, FeedHead::lastOwnAt);
            });
    if (moved != heads.size()) {
      throw new IllegalStateException(
          moved + " of " + heads.size() + " locked feeds moved, which indicates a bug");
    }
  }

  private static PreparedStatementSetter ids(Collection<UUID> workspaceIds) {
    return statement ->
        statement.setArray(
            1, statement.getConnection().createArrayOf("uuid", workspaceIds.toArray()));
  }

  private static FeedHead head(ResultSet row, int n) throws SQLException {
    return new FeedHead(
        row.getObject("workspace_id", UUID.class),
        row.getLong("last_seq"),
        SqlTime.instant(row, "last_created_at"),
        SqlTime.instantOrNull(row, "last_own_at"),
        SqlTime.instant(row, "now"));
  }
}
