package dev.muster.message.store;

import dev.muster.message.RowId;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.platform.text.RawJson;
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
import org.springframework.transaction.annotation.Transactional;

/** Reads and writes open deliveries and outcomes of messages (R7.3). */
@Repository
public class OutcomeRepository {

  /**
   * The state of a message. An open delivery takes precedence over the outcome of an earlier one.
   *
   * @param rowId the id of its row
   * @param open the delivery that is under way or waits; null if there is none
   * @param outcome the outcome of the last delivery; null if there was none
   * @param isAnsweredByMessage whether the agent answered by a message of its own (R7.11)
   * @param replyBytes the approximate size in bytes of the response to the sender; 0 without one
   */
  public record Standing(
      UUID rowId,
      @Nullable Open open,
      @Nullable OutcomeState outcome,
      boolean isAnsweredByMessage,
      long replyBytes) {}

  /**
   * A delivery that has not ended.
   *
   * @param claim null while the message waits
   * @param ownerLives whether the lease of the replica that holds it has not lapsed
   */
  public record Open(
      boolean queued, int depth, UUID rowId, @Nullable DeliveryClaim claim, boolean ownerLives) {}

  private static final String STANDING =
      """
      SELECT d.queued, d.depth, d.owner, d.claim, r.alive_until > clock_timestamp() AS owner_lives,
          l.workspace_id, l.seq, l.created_at,
          o.state, o.state = 'answered' AND o.owner IS NULL AS answered_by_message,
          coalesce(octet_length(o.answer), o.response_bytes, 0) AS reply_bytes
      FROM activity_logs l
      LEFT JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
      LEFT JOIN replicas r ON r.id = d.owner
      LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq
      WHERE l.workspace_id = :workspace_id AND l.seq = :seq
      """;

  private static final String OF_MESSAGE =
      " FROM delivery_outcomes WHERE workspace_id = :workspace_id AND seq = :seq";

  private static final String REPLY =
      "SELECT answer_status, answer_type, coalesce(answer, response) AS answer" + OF_MESSAGE;

  private static final String ANSWER_OF_AGENT =
      "SELECT coalesce(response, answer) AS answer"
          + OF_MESSAGE
          + " AND (response IS NOT NULL"
          + " OR state = 'answered' AND answer_status = 200 AND answer_type = 'application/json')";

  private static final String RESPONSE =
      "SELECT response" + OF_MESSAGE + " AND response IS NOT NULL";

  private static final String RESPONSE_BYTES = "SELECT coalesce(response_bytes, 0)" + OF_MESSAGE;

  private static final String DECIDED =
      """
      SELECT k.workspace_id, k.seq FROM unnest(:ids::uuid[], :seqs::bigint[]) AS k (workspace_id, seq)
      WHERE EXISTS (SELECT FROM delivery_outcomes o WHERE o.workspace_id = k.workspace_id AND o.seq = k.seq)
          OR NOT EXISTS (SELECT FROM activity_logs l WHERE l.workspace_id = k.workspace_id AND l.seq = k.seq)
      """;

  /** Reopens a delivery, unless another request did so first. */
  private static final String TAKE_OVER =
      """
      INSERT INTO deliveries (
          workspace_id, seq, sender_id, kind, queued, depth, priority,
          enqueued_at, due_at, expires_at,
          owner, claim, claimed_at, deliveries)
      SELECT
          o.workspace_id, o.seq, o.sender_id, o.kind, false, 0, o.priority,
          statement_timestamp(), statement_timestamp(), o.expires_at,
          :owner, :claim, statement_timestamp(), o.deliveries
      FROM delivery_outcomes o
      WHERE o.workspace_id = :workspace_id AND o.seq = :seq
      ON CONFLICT (workspace_id, seq) DO NOTHING
      RETURNING deliveries
      """;

  private static final String QUEUE_AGAIN =
      """
      INSERT INTO deliveries (
          workspace_id, seq, sender_id, kind, queued, depth, priority,
          enqueued_at, due_at, expires_at, deliveries)
      SELECT
          o.workspace_id, o.seq, o.sender_id, o.kind, true,
          1 + (
              SELECT count(*) FROM deliveries d
              WHERE d.workspace_id = :workspace_id AND d.queued AND d.owner IS NULL),
          :priority,
          statement_timestamp(), statement_timestamp(),
          CASE o.kind WHEN 'delegation' THEN o.expires_at ELSE statement_timestamp() + :life_ms * interval '1 ms' END,
          o.deliveries
      FROM delivery_outcomes o
      WHERE o.workspace_id = :workspace_id AND o.seq = :seq
      ON CONFLICT (workspace_id, seq) DO NOTHING
      RETURNING depth
      """;

  /** A statement of its own, because the answer may be stored while the insert waits. */
  private static final String DELETE_UNLESS_REOPENABLE =
      """
      DELETE FROM deliveries d USING delivery_outcomes o
      WHERE d.workspace_id = :workspace_id AND d.seq = :seq AND o.workspace_id = d.workspace_id AND o.seq = d.seq
          AND NOT (o.state = 'refused' OR :ambiguous AND o.state = 'uncertain')
      """;

  /**
   * Deletes the delivery if it waits, since the agent has answered. A claimed delivery stays; its
   * holder ends it.
   */
  private static final String ANSWER =
      """
      WITH waiting AS (
          DELETE FROM deliveries
          WHERE workspace_id = :workspace_id AND seq = :seq AND owner IS NULL
          RETURNING *),
      open AS (
          SELECT * FROM waiting
          UNION ALL
          SELECT * FROM deliveries WHERE workspace_id = :workspace_id AND seq = :seq AND owner IS NOT NULL)
      INSERT INTO delivery_outcomes AS o (
          workspace_id, seq, state, deliveries,
          answer_status, answer_type, answer, response, response_bytes, listed_bytes,
          status, duration_ms, ended_at, queue_state,
          kind, sender_id, priority, attempts,
          enqueued_at, expires_at)
      SELECT
          l.workspace_id, l.seq, 'answered', coalesce(open.deliveries, 1),
          200, 'application/json', :answer::text, :response::text, :bytes::integer, :listed,
          'ok', :duration_ms, statement_timestamp(), CASE WHEN open.queued THEN 'delivered' END,
          coalesce(open.kind, l.delivery_kind, 'message'), l.source_id, coalesce(open.priority, l.priority, 50),
          coalesce(open.attempts, 0),
          coalesce(open.enqueued_at, l.created_at), coalesce(open.expires_at, l.expires_at, l.created_at)
      FROM activity_logs l LEFT JOIN open ON true
      WHERE l.workspace_id = :workspace_id AND l.seq = :seq AND (:also_claimed::boolean OR open.owner IS NULL)
      ON CONFLICT (workspace_id, seq) DO UPDATE SET
          state = excluded.state,
          owner = NULL,
          claim = NULL,
          answer_status = excluded.answer_status,
          answer_type = excluded.answer_type,
          answer = excluded.answer,
          response = excluded.response,
          response_bytes = excluded.response_bytes,
          listed_bytes = excluded.listed_bytes,
          status = excluded.status,
          error_detail = NULL,
          duration_ms = excluded.duration_ms,
          ended_at = excluded.ended_at,
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

  /** Returns the state of a message; empty when its row is deleted. */
  public Optional<Standing> find(ActivityKey key) {
    return of(STANDING, key).query((row, n) -> standing(row)).optional();
  }

  private static Standing standing(ResultSet row) throws SQLException {
    @Nullable Boolean queued = row.getObject("queued", Boolean.class);
    @Nullable UUID owner = row.getObject("owner", UUID.class);
    @Nullable String state = row.getString("state");
    return new Standing(
        RowId.of(row),
        queued == null
            ? null
            : new Open(
                queued,
                row.getInt("depth"),
                RowId.of(row),
                owner == null ? null : new DeliveryClaim(owner, row.getLong("claim")),
                row.getBoolean("owner_lives")),
        state == null ? null : OutcomeState.of(state),
        row.getBoolean("answered_by_message"),
        row.getLong("reply_bytes"));
  }

  /** Returns the stored response to the sender; throws while the message is being sent. */
  public ProxyResponse reply(ActivityKey key) {
    return of(REPLY, key)
        .query((row, n) ->
            new ProxyResponse(
                row.getInt("answer_status"),
                row.getString("answer_type"),
                Objects.requireNonNullElse(row.getString("answer"), "")
                    .getBytes(StandardCharsets.UTF_8)))
        .single();
  }

  /**
   * Returns the answer of a poll agent: the JSON response, or the answer that its row does not
   * show.
   */
  public Optional<RawJson> answer(ActivityKey key) {
    return of(ANSWER_OF_AGENT, key)
        .query((row, n) -> new RawJson(row.getString("answer")))
        .optional();
  }

  /** Returns the JSON response of the agent, if there is one. */
  public Optional<RawJson> response(ActivityKey key) {
    return of(RESPONSE, key).query((row, n) -> new RawJson(row.getString("response"))).optional();
  }

  /** Returns the size of {@link #response} in bytes; 0 without one. */
  public long responseBytes(ActivityKey key) {
    return of(RESPONSE_BYTES, key).query(Long.class).optional().orElse(0L);
  }

  /** Returns the keys with an outcome or without a row. */
  public List<ActivityKey> decided(Collection<ActivityKey> keys) {
    return db.sql(DECIDED)
        .param("ids", keys.stream().map(ActivityKey::workspaceId).toArray(UUID[]::new))
        .param("seqs", keys.stream().map(ActivityKey::seq).toArray(Long[]::new))
        .query((row, n) -> ActivityKey.of(row))
        .list();
  }

  /**
   * Claims a message that was refused, in order to deliver it again. With {@code ambiguous}, also
   * claims an uncertain one. Returns how often the agent may have got it before; empty if nothing
   * was claimed.
   */
  @Transactional
  public Optional<Integer> takeOver(ActivityKey key, DeliveryClaim claim, boolean ambiguous) {
    return reopen(
        of(TAKE_OVER, key).param("owner", claim.owner()).param("claim", claim.number()),
        key,
        ambiguous);
  }

  /**
   * Queues the message again, under the conditions of {@link #takeOver}. Returns the number of
   * waiting messages, including it; empty if it was not queued.
   *
   * @param life how long it may wait; that of a delegation waits until the same time as before
   */
  @Transactional
  public Optional<Integer> queueAgain(
      ActivityKey key, int priority, Duration life, boolean ambiguous) {
    return reopen(
        of(QUEUE_AGAIN, key).param("priority", priority).param("life_ms", life.toMillis()),
        key,
        ambiguous);
  }

  private Optional<Integer> reopen(
      JdbcClient.StatementSpec insert, ActivityKey key, boolean ambiguous) {
    return insert
        .query(Integer.class)
        .optional()
        .filter(_ -> of(DELETE_UNLESS_REOPENABLE, key).param("ambiguous", ambiguous).update() == 0);
  }

  /**
   * Stores the answer that an agent sent as its own message. Returns false when there is an answer
   * already.
   */
  public boolean answer(ActivityKey key, RawJson response, Duration after) {
    return answer(key, null, response, true, after);
  }

  /**
   * Stores the answer that an agent sent as a notification; the message's row does not show it.
   * Returns false when there is an answer already, or when the message is being sent: then the
   * agent's own answer to it is still to come.
   */
  public boolean answerElsewhere(ActivityKey key, RawJson answer, Duration after) {
    return answer(key, answer, null, false, after);
  }

  private boolean answer(
      ActivityKey key,
      @Nullable RawJson answer,
      @Nullable RawJson response,
      boolean alsoClaimed,
      Duration after) {
    return of(ANSWER, key)
            .param("answer", answer == null ? null : answer.text())
            .param("response", response == null ? null : response.text())
            .param("bytes", RowSize.bytes(response))
            .param("listed", RowSize.ofOutcome(response, null))
            .param("also_claimed", alsoClaimed)
            .param("duration_ms", after.toMillis())
            .update()
        == 1;
  }
}
