package dev.muster.delivery;

import dev.muster.activity.ActivityKey;
import dev.muster.activity.RowId;
import dev.muster.activity.RowSize;
import dev.muster.platform.json.RawJson;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** How messages stand: what is open, and what their deliveries have come to (R7.3). */
@Repository
class OutcomeRepository {

  /**
   * How a message stands; an open delivery wins over the outcome of an earlier one.
   *
   * @param open whose delivery is under way, or waits; null when none is
   * @param outcome of the last delivery; null when there was none
   * @param replyBytes how large what its sender was answered is, about; 0 without an answer
   */
  record Standing(@Nullable Open open, @Nullable OutcomeState outcome, long replyBytes) {}

  /**
   * A delivery that is open.
   *
   * @param claim null while it waits
   * @param ownerLives whether the replica that holds it renews its lease
   */
  record Open(
      boolean queued, int depth, UUID rowId, @Nullable DeliveryClaim claim, boolean ownerLives) {}

  private static final String STANDING =
      """
      SELECT d.queued, d.depth, d.owner, d.claim, r.alive_until > clock_timestamp() AS owner_lives, l.workspace_id, l.seq, l.created_at,
          o.state, coalesce(octet_length(o.answer), o.response_bytes, 0) AS reply_bytes
      FROM activity_logs l
      LEFT JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
      LEFT JOIN replicas r ON r.id = d.owner
      LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
      WHERE l.workspace_id = :workspace_id AND l.seq = :seq
      """;

  private static final String REPLY =
      """
      SELECT answer_status, answer_type, coalesce(answer, response) AS answer FROM delivery_outcomes
      WHERE workspace_id = :workspace_id AND seq = :seq
      """;

  private static final String RESPONSE =
      """
      SELECT response FROM delivery_outcomes
      WHERE workspace_id = :workspace_id AND seq = :seq AND response IS NOT NULL
      """;

  private static final String RESPONSE_BYTES =
      """
      SELECT coalesce(response_bytes, 0) FROM delivery_outcomes WHERE workspace_id = :workspace_id AND seq = :seq
      """;

  private static final String DECIDED =
      """
      SELECT k.workspace_id, k.seq FROM unnest(:ids::uuid[], :seqs::bigint[]) AS k (workspace_id, seq)
      WHERE EXISTS (SELECT FROM delivery_outcomes o WHERE o.workspace_id = k.workspace_id AND o.seq = k.seq)
          OR NOT EXISTS (SELECT FROM activity_logs l WHERE l.workspace_id = k.workspace_id AND l.seq = k.seq)
      """;

  /** Of one that was refused or is uncertain, unless another request is quicker. */
  private static final String TAKE_OVER =
      """
      INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at,
          owner, claim, claimed_at, deliveries)
      SELECT o.workspace_id, o.seq, o.sender_id, o.kind, false, 0, o.priority, statement_timestamp(), statement_timestamp(),
          statement_timestamp(), :owner, :claim, statement_timestamp(), o.deliveries
      FROM delivery_outcomes o
      WHERE o.workspace_id = :workspace_id AND o.seq = :seq
          AND (o.state = 'refused' OR :ambiguous AND o.state = 'uncertain')
      ON CONFLICT (workspace_id, seq) DO NOTHING
      RETURNING deliveries
      """;

  private static final String QUEUE_AGAIN =
      """
      INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at,
          deliveries)
      SELECT o.workspace_id, o.seq, o.sender_id, o.kind, true, 1 + (
              SELECT count(*) FROM deliveries d WHERE d.workspace_id = :workspace_id AND d.queued AND d.owner IS NULL),
          :priority, statement_timestamp(), statement_timestamp(), statement_timestamp() + :life_ms * interval '1 ms',
          o.deliveries
      FROM delivery_outcomes o
      WHERE o.workspace_id = :workspace_id AND o.seq = :seq
          AND (o.state = 'refused' OR :ambiguous AND o.state = 'uncertain')
      ON CONFLICT (workspace_id, seq) DO NOTHING
      RETURNING depth
      """;

  /** What waits for an agent that has answered is over; what is on its way ends by itself. */
  private static final String ANSWER =
      """
      WITH waiting AS (
          DELETE FROM deliveries WHERE workspace_id = :workspace_id AND seq = :seq AND owner IS NULL RETURNING *),
      open AS (
          SELECT * FROM waiting
          UNION ALL
          SELECT * FROM deliveries WHERE workspace_id = :workspace_id AND seq = :seq AND owner IS NOT NULL)
      INSERT INTO delivery_outcomes AS o (
          workspace_id, seq, state, deliveries, answer_status, answer_type, response, response_bytes, listed_bytes, status,
          duration_ms, ended_at, queue_state, kind, sender_id, priority, attempts, enqueued_at, expires_at)
      SELECT l.workspace_id, l.seq, 'answered', coalesce(open.deliveries, 1), 200, 'application/json', :response, :bytes,
          :listed, 'ok', :duration_ms, statement_timestamp(), CASE WHEN open.queued THEN 'delivered' END,
          coalesce(open.kind, 'message'), l.source_id, coalesce(open.priority, 50), coalesce(open.attempts, 0),
          coalesce(open.enqueued_at, l.created_at), coalesce(open.expires_at, l.created_at)
      FROM activity_logs l LEFT JOIN open ON true
      WHERE l.workspace_id = :workspace_id AND l.seq = :seq
      ON CONFLICT (workspace_id, seq) DO UPDATE SET
          state = excluded.state, owner = NULL, claim = NULL, answer_status = excluded.answer_status,
          answer_type = excluded.answer_type, answer = NULL, response = excluded.response,
          response_bytes = excluded.response_bytes, listed_bytes = excluded.listed_bytes, status = excluded.status,
          error_detail = NULL, duration_ms = excluded.duration_ms, ended_at = excluded.ended_at,
          queue_state = coalesce(o.queue_state, excluded.queue_state)
      WHERE o.state <> 'answered'
      """;

  private final JdbcClient db;

  OutcomeRepository(JdbcClient db) {
    this.db = db;
  }

  private JdbcClient.StatementSpec of(String sql, ActivityKey key) {
    return db.sql(sql).param("workspace_id", key.workspaceId()).param("seq", key.seq());
  }

  /** Empty when the row is gone. */
  Optional<Standing> find(ActivityKey key) {
    return of(STANDING, key).query((row, n) -> standing(row)).optional();
  }

  private static Standing standing(ResultSet row) throws SQLException {
    @Nullable Boolean queued = row.getObject("queued", Boolean.class);
    @Nullable UUID owner = row.getObject("owner", UUID.class);
    @Nullable String state = row.getString("state");
    return new Standing(
        queued == null
            ? null
            : new Open(
                queued,
                row.getInt("depth"),
                RowId.of(row),
                owner == null ? null : new DeliveryClaim(owner, row.getLong("claim")),
                row.getBoolean("owner_lives")),
        state == null ? null : OutcomeState.of(state),
        row.getLong("reply_bytes"));
  }

  /** What the sender of a message was answered; there is none while it is being sent. */
  ProxyResponse reply(ActivityKey key) {
    return of(REPLY, key)
        .query((row, n) ->
            new ProxyResponse(
                row.getInt("answer_status"),
                row.getString("answer_type"),
                Objects.requireNonNullElse(row.getString("answer"), "")
                    .getBytes(StandardCharsets.UTF_8)))
        .single();
  }

  /** What the agent has answered, if it has. */
  Optional<RawJson> response(ActivityKey key) {
    return of(RESPONSE, key).query((row, n) -> new RawJson(row.getString("response"))).optional();
  }

  /** Of {@link #response}; 0 without one. */
  long responseBytes(ActivityKey key) {
    return of(RESPONSE_BYTES, key).query(Long.class).optional().orElse(0L);
  }

  /** Those of these that have an outcome, or are gone. */
  List<ActivityKey> decided(Collection<ActivityKey> keys) {
    return db.sql(DECIDED)
        .param("ids", keys.stream().map(ActivityKey::workspaceId).toArray(UUID[]::new))
        .param("seqs", keys.stream().map(ActivityKey::seq).toArray(Long[]::new))
        .query((row, n) -> ActivityKey.of(row))
        .list();
  }

  /**
   * Makes a message that ended without an answer the claim's to deliver it again, if it was refused
   * or, {@code ambiguous}, is uncertain; returns how often the agent may have been given it before.
   */
  Optional<Integer> takeOver(ActivityKey key, DeliveryClaim claim, boolean ambiguous) {
    return of(TAKE_OVER, key)
        .param("owner", claim.owner())
        .param("claim", claim.number())
        .param("ambiguous", ambiguous)
        .query(Integer.class)
        .optional();
  }

  /** As {@link #takeOver}, into the queue; returns how many wait then. */
  Optional<Integer> queueAgain(ActivityKey key, int priority, Duration life, boolean ambiguous) {
    return of(QUEUE_AGAIN, key)
        .param("priority", priority)
        .param("life_ms", life.toMillis())
        .param("ambiguous", ambiguous)
        .query(Integer.class)
        .optional();
  }

  /** Puts what an agent answers by a message of its own; whether it is the first answer. */
  boolean answer(ActivityKey key, RawJson response, Duration after) {
    return of(ANSWER, key)
            .param("response", response.text())
            .param("bytes", RowSize.bytes(response))
            .param("listed", RowSize.ofOutcome(response, null))
            .param("duration_ms", after.toMillis())
            .update()
        == 1;
  }
}
