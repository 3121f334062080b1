package dev.muster.activity;

import dev.muster.platform.postgres.SqlTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Deletes the rows whose time is over, a few at a time. */
@Repository
class RetentionRepository {

  static final int MOST_IN_A_BATCH = 500;
  static final int FEEDS_ON_A_PAGE = 200;

  /** Whatever the age that is asked for. */
  private static final String IS_OLD_ENOUGH = "created_at < now() - interval '1 day'";

  private static final String NOW = "SELECT now()";

  /** Ids carry the time of their rows, so the oldest of all feeds are the first by id. */
  private static final String DELETE_OLDER =
      """
      DELETE FROM activity_logs WHERE id IN (
          SELECT id FROM activity_logs WHERE id < :first_kept AND %s ORDER BY id LIMIT :most)
      """
          .formatted(IS_OLD_ENOUGH);

  private static final String FEEDS_WITH_ACKED =
      """
      SELECT workspace_id FROM activity_feeds
      WHERE workspace_id > :after AND last_acked_seq > 0
      ORDER BY workspace_id LIMIT :most
      """;

  /** Of each feed its oldest rows, as far as they are acknowledged and old enough. */
  private static final String DELETE_ACKED =
      """
      WITH due AS (
          SELECT oldest.id
          FROM activity_feeds f
          CROSS JOIN LATERAL (
              SELECT seq FROM activity_logs WHERE workspace_id = f.workspace_id AND created_at < :before AND %s
              ORDER BY created_at DESC LIMIT 1) AS newest_due
          CROSS JOIN LATERAL (
              SELECT id FROM activity_logs
              WHERE workspace_id = f.workspace_id AND seq <= least(f.last_acked_seq, newest_due.seq)
              ORDER BY seq LIMIT :most) AS oldest
          WHERE f.workspace_id = ANY (:ids)
          LIMIT :most)
      DELETE FROM activity_logs l USING due WHERE l.id = due.id
      """
          .formatted(IS_OLD_ENOUGH);

  private final JdbcClient db;

  RetentionRepository(JdbcClient db) {
    this.db = db;
  }

  Instant timeAgo(Duration age) {
    return db.sql(NOW).query((row, n) -> SqlTime.instant(row, "now")).single().minus(age);
  }

  int deleteOlderThan(Instant time) {
    return db.sql(DELETE_OLDER)
        .param("first_kept", firstIdOf(time))
        .param("most", MOST_IN_A_BATCH)
        .update();
  }

  /** The next ones by id, of those that have acknowledged rows. */
  List<UUID> feedsWithAcked(UUID after) {
    return db.sql(FEEDS_WITH_ACKED)
        .param("after", after)
        .param("most", FEEDS_ON_A_PAGE)
        .query((row, n) -> row.getObject("workspace_id", UUID.class))
        .list();
  }

  int deleteAckedOlderThan(Instant time, List<UUID> feeds) {
    return db.sql(DELETE_ACKED)
        .param("ids", feeds.toArray(UUID[]::new))
        .param("before", SqlTime.utc(time))
        .param("most", MOST_IN_A_BATCH)
        .update();
  }

  /**
   * No id of version 7 of this millisecond or a later one is lower (RFC 9562, 5.7); none is of a
   * time before 1970.
   */
  private static UUID firstIdOf(Instant time) {
    return new UUID(Math.max(0, time.toEpochMilli()) << 16, 0);
  }
}
