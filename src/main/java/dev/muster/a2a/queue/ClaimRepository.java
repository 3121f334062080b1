package dev.muster.a2a.queue;

import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.text.ErrorText;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/**
 * Hands messages to those who deliver them, and takes them back: a message is somebody's only by
 * its lease, and each write of a holder is guarded by it.
 */
@Repository
class ClaimRepository {

  static final Duration LEASE = Duration.ofSeconds(60);

  private static final int RESULTS_AT_ONCE = 8;

  /**
   * Of messages only the first of each sender may go, so that no other of its messages overtakes
   * it; of what may, in order of the line, as many as there is room beside those that are on their
   * way. Results need no room.
   */
  private static final String CLAIM =
      """
      WITH line AS MATERIALIZED (
          SELECT queue_id, sender_id, kind, priority, enqueued_at, state, lease_until, expires_at > statement_timestamp()
              AND CASE state WHEN 'waiting' THEN next_attempt_at ELSE lease_until END <= statement_timestamp() AS is_due
          FROM a2a_queue WHERE target_id = :target AND state IN ('waiting', 'delivering')),
      first AS (
          (SELECT DISTINCT ON (sender_id) queue_id, kind, priority, enqueued_at, is_due FROM line WHERE kind = 'message'
              ORDER BY sender_id, priority DESC, enqueued_at, queue_id)
          UNION ALL
          SELECT queue_id, kind, priority, enqueued_at, is_due FROM line WHERE kind <> 'message'),
      ranked AS (
          SELECT queue_id, kind, row_number() OVER (
              PARTITION BY kind = 'result' ORDER BY priority DESC, enqueued_at, queue_id) AS place
          FROM first WHERE is_due),
      next AS (
          SELECT q.queue_id FROM a2a_queue q JOIN ranked ON ranked.queue_id = q.queue_id
          WHERE ranked.place <= CASE ranked.kind WHEN 'result' THEN :results ELSE :places - (
                  SELECT count(*) FROM line
                  WHERE kind <> 'result' AND state = 'delivering' AND lease_until > statement_timestamp()) END
              AND q.state IN ('waiting', 'delivering')
              AND CASE q.state WHEN 'waiting' THEN q.next_attempt_at ELSE q.lease_until END <= statement_timestamp()
          FOR UPDATE OF q SKIP LOCKED)
      UPDATE a2a_queue q SET
          state = 'delivering', attempts = q.attempts + 1, lease_owner = :owner,
          lease_until = statement_timestamp() + :lease_ms * interval '1 ms'
      FROM next WHERE q.queue_id = next.queue_id
      RETURNING q.queue_id, q.activity_id, q.target_id, q.sender_id, q.priority, q.kind, q.state, q.attempts, q.enqueued_at,
          q.next_attempt_at, q.expires_at, q.lease_owner, q.lease_until, q.ended_at, q.error
      """;

  private static final String RENEW =
      """
      UPDATE a2a_queue q SET lease_until = statement_timestamp() + ? * interval '1 ms'
      FROM unnest(?::uuid[], ?::text[]) AS held (queue_id, owner)
      WHERE q.queue_id = held.queue_id AND q.state = 'delivering' AND q.lease_owner = held.owner
      RETURNING q.queue_id
      """;

  private static final String GIVE_BACK =
      """
      UPDATE a2a_queue SET
          state = 'waiting', lease_owner = NULL, lease_until = NULL, error = :error,
          next_attempt_at = statement_timestamp() + :pause_ms * interval '1 ms'
      WHERE queue_id = :id AND state = 'delivering' AND lease_owner = :owner
      """;

  private static final String GIVE_BACK_UNTRIED =
      """
      UPDATE a2a_queue SET state = 'waiting', lease_owner = NULL, lease_until = NULL, attempts = attempts - 1
      WHERE queue_id = :id AND state = 'delivering' AND lease_owner = :owner
      """;

  private static final String NEXT_DUE =
      """
      SELECT extract(epoch FROM min(CASE state WHEN 'waiting' THEN next_attempt_at ELSE lease_until END)
          - clock_timestamp()) * 1000
      FROM (
          (SELECT DISTINCT ON (sender_id) state, next_attempt_at, lease_until FROM a2a_queue
              WHERE target_id = :target AND state IN ('waiting', 'delivering') AND kind = 'message'
              ORDER BY sender_id, priority DESC, enqueued_at, queue_id)
          UNION ALL
          SELECT state, next_attempt_at, lease_until FROM a2a_queue
          WHERE target_id = :target AND state IN ('waiting', 'delivering') AND kind <> 'message') AS first
      """;

  private final JdbcClient db;
  private final JdbcTemplate batches;

  ClaimRepository(JdbcClient db, JdbcTemplate batches) {
    this.db = db;
    this.batches = batches;
  }

  /**
   * At most so many that {@code places} are on their way then, and some results; {@code owner} is
   * used only once.
   */
  List<QueuedMessage> claim(UUID targetId, int places, String owner) {
    return db.sql(CLAIM)
        .param("target", targetId)
        .param("places", places)
        .param("results", RESULTS_AT_ONCE)
        .param("owner", owner)
        .param("lease_ms", LEASE.toMillis())
        .query(QueueRows::message)
        .list();
  }

  /** Those that still were their owners', and are for another {@link #LEASE}. */
  Set<UUID> renew(List<Claimed> held) {
    return new HashSet<>(
        batches.query(
            RENEW,
            (PreparedStatement statement) -> {
              statement.setLong(1, LEASE.toMillis());
              var columns = new BatchColumns(statement, 2);
              columns.uuids(held, claimed -> claimed.message().queueId());
              columns.texts(held, Claimed::owner);
            },
            (row, n) -> row.getObject("queue_id", UUID.class)));
  }

  /** After a failed attempt, not to be tried again before the pause is over. */
  void giveBack(Claimed claimed, @Nullable String error, Duration pause) {
    db.sql(GIVE_BACK)
        .param("id", claimed.message().queueId())
        .param("owner", claimed.owner())
        .param("error", ErrorText.keptOrNull(error))
        .param("pause_ms", pause.toMillis())
        .update();
  }

  /** As if it had not been claimed. */
  void giveBackUntried(Claimed claimed) {
    db.sql(GIVE_BACK_UNTRIED)
        .param("id", claimed.message().queueId())
        .param("owner", claimed.owner())
        .update();
  }

  /** After how long a message of this target may be due; negative when one is. */
  Optional<Duration> nextDue(UUID targetId) {
    @Nullable Double millis =
        db.sql(NEXT_DUE).param("target", targetId).query(Double.class).optional().orElse(null);
    return millis == null ? Optional.empty() : Optional.of(Duration.ofMillis(millis.longValue()));
  }
}
