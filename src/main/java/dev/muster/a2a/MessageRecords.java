package dev.muster.a2a;

import dev.muster.a2a.RecordCompanion.Ending;
import dev.muster.activity.TurnEnd;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.postgres.Pipeline;
import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The records of messages (R7.3); each write of a deliverer is guarded by its lease. */
@Repository
class MessageRecords {

  static final Duration LEASE = Duration.ofSeconds(30);

  /** A new record. */
  record NewRecord(
      UUID activityId, MessageState state, @Nullable String owner, @Nullable Reply reply) {}

  /** A delivery whose lease has lapsed. */
  record Lapsed(UUID activityId, UUID workspaceId, String owner) {}

  private static final String INSERT =
      """
      INSERT INTO a2a_messages (activity_id, state, owner, lease_until, answer_status, answer_type, answer)
      SELECT r.id, r.state, r.owner, statement_timestamp() + CASE WHEN r.owner IS NOT NULL THEN interval '30 seconds' END,
          r.status, r.type, r.answer
      FROM unnest(?::uuid[], ?::text[], ?::text[], ?::integer[], ?::text[], ?::text[])
          AS r (id, state, owner, status, type, answer)
      """;

  /** A queued message has no owner here: its row of the queue is guarded by a lease of its own. */
  private static final String END =
      """
      UPDATE a2a_messages m SET
          state = e.state, owner = NULL, lease_until = NULL, deliveries = m.deliveries + e.deliveries,
          answer_status = e.status, answer_type = e.type, answer = e.answer
      FROM unnest(?::uuid[], ?::text[], ?::text[], ?::integer[], ?::integer[], ?::text[], ?::text[])
          AS e (id, owner, state, deliveries, status, type, answer)
      WHERE m.activity_id = e.id AND m.state = CASE WHEN e.owner IS NULL THEN 'queued' ELSE 'sending' END
          AND m.owner IS NOT DISTINCT FROM e.owner
      RETURNING m.activity_id
      """;

  private static final String DOUBT =
      """
      UPDATE a2a_messages SET state = 'uncertain', answer_status = :status, answer_type = :type, answer = :answer
      WHERE activity_id = ANY (:ids) AND state = 'refused' AND deliveries > 0
      """;

  private static final String FIND =
      """
      SELECT f.last_turn_seq, m.state, m.owner, m.deliveries,
          coalesce(octet_length(m.answer), l.response_bytes, 0) AS reply_bytes,
          coalesce(extract(epoch FROM m.lease_until - clock_timestamp()) * 1000, 0) AS lease_left_ms
      FROM a2a_messages m
      JOIN activity_logs l ON l.id = m.activity_id
      JOIN activity_feeds f ON f.workspace_id = l.workspace_id
      WHERE m.activity_id = :id
      """;

  private static final String REPLY =
      """
      SELECT m.answer_status, m.answer_type, coalesce(m.answer, l.response_body::text) AS answer
      FROM a2a_messages m JOIN activity_logs l ON l.id = m.activity_id
      WHERE m.activity_id = :id
      """;

  private static final String TAKE_OVER =
      """
      UPDATE a2a_messages SET
          deliveries = deliveries + CASE WHEN state = 'sending' THEN 1 ELSE 0 END,
          state = 'sending', owner = :owner, lease_until = statement_timestamp() + interval '30 seconds'
      WHERE activity_id = :id
          AND (state = 'refused' OR (:ambiguous
              AND (state = 'uncertain' OR (state = 'sending' AND lease_until < statement_timestamp()))))
      RETURNING deliveries
      """;

  private static final String MOVE_TO_QUEUE =
      """
      UPDATE a2a_messages SET
          state = 'queued', owner = NULL, lease_until = NULL, answer_status = :status, answer_type = :type, answer = :answer
      WHERE activity_id = :id AND state = 'sending' AND owner = :owner
      """;

  private static final String COUNT_DELIVERIES =
      "UPDATE a2a_messages SET deliveries = deliveries + :more WHERE activity_id = :id";

  /** Waits for nobody: what is locked is being ended, and a wait here would hold up those ends. */
  private static final String RENEW =
      """
      WITH free AS (
          SELECT m.activity_id FROM a2a_messages m
          JOIN unnest(?::uuid[], ?::text[]) AS held (id, owner) ON m.activity_id = held.id
          WHERE m.state = 'sending' AND m.owner = held.owner
          FOR NO KEY UPDATE OF m SKIP LOCKED)
      UPDATE a2a_messages m SET lease_until = statement_timestamp() + interval '30 seconds'
      FROM free WHERE m.activity_id = free.activity_id
      RETURNING m.activity_id
      """;

  private static final String LAPSED =
      """
      SELECT m.activity_id, l.workspace_id, m.owner FROM a2a_messages m JOIN activity_logs l ON l.id = m.activity_id
      WHERE m.state = 'sending' AND m.lease_until < clock_timestamp()
      ORDER BY m.lease_until LIMIT :most
      """;

  private final JdbcTemplate batches;
  private final JdbcClient db;

  MessageRecords(JdbcTemplate batches, JdbcClient db) {
    this.batches = batches;
    this.db = db;
  }

  void insert(Pipeline pipeline, List<NewRecord> records) {
    pipeline.add(
        INSERT,
        columns -> {
          columns.uuids(records, NewRecord::activityId);
          columns.texts(records, record -> record.state().wire());
          columns.texts(records, NewRecord::owner);
          columns.integers(records, record -> of(record.reply(), Reply::status));
          columns.texts(records, record -> of(record.reply(), Reply::contentType));
          columns.texts(records, record -> of(record.reply(), Reply::text));
        });
  }

  private static <V> @Nullable V of(@Nullable Reply reply, Function<Reply, V> part) {
    return reply == null ? null : part.apply(reply);
  }

  /** The rows of those that were still to be ended by this one. */
  Set<UUID> end(List<TurnEnd> ends) {
    return new HashSet<>(
        batches.query(
            END,
            (PreparedStatement statement) -> {
              var columns = new BatchColumns(statement, 1);
              columns.uuids(ends, TurnEnd::activityId);
              columns.texts(ends, end -> of(end).owner());
              columns.texts(ends, end -> of(end).state().wire());
              columns.integers(ends, end -> of(end).deliveries());
              columns.integers(ends, end -> of(end).status());
              columns.texts(ends, end -> of(end).contentType());
              columns.texts(ends, end -> of(end).reply());
            },
            (row, n) -> row.getObject("activity_id", UUID.class)));
  }

  private static Ending of(TurnEnd end) {
    return (Ending) Objects.requireNonNull(end.companion());
  }

  /** Of messages that were given up now, those are uncertain that the agent may have got before. */
  void doubt(Collection<UUID> activityIds, Reply reply) {
    db.sql(DOUBT)
        .param("ids", activityIds.toArray(UUID[]::new))
        .param("status", reply.status())
        .param("type", reply.contentType())
        .param("answer", reply.text())
        .update();
  }

  Optional<MessageRecord> find(UUID activityId) {
    return db.sql(FIND).param("id", activityId).query(MessageRecords::record).optional();
  }

  private static MessageRecord record(ResultSet row, int n) throws SQLException {
    return new MessageRecord(
        MessageState.of(row.getString("state")),
        row.getString("owner"),
        Duration.ofMillis((long) row.getDouble("lease_left_ms")),
        row.getInt("deliveries"),
        row.getLong("reply_bytes"),
        row.getLong("last_turn_seq"));
  }

  /** What the sender of a message was answered; there is none while it is being sent. */
  Reply reply(UUID activityId) {
    return db.sql(REPLY).param("id", activityId).query(MessageRecords::reply).single();
  }

  private static Reply reply(ResultSet row, int n) throws SQLException {
    return new Reply(
        row.getInt("answer_status"),
        Objects.requireNonNullElse(row.getString("answer_type"), "application/json"),
        row.getString("answer").getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Makes it {@code owner}'s to deliver it again, if it was refused or, {@code retriesAmbiguous},
   * nobody knows; returns how often the agent may have been given it before.
   */
  Optional<Integer> takeOver(UUID activityId, String owner, boolean retriesAmbiguous) {
    return db.sql(TAKE_OVER)
        .param("id", activityId)
        .param("owner", owner)
        .param("ambiguous", retriesAmbiguous)
        .query(Integer.class)
        .optional();
  }

  /** Of what was taken over: it goes into the queue. */
  void moveToQueue(UUID activityId, String owner, Reply reply) {
    db.sql(MOVE_TO_QUEUE)
        .param("id", activityId)
        .param("owner", owner)
        .param("status", reply.status())
        .param("type", reply.contentType())
        .param("answer", reply.text())
        .update();
  }

  void countDeliveries(UUID activityId, int more) {
    if (more > 0) {
      db.sql(COUNT_DELIVERIES).param("id", activityId).param("more", more).update();
    }
  }

  /**
   * Those that are still their owners' (owners by row), and are for another {@link #LEASE}; those
   * that somebody has locked are left out, whoever has them.
   */
  Set<UUID> renew(Map<UUID, String> held) {
    List<Map.Entry<UUID, String>> entries = List.copyOf(held.entrySet());
    return new HashSet<>(
        batches.query(
            RENEW,
            (PreparedStatement statement) -> {
              var columns = new BatchColumns(statement, 1);
              columns.uuids(entries, Map.Entry::getKey);
              columns.texts(entries, Map.Entry::getValue);
            },
            (row, n) -> row.getObject("activity_id", UUID.class)));
  }

  List<Lapsed> lapsed(int most) {
    return db.sql(LAPSED)
        .param("most", most)
        .query((row, n) ->
            new Lapsed(
                row.getObject("activity_id", UUID.class),
                row.getObject("workspace_id", UUID.class),
                row.getString("owner")))
        .list();
  }
}
