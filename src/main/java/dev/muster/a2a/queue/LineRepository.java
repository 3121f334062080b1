package dev.muster.a2a.queue;

import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Finds the targets that messages wait for, by as many steps through an index as there are targets:
 * how many messages wait for each costs nothing.
 */
@Repository
class LineRepository {

  /** A target's line; {@code isDue} is whether there is anything to try in it. */
  record Line(UUID targetId, boolean isDue) {}

  private static final String TARGETS =
      """
      WITH RECURSIVE target AS (
          (SELECT target_id FROM a2a_queue WHERE state IN ('waiting', 'delivering') ORDER BY target_id LIMIT 1)
          UNION ALL
          SELECT (
              SELECT q.target_id FROM a2a_queue q
              WHERE q.state IN ('waiting', 'delivering') AND q.target_id > target.target_id
              ORDER BY q.target_id LIMIT 1)
          FROM target WHERE target.target_id IS NOT NULL)
      SELECT target_id FROM target WHERE target_id IS NOT NULL LIMIT :most
      """;

  private static final String LINES =
      """
      WITH RECURSIVE target AS (
          (SELECT target_id FROM a2a_queue WHERE state IN ('waiting', 'delivering') AND target_id > :after
              ORDER BY target_id LIMIT 1)
          UNION ALL
          SELECT (
              SELECT q.target_id FROM a2a_queue q
              WHERE q.state IN ('waiting', 'delivering') AND q.target_id > target.target_id
              ORDER BY q.target_id LIMIT 1)
          FROM target WHERE target.target_id IS NOT NULL)
      SELECT target_id, EXISTS (
          SELECT FROM a2a_queue q WHERE q.target_id = target.target_id AND q.state IN ('waiting', 'delivering')
              AND (q.state = 'waiting' AND q.next_attempt_at <= clock_timestamp()
                  OR q.state = 'delivering' AND q.lease_until <= clock_timestamp())) AS is_due
      FROM target WHERE target_id IS NOT NULL LIMIT :most
      """;

  private static final String COUNT = "SELECT count(*) FROM a2a_queue WHERE state = 'waiting'";

  private final JdbcClient db;

  LineRepository(JdbcClient db) {
    this.db = db;
  }

  List<UUID> targets(int most) {
    return db.sql(TARGETS)
        .param("most", most)
        .query((row, n) -> row.getObject("target_id", UUID.class))
        .list();
  }

  /** In the order of their targets' ids. */
  List<Line> after(UUID targetId, int most) {
    return db.sql(LINES)
        .param("after", targetId)
        .param("most", most)
        .query(
            (row, n) -> new Line(row.getObject("target_id", UUID.class), row.getBoolean("is_due")))
        .list();
  }

  long waiting() {
    return db.sql(COUNT).query(Long.class).single();
  }
}
