package dev.muster.message.store;

import dev.muster.platform.postgres.StablePlans;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Locks messages that have expired, and claims deliveries of dead replicas, to end them. */
@Repository
public class DeliverySweepRepository {

  /** The index on {@code expires_at} holds only for statements that say {@code < 'infinity'}. */
  private static final String EXPIRED =
      """
      SELECT workspace_id, seq FROM deliveries
      WHERE queued AND expires_at < 'infinity' AND owner IS NULL AND expires_at <= statement_timestamp()
      ORDER BY expires_at LIMIT :most
      """;

  /** What has no owner is queued; that need not be said, so the index of the queue is not read. */
  private static final String LOCK_EXPIRED =
      """
      SELECT {COLUMNS} l.created_at
      FROM unnest(:ids::uuid[], :seqs::bigint[]) AS expired (workspace_id, seq)
      JOIN deliveries d ON d.workspace_id = expired.workspace_id AND d.seq = expired.seq
      JOIN activity_logs l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      WHERE d.owner IS NULL AND d.expires_at <= statement_timestamp()
      FOR UPDATE OF d SKIP LOCKED
      """
          .replace("{COLUMNS}", QueueRepository.COLUMNS);

  /** In the order of the index that has only these, however many deliveries wait. */
  private static final String HELD =
      """
      SELECT * FROM deliveries WHERE owner IS NOT NULL AND queued = :queued
      ORDER BY workspace_id, claimed_at OFFSET 0
      """;

  private static final String OF_DEAD_REPLICAS =
      StablePlans.inIndexOrder(
          """
          SELECT d.workspace_id, d.seq
          FROM ({HELD}) AS d
          CROSS JOIN LATERAL (
              SELECT FROM activity_logs WHERE workspace_id = d.workspace_id AND seq = d.seq OFFSET 0) AS l
          WHERE NOT EXISTS (SELECT FROM replicas r WHERE r.id = d.owner)
          LIMIT :most
          """
              .replace("{HELD}", HELD));

  /**
   * Claims deliveries whose replica has no lease any more, without counting an attempt. The {@code
   * CASE} keeps it from looking for each in the index of the queue.
   */
  private static final String CLAIM_OF_DEAD_REPLICAS =
      """
      WITH due AS (
          SELECT d.workspace_id, d.seq, l.created_at
          FROM unnest(:ids::uuid[], :seqs::bigint[]) AS dead (workspace_id, seq)
          JOIN deliveries d ON d.workspace_id = dead.workspace_id AND d.seq = dead.seq
          JOIN activity_logs l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
          WHERE d.owner IS NOT NULL AND CASE WHEN d.queued THEN :queued ELSE NOT :queued END
              AND NOT EXISTS (SELECT FROM replicas r WHERE r.id = d.owner)
          FOR UPDATE OF d SKIP LOCKED)
      UPDATE deliveries d SET owner = :owner, claim = :claim, claimed_at = statement_timestamp()
      FROM due WHERE d.workspace_id = due.workspace_id AND d.seq = due.seq
      RETURNING {COLUMNS} due.created_at
      """
          .replace("{COLUMNS}", QueueRepository.COLUMNS);

  private static final String HELD_BY =
      StablePlans.inIndexOrder(
          """
          SELECT {COLUMNS} l.created_at
          FROM ({HELD}) AS d
          CROSS JOIN LATERAL (
              SELECT created_at FROM activity_logs WHERE workspace_id = d.workspace_id AND seq = d.seq OFFSET 0) AS l
          WHERE d.owner = :owner AND d.claimed_at < statement_timestamp() - :age_ms * interval '1 ms'
          """
              .replace("{HELD}", HELD)
              .replace("{COLUMNS}", QueueRepository.COLUMNS));

  private static final String FORGET_DEAD_REPLICAS =
      "DELETE FROM replicas WHERE alive_until < statement_timestamp()";

  private final JdbcClient db;

  DeliverySweepRepository(JdbcClient db) {
    this.db = db;
  }

  /** Returns at most {@link QueueRepository#MAX_BATCH} messages that have expired. */
  public List<ActivityKey> expired(List<ActivityKey> except) {
    return find(db.sql(EXPIRED), except);
  }

  /** Locks those of these messages that have expired, except those that are locked. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<QueuedMessage> lockExpired(List<ActivityKey> keys) {
    return of(db.sql(LOCK_EXPIRED), keys).query(QueueRepository::message).list();
  }

  /** Returns at most {@link QueueRepository#MAX_BATCH} deliveries of dead replicas. */
  public List<ActivityKey> ofDeadReplicas(boolean queued, List<ActivityKey> except) {
    return find(db.sql(OF_DEAD_REPLICAS).param("queued", queued), except);
  }

  /** Leaves out the exceptions here: the condition would mislead the planner. */
  private static List<ActivityKey> find(StatementSpec statement, List<ActivityKey> except) {
    Set<ActivityKey> leftOut = Set.copyOf(except);
    return statement
        .param("most", QueueRepository.MAX_BATCH + leftOut.size())
        .query((row, n) -> ActivityKey.of(row))
        .list()
        .stream()
        .filter(key -> !leftOut.contains(key))
        .limit(QueueRepository.MAX_BATCH)
        .toList();
  }

  private static StatementSpec of(StatementSpec statement, List<ActivityKey> keys) {
    return statement
        .param("ids", keys.stream().map(ActivityKey::workspaceId).toArray(UUID[]::new))
        .param("seqs", keys.stream().map(ActivityKey::seq).toArray(Long[]::new));
  }

  /** Deletes the replicas whose leases have lapsed. */
  public void forgetDeadReplicas() {
    db.sql(FORGET_DEAD_REPLICAS).update();
  }

  /** Claims those of these deliveries that are still of dead replicas. */
  public List<QueuedMessage> claimOfDeadReplicas(
      boolean queued, List<ActivityKey> keys, DeliveryClaim claim) {
    return of(QueueRepository.by(db.sql(CLAIM_OF_DEAD_REPLICAS), claim), keys)
        .param("queued", queued)
        .query(QueueRepository::message)
        .list();
  }

  /** Returns the deliveries that this replica has held for {@code age} or longer. */
  public List<QueuedMessage> heldBy(UUID owner, boolean queued, Duration age) {
    return db.sql(HELD_BY)
        .param("owner", owner)
        .param("queued", queued)
        .param("age_ms", age.toMillis())
        .query(QueueRepository::message)
        .list();
  }
}
