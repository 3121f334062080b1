package dev.muster.message.store;

import dev.muster.message.store.Messages.StoredMessage;
import dev.muster.platform.postgres.StablePlans;
import dev.muster.platform.text.ErrorText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Claims queued messages and releases them. Only the claim makes a replica the holder of a message,
 * and it guards each write of the holder. Who ends a message that waits needs no claim: the
 * transaction that ends it has locked its row.
 */
@Repository
public class QueueRepository {

  /** The largest batch of messages to end in one transaction. */
  public static final int MAX_BATCH = 200;

  /** The most attempts of one target with results, beside those of messages (R7.14). */
  public static final int MAX_CONCURRENT_RESULTS = 8;

  /**
   * The columns of a delivery that {@link #message} reads. They end with a comma, since the time of
   * the message's activity follows.
   */
  static final String COLUMNS =
      """
      d.workspace_id, d.seq, d.sender_id, d.kind, d.priority, d.attempts, d.enqueued_at, d.due_at,
      d.expires_at, d.owner, d.claim, d.deliveries, d.error, d.last_status,
      """;

  /** The condition of an entry that may be claimed now, apart from order and slots. */
  private static final String IS_DUE =
      "owner IS NULL AND due_at <= statement_timestamp() AND expires_at > statement_timestamp()";

  /** The columns that a search for entries returns; {@link #QUEUE_ORDER} needs them. */
  private static final String FOUND = "seq, priority, enqueued_at";

  private static final String QUEUE_ORDER = "priority DESC, enqueued_at, seq";

  /** The largest body that is read by the claim: many large ones at once would fill the memory. */
  private static final int MAX_READ_BYTES = 64 << 10;

  /**
   * Parts of a {@code WITH} clause: for each of the targets that can be called, or poll, the slots
   * that are free of its own, of those for results, and the lanes of what is being delivered. The
   * latter is read in the order of the index that has only these.
   */
  private static final String FREE =
      """
      target AS (
          SELECT w.id,
              CASE w.delivery_mode
                  WHEN 'poll' THEN asked.most
                  ELSE least(asked.most, w.max_concurrent_tasks - b.active_tasks)
              END AS slots,
              least(asked.most, :results) AS results
          FROM unnest(:ids::uuid[], :most_of_each::integer[]) AS asked (id, most)
          CROSS JOIN LATERAL (SELECT * FROM api_workspace_delivery WHERE id = asked.id OFFSET 0) AS w
          CROSS JOIN LATERAL (SELECT * FROM api_workspace_heartbeat WHERE workspace_id = asked.id OFFSET 0) AS b
          WHERE w.removed_at IS NULL
              AND (w.delivery_mode = 'poll'
                  OR w.url <> '' AND w.url !~* '^(remote:|\\s*$)' AND b.status IN ('online', 'degraded'))),
      free AS MATERIALIZED (
          SELECT target.id, greatest(0, target.slots - held.others) AS slots, greatest(0, target.results - held.results) AS results,
              held.lanes
          FROM target CROSS JOIN LATERAL (
              SELECT count(*) FILTER (WHERE kind <> 'result') AS others, count(*) FILTER (WHERE kind = 'result') AS results,
                  array_agg(lane) FILTER (WHERE kind = 'message') AS lanes
              FROM (
                  SELECT kind, lane FROM deliveries
                  WHERE workspace_id = target.id AND queued AND owner IS NOT NULL
                  ORDER BY claimed_at OFFSET 0) AS one) AS held)
      """;

  /** As {@link #CLAIM} decides, but without locks. */
  private static final String CAN_TAKE =
      StablePlans.inIndexOrder(
          """
          WITH {FREE}
          SELECT id FROM free
          WHERE slots > 0 OR results > 0 AND (
              SELECT true FROM deliveries
              WHERE workspace_id = free.id AND queued AND kind = 'result' AND {IS_DUE}
              ORDER BY lane, {QUEUE_ORDER} LIMIT 1)
          """
              .replace("{FREE}", FREE)
              .replace("{QUEUE_ORDER}", QUEUE_ORDER)
              .replace("{IS_DUE}", IS_DUE));

  /**
   * Claims deliverable messages; runs under the locks of the feed heads. The locks keep other
   * transactions from claiming for these targets and from adding to their queues. Of the entries of
   * kind {@code message}, only the first of each sender may go, and only while none of that
   * sender's is being delivered. This keeps the order of one sender's messages. The entries that
   * may go are claimed in queue order, up to the target's free slots. Entries being delivered count
   * against these slots. Results need no slot of the target. Entries for a target that polls now
   * need none either, since they are only left in its feed (R3.2).
   *
   * <p>It takes one index step for each sender with entries that wait, and not one for each entry.
   * It goes through the targets one after the other, in the order given.
   */
  private static final String CLAIM =
      StablePlans.inIndexOrder(
          """
          WITH {FREE},
          due AS (
              SELECT d.place, l.*
              FROM free
              CROSS JOIN LATERAL (
                  (SELECT seq FROM (
                      (WITH RECURSIVE first AS (
                          (SELECT lane, due_at, expires_at, owner, {FOUND} FROM deliveries
                              WHERE workspace_id = free.id AND queued AND kind = 'message' AND owner IS NULL
                              ORDER BY lane, {QUEUE_ORDER} LIMIT 1)
                          UNION ALL
                          SELECT next.* FROM first CROSS JOIN LATERAL (
                              SELECT lane, due_at, expires_at, owner, {FOUND} FROM deliveries
                              WHERE workspace_id = free.id AND queued AND kind = 'message' AND owner IS NULL
                                  AND lane > first.lane
                              ORDER BY lane, {QUEUE_ORDER} LIMIT 1) AS next)
                      SELECT {FOUND} FROM first
                      WHERE {IS_DUE} AND (first.lane = ANY (free.lanes)) IS NOT TRUE)
                      UNION ALL
                      (SELECT {FOUND} FROM deliveries
                          WHERE workspace_id = free.id AND queued AND kind = 'delegation' AND {IS_DUE}
                          ORDER BY lane, {QUEUE_ORDER} LIMIT free.slots)) AS one
                      ORDER BY {QUEUE_ORDER} LIMIT free.slots)
                  UNION ALL
                  (SELECT seq FROM deliveries
                      WHERE workspace_id = free.id AND queued AND kind = 'result' AND {IS_DUE}
                      ORDER BY lane, {QUEUE_ORDER} LIMIT free.results)) AS found
              CROSS JOIN LATERAL (
                  SELECT ctid AS place FROM deliveries
                  WHERE workspace_id = free.id AND seq = found.seq AND owner IS NULL
                  FOR UPDATE SKIP LOCKED) AS d
              CROSS JOIN LATERAL (
                  SELECT {MESSAGE}, CASE WHEN octet_length(request_body) <= {MAX_READ} THEN request_body END AS request_body
                  FROM activity_logs
                  WHERE workspace_id = free.id AND seq = found.seq OFFSET 0) AS l
              LIMIT :most)
          UPDATE deliveries d SET
              owner = :owner,
              claim = :claim,
              claimed_at = statement_timestamp(),
              attempts = d.attempts + 1
          FROM due
          WHERE d.ctid = due.place
          RETURNING {COLUMNS} due.*
          """
              .replace("{FREE}", FREE)
              .replace("{COLUMNS}", COLUMNS)
              .replace("{MESSAGE}", Messages.COLUMNS)
              .replace("{MAX_READ}", Integer.toString(MAX_READ_BYTES))
              .replace("{FOUND}", FOUND)
              .replace("{QUEUE_ORDER}", QUEUE_ORDER)
              .replace("{IS_DUE}", IS_DUE));

  /**
   * Skips a delivery whose agent has answered with its own message. {@link #END_ANSWERED} ends that
   * delivery.
   */
  private static final String GIVE_BACK =
      """
      WITH released AS (
          UPDATE deliveries d SET
              owner = NULL,
              claim = NULL,
              claimed_at = NULL,
              error = :error,
              last_status = :status,
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
          RETURNING workspace_id, seq, error),
      calls AS (SELECT workspace_id, seq, :answered::boolean AS answered, error FROM released),
      {NOTED}
      SELECT count(*) FROM released
      """
          .replace("{NOTED}", UnansweredCalls.NOTED);

  private static final String END_ANSWERED =
      """
      DELETE FROM deliveries d
      WHERE workspace_id = :workspace_id AND seq = :seq AND owner = :owner AND claim = :claim AND EXISTS (
          SELECT FROM delivery_outcomes o
          WHERE o.workspace_id = d.workspace_id AND o.seq = d.seq AND o.state = 'answered')
      """;

  /** Goes from target to target: what waits for others is not read, however much it is. */
  private static final String LOCK_WAITING =
      """
      SELECT {COLUMNS} l.created_at
      FROM unnest(:ids::uuid[]) AS target (id)
      CROSS JOIN LATERAL (
          SELECT * FROM deliveries
          WHERE workspace_id = target.id AND queued AND owner IS NULL
              AND enqueued_at <= statement_timestamp() - make_interval(mins => :minutes)
              AND (:seq::bigint IS NULL OR seq = :seq)
          LIMIT :most) AS d
      JOIN activity_logs l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      LIMIT :most
      FOR UPDATE OF d SKIP LOCKED
      """
          .replace("{COLUMNS}", COLUMNS);

  /**
   * A message that this replica may send now.
   *
   * @param message null when its body is larger than 64 KiB: then it is still to be read
   */
  public record Claimed(QueuedMessage queued, @Nullable StoredMessage message) {}

  private final JdbcClient db;

  QueueRepository(JdbcClient db) {
    this.db = db;
  }

  /**
   * Returns those of the targets for which a message may be claimed now, in their order. A claim
   * for the others would find nothing, and its locks keep messages from being stored meanwhile.
   *
   * @param limitOf how many attempts of a target may run at once
   */
  public List<UUID> canTake(List<UUID> targetIds, ToIntFunction<UUID> limitOf) {
    Set<UUID> found =
        Set.copyOf(
            ofTargets(CAN_TAKE, targetIds, limitOf)
                .query((row, n) -> row.getObject("id", UUID.class))
                .list());
    return targetIds.stream().filter(found::contains).toList();
  }

  /**
   * Claims at most {@code most} messages for targets whose feed heads this transaction has locked,
   * for the first targets first.
   *
   * @param limitOf how many attempts of a target may run at once
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<Claimed> claim(
      List<UUID> targetIds, ToIntFunction<UUID> limitOf, DeliveryClaim claim, int most) {
    return by(ofTargets(CLAIM, targetIds, limitOf), claim)
        .param("most", most)
        .query((row, n) ->
            new Claimed(
                message(row, n),
                row.getString("request_body") == null ? null : Messages.message(row, n)))
        .list();
  }

  private StatementSpec ofTargets(String sql, List<UUID> ids, ToIntFunction<UUID> limitOf) {
    return db.sql(sql)
        .param("ids", ids.toArray(UUID[]::new))
        .param("most_of_each", ids.stream().map(limitOf::applyAsInt).toArray(Integer[]::new))
        .param("results", MAX_CONCURRENT_RESULTS);
  }

  static StatementSpec by(StatementSpec statement, DeliveryClaim claim) {
    return statement.param("owner", claim.owner()).param("claim", claim.number());
  }

  /**
   * Puts a message back into the queue after a failed attempt. Returns false when the claim no
   * longer holds it, or its agent has answered.
   *
   * @param error the error of the attempt; null if unknown
   * @param status the HTTP status of the attempt; null without one
   * @param more how often the agent may have got the message in this attempt
   * @param answered as in {@link DeliveryOutcome}
   * @param pause the time until the next attempt
   */
  public boolean release(
      ActivityKey key,
      DeliveryClaim claim,
      @Nullable String error,
      @Nullable Integer status,
      int more,
      @Nullable Boolean answered,
      Duration pause) {
    return release(key, claim, error, status, more, answered, pause, 0);
  }

  /** Puts a message back without counting the attempt; returns as {@link #release}. */
  public boolean releaseUntried(QueuedMessage message, Duration pause) {
    return release(
        message.key(), message.heldBy(), message.error(), message.lastStatus(), 0, null, pause, 1);
  }

  private boolean release(
      ActivityKey key,
      DeliveryClaim claim,
      @Nullable String error,
      @Nullable Integer status,
      int more,
      @Nullable Boolean answered,
      Duration pause,
      int untried) {
    boolean waits =
        by(db.sql(GIVE_BACK), claim)
                .param("workspace_id", key.workspaceId())
                .param("seq", key.seq())
                .param("error", ErrorText.keptOrNull(error))
                .param("status", status)
                .param("more", more)
                .param("answered", answered)
                .param("pause_ms", pause.toMillis())
                .param("untried", untried)
                .query(Integer.class)
                .single()
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
   * Locks at most {@link #MAX_BATCH} messages that have waited {@code minutes} or longer for these
   * targets, except those that are locked.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<QueuedMessage> lockStale(Collection<UUID> targetIds, int minutes) {
    return lockWaiting(targetIds, minutes, null, MAX_BATCH);
  }

  /**
   * Locks at most {@code most} waiting messages for these targets, except those that are locked.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<QueuedMessage> lockWaiting(Collection<UUID> targetIds, int most) {
    return lockWaiting(targetIds, 0, null, most);
  }

  /** Locks the waiting messages of a target, except those that are locked. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<QueuedMessage> lockWaiting(UUID targetId) {
    return lockWaiting(List.of(targetId), 0, null, Integer.MAX_VALUE);
  }

  /** Locks the message if it waits and no other transaction has locked it. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<QueuedMessage> lockWaiting(ActivityKey key) {
    return lockWaiting(List.of(key.workspaceId()), 0, key.seq(), 1);
  }

  private List<QueuedMessage> lockWaiting(
      Collection<UUID> targetIds, int minutes, @Nullable Long seq, int most) {
    return db.sql(LOCK_WAITING)
        .param("ids", targetIds.toArray(UUID[]::new))
        .param("minutes", minutes)
        .param("seq", seq)
        .param("most", most)
        .query(QueueRepository::message)
        .list();
  }

  /** Reads {@link #COLUMNS} and {@code created_at}; without an owner, the message waits. */
  static QueuedMessage message(ResultSet row, int n) throws SQLException {
    @Nullable UUID owner = row.getObject("owner", UUID.class);
    @Nullable Integer status = row.getObject("last_status", Integer.class);
    return owner == null
        ? QueuedMessage.of(row, QueueState.WAITING, null, null, status)
        : QueuedMessage.of(
            row,
            QueueState.DELIVERING,
            new DeliveryClaim(owner, row.getLong("claim")),
            null,
            status);
  }
}
