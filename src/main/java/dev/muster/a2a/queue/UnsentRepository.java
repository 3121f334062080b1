package dev.muster.a2a.queue;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Ends messages that nobody is delivering: waiting ones, and those whose holder let the lease
 * lapse. Rows that somebody has locked are left for the next time.
 */
@Repository
class UnsentRepository {

  static final int MOST_IN_A_BATCH = 200;

  private static final String ANY_EXPIRED =
      """
      SELECT EXISTS (
          SELECT FROM a2a_queue
          WHERE expires_at <= clock_timestamp() AND state IN ('waiting', 'delivering')
              AND (state = 'waiting' OR lease_until <= clock_timestamp()))
      """;

  private static final String EXPIRE =
      """
      WITH due AS (
          SELECT queue_id FROM a2a_queue
          WHERE expires_at <= statement_timestamp() AND state IN ('waiting', 'delivering')
              AND (state = 'waiting' OR lease_until <= statement_timestamp())
          ORDER BY expires_at LIMIT :most
          FOR UPDATE SKIP LOCKED)
      UPDATE a2a_queue q SET
          state = 'expired', ended_at = statement_timestamp(), lease_owner = NULL, lease_until = NULL,
          error = concat_ws('; the last error: ', 'not delivered in its time', error)
      FROM due WHERE q.queue_id = due.queue_id
      RETURNING q.queue_id, q.activity_id, q.target_id, q.sender_id, q.kind, q.error
      """;

  private static final String DROP_STALE =
      """
      WITH stale AS (
          SELECT queue_id FROM a2a_queue
          WHERE target_id = ANY (:targets) AND state = 'waiting'
              AND enqueued_at <= statement_timestamp() - make_interval(mins => :minutes)
          LIMIT :most
          FOR UPDATE SKIP LOCKED)
      UPDATE a2a_queue q SET state = 'dropped', ended_at = statement_timestamp(), error = :why
      FROM stale WHERE q.queue_id = stale.queue_id
      RETURNING q.queue_id, q.activity_id, q.target_id, q.sender_id, q.kind, q.error
      """;

  private static final String DROP_OF =
      """
      WITH unsent AS (
          SELECT queue_id FROM a2a_queue
          WHERE target_id = ANY (:targets) AND state IN ('waiting', 'delivering')
              AND (state = 'waiting' OR lease_until <= statement_timestamp())
          FOR UPDATE SKIP LOCKED)
      UPDATE a2a_queue q SET
          state = 'dropped', ended_at = statement_timestamp(), lease_owner = NULL, lease_until = NULL, error = :why
      FROM unsent WHERE q.queue_id = unsent.queue_id
      RETURNING q.queue_id, q.activity_id, q.target_id, q.sender_id, q.kind, q.error
      """;

  private static final String END =
      """
      WITH unsent AS (
          SELECT queue_id FROM a2a_queue
          WHERE queue_id = :id AND state IN ('waiting', 'delivering')
              AND (state = 'waiting' OR lease_until <= statement_timestamp())
          FOR UPDATE SKIP LOCKED)
      UPDATE a2a_queue q SET
          state = :state, ended_at = statement_timestamp(), lease_owner = NULL, lease_until = NULL, error = :why
      FROM unsent WHERE q.queue_id = unsent.queue_id
      RETURNING q.queue_id, q.activity_id, q.target_id, q.sender_id, q.kind, q.error
      """;

  private final JdbcClient db;

  UnsentRepository(JdbcClient db) {
    this.db = db;
  }

  boolean anyExpired() {
    return db.sql(ANY_EXPIRED).query(Boolean.class).single();
  }

  /** At most {@link #MOST_IN_A_BATCH} whose time is over. */
  List<EndedUnsent> expire() {
    return db.sql(EXPIRE)
        .param("most", MOST_IN_A_BATCH)
        .query((row, n) -> QueueRows.endedUnsent(row, EndState.EXPIRED))
        .list();
  }

  /** At most {@link #MOST_IN_A_BATCH} that wait for these targets since so many minutes. */
  List<EndedUnsent> dropStale(Collection<UUID> targetIds, int minutes, String why) {
    return db.sql(DROP_STALE)
        .param("targets", targetIds.toArray(UUID[]::new))
        .param("minutes", minutes)
        .param("most", MOST_IN_A_BATCH)
        .param("why", why)
        .query((row, n) -> QueueRows.endedUnsent(row, EndState.DROPPED))
        .list();
  }

  List<EndedUnsent> dropOf(Collection<UUID> targetIds, String why) {
    return db.sql(DROP_OF)
        .param("targets", targetIds.toArray(UUID[]::new))
        .param("why", why)
        .query((row, n) -> QueueRows.endedUnsent(row, EndState.DROPPED))
        .list();
  }

  /** The one, or none when somebody delivers it, has it locked, or has ended it. */
  List<EndedUnsent> end(UUID queueId, EndState state, String why) {
    return db.sql(END)
        .param("id", queueId)
        .param("state", state.state().wire())
        .param("why", why)
        .query((row, n) -> QueueRows.endedUnsent(row, state))
        .list();
  }
}
