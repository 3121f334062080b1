package dev.muster.activity;

import dev.muster.platform.postgres.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Deletes the rows whose time is over, a few at a time and feed by feed, always a feed's oldest,
 * with the outcomes of their deliveries. A row whose delivery is open stays.
 */
@Repository
class RetentionRepository {

  static final int BATCH_SIZE = 500;
  static final int FEEDS_ON_A_PAGE = 200;

  private static final String NOW = "SELECT now()";

  /**
   * Also of workspaces that are gone: by as many steps through the primary key as there are feeds.
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
   * Times of rows rise with their numbers, so those whose time is over are the first of their feed.
   * Whatever the age that is asked for, nothing younger than a day goes.
   */
  private static final String DELETE =
      """
      WITH due AS MATERIALIZED (
          SELECT oldest.workspace_id, oldest.seq
          FROM unnest(:ids::uuid[]) AS feed (workspace_id)
          LEFT JOIN activity_feeds f ON f.workspace_id = feed.workspace_id
          JOIN LATERAL (
              SELECT l.created_at FROM activity_logs l
              WHERE l.workspace_id = feed.workspace_id ORDER BY l.seq LIMIT 1) AS first
              ON first.created_at < greatest(:all_before, :acked_before)
          CROSS JOIN LATERAL (
              SELECT l.workspace_id, l.seq, l.created_at FROM activity_logs l
              WHERE l.workspace_id = feed.workspace_id AND NOT EXISTS (
                  SELECT FROM deliveries d WHERE d.workspace_id = l.workspace_id AND d.seq = l.seq)
              ORDER BY l.seq LIMIT :most) AS oldest
          WHERE oldest.created_at < statement_timestamp() - interval '1 day'
              AND (oldest.created_at < :all_before
                  OR oldest.created_at < :acked_before AND oldest.seq <= f.last_acked_seq)
          LIMIT :most),
      outcomes AS (
          DELETE FROM delivery_outcomes o USING due WHERE o.workspace_id = due.workspace_id AND o.seq = due.seq)
      DELETE FROM activity_logs l USING due WHERE l.workspace_id = due.workspace_id AND l.seq = due.seq
      """;

  private final JdbcClient db;

  RetentionRepository(JdbcClient db) {
    this.db = db;
  }

  Instant timeAgo(Duration age) {
    return db.sql(NOW).query((row, n) -> Timestamps.instant(row, "now")).single().minus(age);
  }

  /** The next ones by id, of those that have rows. */
  List<UUID> feeds(UUID after) {
    return db.sql(FEEDS)
        .param("after", after)
        .param("most", FEEDS_ON_A_PAGE)
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  /**
   * Of rows that the agent acknowledged those before one time, of others those before the other.
   */
  int deleteBefore(Instant allBefore, Instant ackedBefore, List<UUID> feeds) {
    return db.sql(DELETE)
        .param("ids", feeds.toArray(UUID[]::new))
        .param("all_before", Timestamps.utc(allBefore))
        .param("acked_before", Timestamps.utc(ackedBefore))
        .param("most", BATCH_SIZE)
        .update();
  }
}
