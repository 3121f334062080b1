package dev.muster.a2a.queue;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.muster.platform.postgres.BatchColumns;
import dev.muster.platform.text.ErrorText;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Puts messages into the queue, ends them, and reads the lines of their targets. */
@Repository
class QueueRepository {

  private static final String INSERT =
      """
      INSERT INTO a2a_queue (queue_id, activity_id, target_id, sender_id, priority, kind, state,
          enqueued_at, next_attempt_at, expires_at)
      SELECT queue_id, activity_id, target_id, sender_id, priority, kind, 'waiting', now, now, now + life_ms * interval '1 ms'
      FROM unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::uuid[], ?::int[], ?::text[], ?::bigint[])
          AS row (queue_id, activity_id, target_id, sender_id, priority, kind, life_ms),
          statement_timestamp() AS now
      """;

  private static final String DEPTHS =
      """
      SELECT target_id, count(*) AS depth FROM a2a_queue
      WHERE target_id = ANY (:targets) AND state = 'waiting'
      GROUP BY target_id
      """;

  private static final String AHEAD =
      """
      SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting,
          coalesce(bool_or(kind = 'message' AND sender_id IS NOT DISTINCT FROM ?::uuid), false) AS of_sender
      FROM a2a_queue WHERE target_id = ? AND state IN ('waiting', 'delivering')
      """;

  /** Counts no further than it matters. */
  private static final String HAS_WAITING =
      """
      SELECT count(*) = :most FROM (
          SELECT FROM a2a_queue WHERE target_id = :target AND state = 'waiting' LIMIT :most) AS first
      """;

  private static final String END =
      """
      UPDATE a2a_queue q SET
          state = row.state, ended_at = statement_timestamp(), error = row.error, lease_owner = NULL, lease_until = NULL
      FROM unnest(?::uuid[], ?::text[], ?::text[], ?::text[]) AS row (queue_id, owner, state, error)
      WHERE q.queue_id = row.queue_id AND q.state = 'delivering' AND q.lease_owner = row.owner
      RETURNING q.queue_id
      """;

  private static final String FIND =
      """
      SELECT queue_id, activity_id, target_id, sender_id, priority, kind, state, attempts, enqueued_at, next_attempt_at,
          expires_at, lease_owner, lease_until, ended_at, error
      FROM a2a_queue WHERE queue_id = :id
      """;

  private static final String OPEN_OF =
      "SELECT queue_id FROM a2a_queue WHERE activity_id = :id AND state IN ('waiting',"
          + " 'delivering')";

  private static final String PLACE =
      """
      SELECT count(*) FROM a2a_queue q JOIN a2a_queue mine ON mine.target_id = q.target_id
      WHERE mine.queue_id = :id AND q.state = 'waiting'
          AND (-q.priority, q.enqueued_at, q.queue_id) <= (-mine.priority, mine.enqueued_at, mine.queue_id)
      """;

  /** Of version 7, and ascending within this process: rows of one moment keep their order. */
  private static final TimeBasedEpochGenerator IDS = Generators.timeBasedEpochGenerator();

  private final JdbcClient db;
  private final JdbcTemplate batches;

  QueueRepository(JdbcClient db, JdbcTemplate batches) {
    this.db = db;
    this.batches = batches;
  }

  /** The new rows' ids, in their order. */
  List<UUID> insert(List<NewQueued> messages) {
    List<UUID> ids = Stream.generate(IDS::generate).limit(messages.size()).toList();
    batches.update(
        INSERT,
        (PreparedStatement statement) -> {
          var columns = new BatchColumns(statement, 1);
          columns.uuids(ids, id -> id);
          columns.uuids(messages, NewQueued::activityId);
          columns.uuids(messages, NewQueued::targetId);
          columns.uuids(messages, NewQueued::senderId);
          columns.integers(messages, NewQueued::priority);
          columns.texts(messages, message -> message.kind().wire());
          columns.longs(messages, message -> message.life().toMillis());
        });
    return ids;
  }

  /** How many wait for each of these targets; none for those that are missing. */
  Map<UUID, Integer> depths(Collection<UUID> targetIds) {
    Map<UUID, Integer> depths = new HashMap<>();
    db.sql(DEPTHS)
        .param("targets", targetIds.toArray(UUID[]::new))
        .query(row -> {
          depths.put(row.getObject("target_id", UUID.class), row.getInt("depth"));
        });
    return depths;
  }

  Ahead ahead(UUID targetId, @Nullable UUID senderId) {
    return db.sql(AHEAD)
        .param(senderId)
        .param(targetId)
        .query((row, n) -> new Ahead(row.getInt("waiting"), row.getBoolean("of_sender")))
        .single();
  }

  boolean hasWaiting(UUID targetId, int most) {
    return db.sql(HAS_WAITING)
        .param("target", targetId)
        .param("most", most)
        .query(Boolean.class)
        .single();
  }

  /** Those that were their owner's, and are ended now. */
  List<UUID> end(List<QueueEnd> ends) {
    return batches.query(
        END,
        (PreparedStatement statement) -> bind(statement, ends),
        (row, n) -> row.getObject("queue_id", UUID.class));
  }

  private static void bind(PreparedStatement statement, List<QueueEnd> ends) throws SQLException {
    var columns = new BatchColumns(statement, 1);
    columns.uuids(ends, QueueEnd::queueId);
    columns.texts(ends, QueueEnd::owner);
    columns.texts(ends, end -> end.state().state().wire());
    columns.texts(ends, end -> ErrorText.keptOrNull(end.error()));
  }

  Optional<QueuedMessage> find(UUID queueId) {
    return db.sql(FIND).param("id", queueId).query(QueueRows::message).optional();
  }

  Optional<UUID> openOf(UUID activityId) {
    return db.sql(OPEN_OF)
        .param("id", activityId)
        .query((row, n) -> row.getObject("queue_id", UUID.class))
        .optional();
  }

  /** Which one of those that wait for its target it is, from 1. */
  int place(UUID queueId) {
    return db.sql(PLACE).param("id", queueId).query(Integer.class).single();
  }
}
