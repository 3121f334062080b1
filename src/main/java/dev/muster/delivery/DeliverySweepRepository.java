package dev.muster.delivery;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Locks messages that have expired, and claims deliveries of dead replicas, to end them. */
@Repository
class DeliverySweepRepository {

  /** The index on {@code expires_at} holds only for statements that say {@code < 'infinity'}. */
  private static final String LOCK_EXPIRED =
      """
      SELECT {COLUMNS} l.created_at
      FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      WHERE d.queued AND d.expires_at < 'infinity' AND d.owner IS NULL AND d.expires_at <= statement_timestamp()
      ORDER BY d.expires_at LIMIT :most
      FOR UPDATE OF d SKIP LOCKED
      """
          .replace("{COLUMNS}", QueueRepository.COLUMNS);

  private static final String ANY_EXPIRED =
      """
      SELECT EXISTS (
          SELECT FROM deliveries
          WHERE queued AND expires_at < 'infinity' AND owner IS NULL AND expires_at <= statement_timestamp())
      """;

  /** Claims deliveries whose replica has no lease any more, without counting an attempt. */
  private static final String CLAIM_OF_DEAD_REPLICAS =
      """
      WITH due AS (
          SELECT d.workspace_id, d.seq, l.created_at
          FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
          WHERE d.owner IS NOT NULL AND d.queued = :queued
              AND NOT EXISTS (SELECT FROM replicas r WHERE r.id = d.owner)
          LIMIT :most
          FOR UPDATE OF d SKIP LOCKED)
      UPDATE deliveries d SET owner = :owner, claim = :claim, claimed_at = statement_timestamp()
      FROM due WHERE d.workspace_id = due.workspace_id AND d.seq = due.seq
      RETURNING {COLUMNS} due.created_at
      """
          .replace("{COLUMNS}", QueueRepository.COLUMNS);

  private static final String HELD_BY =
      """
      SELECT {COLUMNS} l.created_at
      FROM deliveries d JOIN api_activity_message l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      WHERE d.owner = :owner AND d.queued = :queued AND d.claimed_at < statement_timestamp() - :age_ms * interval '1 ms'
      """
          .replace("{COLUMNS}", QueueRepository.COLUMNS);

  private static final String FORGET_DEAD_REPLICAS =
      "DELETE FROM replicas WHERE alive_until < statement_timestamp()";

  private final JdbcClient db;

  DeliverySweepRepository(JdbcClient db) {
    this.db = db;
  }

  boolean anyExpired() {
    return db.sql(ANY_EXPIRED).query(Boolean.class).single();
  }

  /** Locks at most {@link QueueRepository#MAX_BATCH} expired messages that are not locked. */
  @Transactional(propagation = Propagation.MANDATORY)
  List<QueuedMessage> lockExpired() {
    return db.sql(LOCK_EXPIRED)
        .param("most", QueueRepository.MAX_BATCH)
        .query(QueueRepository::message)
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
        .query(QueueRepository::message)
        .list();
  }

  /** Returns the deliveries that this replica has held for {@code age} or longer. */
  List<QueuedMessage> heldBy(UUID owner, boolean queued, Duration age) {
    return db.sql(HELD_BY)
        .param("owner", owner)
        .param("queued", queued)
        .param("age_ms", age.toMillis())
        .query(QueueRepository::message)
        .list();
  }
}
