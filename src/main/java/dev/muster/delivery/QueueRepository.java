package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.platform.text.ErrorText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;

/**
 * Claims queued messages and releases them. Only the claim makes a replica the holder of a message,
 * and it guards each write of the holder.
 */
@Repository
class QueueRepository {

  /** The largest batch of messages to end in one transaction. */
  static final int MAX_BATCH = 200;

  /** The columns that a claim statement returns. */
  private static final String CLAIMED =
      """
      RETURNING d.workspace_id, d.seq, d.sender_id, d.kind, d.priority, d.attempts, d.enqueued_at, d.due_at,
          d.expires_at, d.owner, d.claim, d.deliveries, d.error, due.created_at
      """;

  /** The end of a claim statement: claims the rows of {@code due} without counting an attempt. */
  static final String CLAIM_DUE =
      """
          FOR UPDATE OF d SKIP LOCKED)
      UPDATE deliveries d SET owner = :owner, claim = :claim, claimed_at = statement_timestamp()
      FROM due WHERE d.workspace_id = due.workspace_id AND d.seq = due.seq
      """
          + CLAIMED;

  /**
   * Claims deliverable messages; runs under the locks of the feed heads. The locks keep other
   * transactions from claiming for these targets and from adding to their queues. Of the entries of
   * kind {@code message}, only the first of each sender may go, and only while none of that
   * sender's is being delivered. This keeps the order of one sender's messages. The entries that
   * may go are claimed in queue order, up to the target's free slots. Entries being delivered count
   * against these slots. Results need no slot of the target. Entries for a target that polls now
   * need none either, since they are only left in its feed (R3.2).
   */
  private static final String CLAIM =
      """
      WITH target AS (
          SELECT w.id,
              CASE w.delivery_mode
                  WHEN 'poll' THEN :max_of_target
                  ELSE greatest(0, w.max_concurrent_tasks - b.active_tasks)
              END AS slots
          FROM api_workspace_delivery w JOIN api_workspace_heartbeat b ON b.workspace_id = w.id
          WHERE w.id = ANY (:ids)
              AND w.removed_at IS NULL
              AND (w.delivery_mode = 'poll'
                  OR w.url <> '' AND w.url !~* '^(remote:|\\s*$)' AND b.status IN ('online', 'degraded'))),
      open AS MATERIALIZED (
          SELECT d.workspace_id, d.seq, d.sender_id, d.kind, d.priority, d.enqueued_at, d.owner IS NOT NULL AS is_held,
              d.due_at <= statement_timestamp() AND d.expires_at > statement_timestamp() AS is_due, target.slots
          FROM target JOIN deliveries d ON d.workspace_id = target.id AND d.queued),
      first AS (
          (SELECT DISTINCT ON (workspace_id, sender_id) * FROM open WHERE kind = 'message'
              ORDER BY workspace_id, sender_id, is_held DESC, priority DESC, enqueued_at, seq)
          UNION ALL
          SELECT * FROM open WHERE kind <> 'message'),
      ranked AS (
          SELECT workspace_id, seq, kind, slots, row_number() OVER (
              PARTITION BY workspace_id, kind = 'result' ORDER BY priority DESC, enqueued_at, seq) AS place
          FROM first WHERE is_due AND NOT is_held),
      due AS (
          SELECT d.workspace_id, d.seq, l.created_at
          FROM ranked JOIN deliveries d ON d.workspace_id = ranked.workspace_id AND d.seq = ranked.seq
          JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
          WHERE d.owner IS NULL
              AND ranked.place + (
                      SELECT count(*) FROM open o
                      WHERE o.workspace_id = ranked.workspace_id
                          AND o.is_held
                          AND (o.kind = 'result') = (ranked.kind = 'result'))
                  <= CASE ranked.kind WHEN 'result' THEN :results ELSE least(ranked.slots, :max_of_target) END
          LIMIT :most
          FOR UPDATE OF d SKIP LOCKED)
      UPDATE deliveries d SET
          owner = :owner,
          claim = :claim,
          claimed_at = statement_timestamp(),
          attempts = d.attempts + 1
      FROM due
      WHERE d.workspace_id = due.workspace_id AND d.seq = due.seq
      """
          + CLAIMED;

  /**
   * Skips a delivery whose agent has answered with its own message. {@link #END_ANSWERED} ends that
   * delivery.
   */
  private static final String GIVE_BACK =
      """
      UPDATE deliveries d SET
          owner = NULL,
          claim = NULL,
          claimed_at = NULL,
          error = :error,
          deliveries = deliveries + :more,
          due_at = statement_timestamp() + :pause_ms * interval '1 ms',
          attempts = attempts - :untried
      WHERE workspace_id = :workspace_id
          AND seq = :seq
          AND owner = :owner
          AND claim = :claim
          AND NOT EXISTS (
              SELECT FROM delivery_outcomes o
              WHERE o.workspace_id = d.workspace_id AND o.seq = d.seq AND o.state = 'answered')
      """;

  private static final String END_ANSWERED =
      """
      DELETE FROM deliveries d
      WHERE workspace_id = :workspace_id AND seq = :seq AND owner = :owner AND claim = :claim AND EXISTS (
          SELECT FROM delivery_outcomes o
          WHERE o.workspace_id = d.workspace_id AND o.seq = d.seq AND o.state = 'answered')
      """;

  private static final String CLAIM_WAITING =
      """
      WITH due AS (
          SELECT d.workspace_id, d.seq, l.created_at
          FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
          WHERE d.workspace_id = ANY (:ids) AND d.queued AND d.owner IS NULL
              AND d.enqueued_at <= statement_timestamp() - make_interval(mins => :minutes)
              AND (:seq::bigint IS NULL OR d.seq = :seq)
          LIMIT :most
      """
          + CLAIM_DUE;

  private final JdbcClient db;

  QueueRepository(JdbcClient db) {
    this.db = db;
  }

  /**
   * Claims at most {@code most} messages for targets whose feed heads this transaction has locked.
   */
  List<QueuedMessage> claim(Collection<UUID> targetIds, DeliveryClaim claim, int most) {
    return by(db.sql(CLAIM), claim)
        .param("ids", targetIds.toArray(UUID[]::new))
        .param("most", most)
        .param("max_of_target", QueueWorker.MAX_CONCURRENT_OF_A_TARGET)
        .param("results", QueueWorker.MAX_CONCURRENT_RESULTS)
        .query(QueueRepository::held)
        .list();
  }

  static StatementSpec by(StatementSpec statement, DeliveryClaim claim) {
    return statement.param("owner", claim.owner()).param("claim", claim.number());
  }

  /**
   * Puts a message back into the queue after a failed attempt. Returns false when the claim no
   * longer holds it, or its agent has answered.
   *
   * @param error the error of the attempt; null if unknown
   * @param more how often the agent may have got the message in this attempt
   * @param pause the time until the next attempt
   */
  boolean release(
      ActivityKey key, DeliveryClaim claim, @Nullable String error, int more, Duration pause) {
    return release(key, claim, error, more, pause, 0);
  }

  /** Puts a message back without counting the attempt; returns as {@link #release}. */
  boolean releaseUntried(QueuedMessage message, Duration pause) {
    return release(message.key(), message.heldBy(), message.error(), 0, pause, 1);
  }

  private boolean release(
      ActivityKey key,
      DeliveryClaim claim,
      @Nullable String error,
      int more,
      Duration pause,
      int untried) {
    boolean waits =
        by(db.sql(GIVE_BACK), claim)
                .param("workspace_id", key.workspaceId())
                .param("seq", key.seq())
                .param("error", ErrorText.keptOrNull(error))
                .param("more", more)
                .param("pause_ms", pause.toMillis())
                .param("untried", untried)
                .update()
            == 1;
    if (!waits) {
      by(db.sql(END_ANSWERED), claim)
          .param("workspace_id", key.workspaceId())
          .param("seq", key.seq())
          .update();
    }
    return waits;
  }

  /**
   * Claims at most {@link #MAX_BATCH} messages that have waited {@code minutes} or longer for these
   * targets.
   */
  List<QueuedMessage> claimWaiting(Collection<UUID> targetIds, int minutes, DeliveryClaim claim) {
    return claimWaiting(targetIds, minutes, null, MAX_BATCH, claim);
  }

  /** Claims all waiting messages for these targets, except rows that are locked. */
  List<QueuedMessage> claimWaiting(Collection<UUID> targetIds, DeliveryClaim claim) {
    return claimWaiting(targetIds, 0, null, Integer.MAX_VALUE, claim);
  }

  /** Claims the message if it waits and no other transaction has locked its row. */
  List<QueuedMessage> claimWaiting(ActivityKey key, DeliveryClaim claim) {
    return claimWaiting(List.of(key.workspaceId()), 0, key.seq(), 1, claim);
  }

  private List<QueuedMessage> claimWaiting(
      Collection<UUID> targetIds, int minutes, @Nullable Long seq, int most, DeliveryClaim claim) {
    return by(db.sql(CLAIM_WAITING), claim)
        .param("ids", targetIds.toArray(UUID[]::new))
        .param("minutes", minutes)
        .param("seq", seq)
        .param("most", most)
        .query(QueueRepository::held)
        .list();
  }

  static QueuedMessage held(ResultSet row, int n) throws SQLException {
    DeliveryClaim claim =
        new DeliveryClaim(row.getObject("owner", UUID.class), row.getLong("claim"));
    return QueuedMessage.of(row, QueueState.DELIVERING, claim, null);
  }
}
