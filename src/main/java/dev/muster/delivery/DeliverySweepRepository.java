package dev.muster.delivery;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Claims deliveries that have expired or belong to dead replicas, to end them. */
@Repository
class DeliverySweepRepository {

  /** The index on {@code expires_at} holds only for statements that say {@code < 'infinity'}. */
  private static final String CLAIM_EXPIRED =
      """
      WITH due AS (
          SELECT d.workspace_id, d.seq, l.created_at
          FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
          WHERE d.queued AND d.expires_at < 'infinity' AND d.owner IS NULL AND d.expires_at <= statement_timestamp()
          ORDER BY d.expires_at LIMIT :most
      """
          + QueueRepository.CLAIM_DUE;

  private static final String ANY_EXPIRED =
      """
      SELECT EXISTS (
          SELECT FROM deliveries
          WHERE queued AND expires_at < 'infinity' AND owner IS NULL AND expires_at <= statement_timestamp())
      """;

  /** Claims deliveries whose replica has no lease any more. */
  private static final String CLAIM_OF_DEAD_REPLICAS =
      """
      WITH due AS (
          SELECT d.workspace_id, d.seq, l.created_at
          FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
          WHERE d.owner IS NOT NULL AND d.queued = :queued
              AND NOT EXISTS (SELECT FROM replicas r WHERE r.id = d.owner)
          LIMIT :most
      """
          + QueueRepository.CLAIM_DUE;

  private static final String HELD_BY =
      """
      SELECT d.workspace_id, d.seq, d.sender_id, d.kind, d.priority, d.attempts, d.enqueued_at, d.due_at, d.expires_at,
          d.owner, d.claim, d.deliveries, d.error, l.created_at
      FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      WHERE d.owner = :owner AND d.queued = :queued AND d.claimed_at < statement_timestamp() - :age_ms * interval '1 ms'
      """;

  private static final String FORGET_DEAD_REPLICAS =
      "DELETE FROM replicas WHERE alive_until < statement_timestamp()";

  private final JdbcClient db;

  DeliverySweepRepository(JdbcClient db) {
    this.db = db;
  }

  boolean anyExpired() {
    return db.sql(ANY_EXPIRED).query(Boolean.class).single();
  }

  /** Claims at most {@link QueueRepository#MAX_BATCH} expired messages. */
  List<QueuedMessage> claimExpired(DeliveryClaim claim) {
    return QueueRepository.by(db.sql(CLAIM_EXPIRED), claim)
        .param("most", QueueRepository.MAX_BATCH)
        .query(QueueRepository::held)
        .list();
  }

  /** Deletes the replicas whose leases have lapsed. */
  void forgetDeadReplicas() {
    db.sql(FORGET_DEAD_REPLICAS).update();
  }

  /** Claims at most {@link QueueRepository#MAX_BATCH} deliveries of dead replicas. */
  List<QueuedMessage> claimOfDeadReplicas(boolean queued, DeliveryClaim claim) {
    return QueueRepository.by(db.sql(CLAIM_OF_DEAD_REPLICAS), claim)
        .param("queued", queued)
        .param("most", QueueRepository.MAX_BATCH)
        .query(QueueRepository::held)
        .list();
  }

  /** Returns the deliveries that this replica has held for {@code age} or longer. */
  List<QueuedMessage> heldBy(UUID owner, boolean queued, Duration age) {
    return db.sql(HELD_BY)
        .param("owner", owner)
        .param("queued", queued)
        .param("age_ms", age.toMillis())
        .query(QueueRepository::held)
        .list();
  }
}
