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

  /**
   * Has the rest of the transaction planned once and for all, row by row along indexes: with few
   * values the planner would plan every statement anew for its values, which takes longer than to
   * run it, and what it planned while a table was empty would read all of it for minutes to come.
   */
  private static final String LOCK_UNLESS_BUSY =
      """
      SELECT f.workspace_id, f.last_seq, f.last_created_at, f.last_own_at, f.last_turn_seq, f.last_turn_at,
          clock_timestamp() AS now
      FROM activity_feeds f CROSS JOIN (
          SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
              set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)) AS planning
      WHERE f.workspace_id = ANY (?)
      ORDER BY f.workspace_id
      FOR NO KEY UPDATE OF f SKIP LOCKED
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
