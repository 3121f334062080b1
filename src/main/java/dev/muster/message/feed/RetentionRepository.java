package dev.muster.message.feed;

import dev.muster.platform.postgres.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Deletes expired rows and their delivery outcomes in small batches, oldest first in each feed.
 * Rows with an open delivery stay.
 */
@Repository
class RetentionRepository {

  static final int BATCH_SIZE = 500;
  static final int PAGE_SIZE = 200;

  private static final String NOW = "SELECT now()";

  /**
   * Lists feeds with one step through the primary key per feed. Feeds of deleted workspaces are
   * included.
   */
  private static final String FEEDS =
      """
      WITH RECURSIVE feed (workspace_id) AS (
          (SELECT workspace_id FROM activity_logs WHERE workspace_id > :after ORDER BY workspace_id LIMIT 1)
          UNION ALL
          SELECT (
              SELECT l.workspace_id FROM activity_logs l
              WHERE l.workspace_id > feed.workspace_id ORDER BY l.workspace_id LIMIT 1)
          FROM feed WHERE feed.workspace_id IS NOT NULL)
      SELECT workspace_id FROM feed WHERE workspace_id IS NOT NULL LIMIT :most
      """;

  /**
   * {@code created_at} rises with {@code seq}, so the expired rows are the first of their feed.
   * Rows younger than one day stay, whatever age is configured.
   *
   * <p>Looks only behind what was deleted before: the index still has entries of deleted rows.
   */
  private static final String DELETE =
      """
      WITH due AS MATERIALIZED (
          SELECT oldest.workspace_id, oldest.seq
          FROM unnest(:ids::uuid[], :deleted_to::bigint[]) AS feed (workspace_id, deleted_to)
          LEFT JOIN activity_feeds f ON f.workspace_id = feed.workspace_id
          JOIN LATERAL (
              SELECT l.created_at FROM activity_logs l
              WHERE l.workspace_id = feed.workspace_id AND l.seq > feed.deleted_to ORDER BY l.seq LIMIT 1) AS first
              ON first.created_at < greatest(:all_before, :acked_before)
          CROSS JOIN LATERAL (
              SELECT l.workspace_id, l.seq, l.created_at FROM activity_logs l
              WHERE l.workspace_id = feed.workspace_id AND l.seq > feed.deleted_to AND NOT EXISTS (
                  SELECT FROM deliveries d WHERE d.workspace_id = l.workspace_id AND d.seq = l.seq)
              ORDER BY l.seq LIMIT :most) AS oldest
          WHERE oldest.created_at < statement_timestamp() - interval '1 day'
              AND (oldest.created_at < :all_before
                  OR oldest.created_at < :acked_before AND oldest.seq <= f.last_acked_seq)
          LIMIT :most),
      outcomes AS (
          DELETE FROM delivery_outcomes o USING due WHERE o.workspace_id = due.workspace_id AND o.seq = due.seq),
      deleted AS (
          DELETE FROM activity_logs l USING due WHERE l.workspace_id = due.workspace_id AND l.seq = due.seq
          RETURNING l.workspace_id, l.seq)
      SELECT workspace_id, max(seq) AS seq, count(*) AS deleted FROM deleted GROUP BY workspace_id
      """;

  private final JdbcClient db;

  RetentionRepository(JdbcClient db) {
    this.db = db;
  }

  Instant timeAgo(Duration age) {
    return db.sql(NOW).query((row, n) -> Timestamps.instant(row, "now")).single().minus(age);
  }

  /** Returns the next feeds that have rows, by id. */
  List<UUID> feeds(UUID after) {
    return db.sql(FEEDS)
        .param("after", after)
        .param("most", PAGE_SIZE)
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  /**
   * Deletes one batch of rows of these feeds and returns how many it deleted.
   *
   * @param allBefore all rows before this time are expired
   * @param ackedBefore acknowledged rows before this time are expired
   * @param deletedTo for each feed the last seq that was deleted before, or 0; it is moved on
   */
  int deleteBefore(Instant allBefore, Instant ackedBefore, Map<UUID, Long> deletedTo) {
    return db
        .sql(DELETE)
        .param("ids", deletedTo.keySet().toArray(UUID[]::new))
        .param("deleted_to", deletedTo.values().toArray(Long[]::new))
        .param("all_before", Timestamps.utc(allBefore))
        .param("acked_before", Timestamps.utc(ackedBefore))
        .param("most", BATCH_SIZE)
        .query((row, n) -> {
          deletedTo.put(row.getObject("workspace_id", UUID.class), row.getLong("seq"));
          return row.getInt("deleted");
        })
        .list()
        .stream()
        .mapToInt(Integer::intValue)
        .sum();
  }
}
