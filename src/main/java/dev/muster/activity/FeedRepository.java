package dev.muster.activity;

import dev.muster.platform.postgres.Pipeline;
import dev.muster.platform.postgres.SqlTime;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.stereotype.Repository;

/** The heads of feeds, whose locks make the order of rows (R6.4); each statement in a pipeline. */
@Repository
class FeedRepository {

  /**
   * Has the rest of the transaction planned once and for all, row by row along indexes: with few
   * values the planner would plan every statement anew for its values, which takes longer than to
   * run it, and what it planned while a table was empty would read all of it for minutes to come.
   */
  private static final String PLAN_ONCE =
      """
      SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
          set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)
      """;

  private static final String LOCK =
      """
      SELECT workspace_id, last_seq, last_created_at, last_own_at, last_turn_seq, last_turn_at,
          total_bytes, quota_seq, quota_bytes, clock_timestamp() AS now
      FROM activity_feeds
      WHERE workspace_id = ANY (?)
      ORDER BY workspace_id
      FOR NO KEY UPDATE
      """;

  private static final String LOCK_UNLESS_BUSY = LOCK + "SKIP LOCKED";

  private static final String MOVE =
      """
      UPDATE activity_feeds f
      SET last_seq = moved.last_seq, last_created_at = moved.last_created_at, last_own_at = moved.last_own_at,
          last_turn_seq = moved.last_turn_seq, last_turn_at = moved.last_turn_at,
          total_bytes = moved.total_bytes, quota_seq = moved.quota_seq, quota_bytes = moved.quota_bytes
      FROM unnest(?::uuid[], ?::bigint[], ?::timestamptz[], ?::timestamptz[], ?::bigint[], ?::timestamptz[],
              ?::bigint[], ?::bigint[], ?::bigint[])
          AS moved (workspace_id, last_seq, last_created_at, last_own_at, last_turn_seq, last_turn_at,
              total_bytes, quota_seq, quota_bytes)
      WHERE f.workspace_id = moved.workspace_id
      """;

  /** Those that nobody else holds, until the transaction ends, which is planned for few values. */
  Supplier<List<FeedHead>> lockUnlessBusy(Pipeline pipeline, Collection<UUID> workspaceIds) {
    pipeline.add(PLAN_ONCE, Pipeline.Parameters.NONE);
    return lock(pipeline, LOCK_UNLESS_BUSY, workspaceIds);
  }

  /** All of them, until the transaction ends; waits for those that somebody else holds. */
  Supplier<List<FeedHead>> lock(Pipeline pipeline, Collection<UUID> workspaceIds) {
    return lock(pipeline, LOCK, workspaceIds);
  }

  private static Supplier<List<FeedHead>> lock(
      Pipeline pipeline, String sql, Collection<UUID> workspaceIds) {
    return pipeline.query(
        sql, columns -> columns.uuids(List.copyOf(workspaceIds), id -> id), FeedRepository::head);
  }

  /** Moves heads that this transaction has locked. */
  void move(Pipeline pipeline, List<FeedHead> heads) {
    pipeline.update(
        MOVE,
        columns -> {
          columns.uuids(heads, FeedHead::workspaceId);
          columns.longs(heads, FeedHead::lastSeq);
          columns.times(heads, FeedHead::lastCreatedAt);
          columns.times(heads, FeedHead::lastOwnAt);
          columns.longs(heads, FeedHead::lastTurnSeq);
          columns.times(heads, FeedHead::lastTurnAt);
          columns.longs(heads, FeedHead::totalBytes);
          columns.longs(heads, FeedHead::quotaSeq);
          columns.longs(heads, FeedHead::quotaBytes);
        },
        moved -> {
          if (moved != heads.size()) {
            throw new IllegalStateException(
                moved + " of " + heads.size() + " locked feeds moved, which indicates a bug");
          }
        });
  }

  private static FeedHead head(ResultSet row, int n) throws SQLException {
    return new FeedHead(
        row.getObject("workspace_id", UUID.class),
        row.getLong("last_seq"),
        SqlTime.instant(row, "last_created_at"),
        SqlTime.instantOrNull(row, "last_own_at"),
        row.getLong("last_turn_seq"),
        SqlTime.instant(row, "last_turn_at"),
        row.getLong("total_bytes"),
        row.getLong("quota_seq"),
        row.getLong("quota_bytes"),
        SqlTime.instant(row, "now"));
  }
}
