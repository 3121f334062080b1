package dev.muster.activity;

import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.SqlTime;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.PreparedStatementSetter;
import org.springframework.stereotype.Repository;

/** The heads of feeds, whose locks make the order of rows (R6.4). */
@Repository
class FeedRepository {

  private static final String LOCK_UNLESS_BUSY =
      """
      SELECT workspace_id, last_seq, last_created_at, last_own_at, last_turn_seq, last_turn_at,
          clock_timestamp() AS now
      FROM activity_feeds
      WHERE workspace_id = ANY (?)
      ORDER BY workspace_id
      FOR NO KEY UPDATE SKIP LOCKED
      """;

  private static final String LOCK =
      """
      SELECT workspace_id, last_seq, last_created_at, last_own_at, last_turn_seq, last_turn_at,
          clock_timestamp() AS now
      FROM activity_feeds
      WHERE workspace_id = ANY (?)
      ORDER BY workspace_id
      FOR NO KEY UPDATE
      """;

  private static final String MOVE =
      """
      UPDATE activity_feeds f
      SET last_seq = moved.last_seq, last_created_at = moved.last_created_at, last_own_at = moved.last_own_at,
          last_turn_seq = moved.last_turn_seq, last_turn_at = moved.last_turn_at
      FROM unnest(?::uuid[], ?::bigint[], ?::timestamptz[], ?::timestamptz[], ?::bigint[], ?::timestamptz[])
          AS moved (workspace_id, last_seq, last_created_at, last_own_at, last_turn_seq, last_turn_at)
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
              columns.longs(heads, FeedHead::lastTurnSeq);
              columns.times(heads, FeedHead::lastTurnAt);
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
        row.getLong("last_turn_seq"),
        SqlTime.instant(row, "last_turn_at"),
        SqlTime.instant(row, "now"));
  }
}
