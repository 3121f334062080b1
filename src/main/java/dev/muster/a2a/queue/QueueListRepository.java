package dev.muster.a2a.queue;

import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.SqlTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The queue of all targets, as operators look at it and change it. */
@Repository
class QueueListRepository {

  /** Which messages; whatever is null is any. An absent state is either of those before the end. */
  record Filter(
      @Nullable QueueState state,
      @Nullable UUID targetId,
      @Nullable UUID senderId,
      @Nullable QueueKind kind) {}

  /** How many wait for a target, and since when the first of them does. */
  record Waiting(UUID targetId, long waiting, long oldestS) {}

  /** Of all targets; {@code oldestS} is null when nothing waits. */
  record Total(long waiting, long delivering, @Nullable Long oldestS) {}

  private static final String OPEN =
      """
      SELECT queue_id, activity_id, target_id, sender_id, priority, kind, state, attempts, enqueued_at, next_attempt_at,
          expires_at, lease_owner, lease_until, ended_at, error
      FROM a2a_queue
      WHERE state IN ('waiting', 'delivering') AND (enqueued_at, queue_id) > (:after, :after_id)
          AND (:state::text IS NULL OR state = :state) AND (:kind::text IS NULL OR kind = :kind)
          AND (:target::uuid IS NULL OR target_id = :target) AND (:sender::uuid IS NULL OR sender_id = :sender)
      ORDER BY enqueued_at, queue_id LIMIT :limit
      """;

  private static final String ENDED =
      """
      SELECT queue_id, activity_id, target_id, sender_id, priority, kind, state, attempts, enqueued_at, next_attempt_at,
          expires_at, lease_owner, lease_until, ended_at, error
      FROM a2a_queue
      WHERE ended_at IS NOT NULL AND (ended_at, queue_id) < (:before, :before_id)
          AND state = :state AND (:kind::text IS NULL OR kind = :kind)
          AND (:target::uuid IS NULL OR target_id = :target) AND (:sender::uuid IS NULL OR sender_id = :sender)
      ORDER BY ended_at DESC, queue_id DESC LIMIT :limit
      """;

  private static final String TOTAL =
      """
      SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE state = 'delivering') AS delivering,
          floor(extract(epoch FROM clock_timestamp() - min(enqueued_at) FILTER (WHERE state = 'waiting')))::bigint AS oldest_s
      FROM a2a_queue WHERE state IN ('waiting', 'delivering')
      """;

  private static final String MOST_WAITING =
      """
      SELECT target_id, count(*) AS waiting,
          floor(extract(epoch FROM clock_timestamp() - min(enqueued_at)))::bigint AS oldest_s
      FROM a2a_queue WHERE state = 'waiting'
      GROUP BY target_id ORDER BY waiting DESC, oldest_s DESC, target_id LIMIT :most
      """;

  private static final String MAKE_DUE =
      """
      UPDATE a2a_queue SET next_attempt_at = statement_timestamp()
      WHERE queue_id = :id AND (state = 'waiting' OR (state = 'delivering' AND lease_until <= statement_timestamp()))
      RETURNING target_id
      """;

  private final JdbcClient db;

  QueueListRepository(JdbcClient db) {
    this.db = db;
  }

  /** Those that have not ended, the oldest first. */
  List<QueuedMessage> open(Filter filter, PageCursor after, int limit) {
    return filtered(OPEN, filter)
        .param("after", SqlTime.utc(after.createdAt()))
        .param("after_id", after.id())
        .param("limit", limit)
        .query(QueueRows::message)
        .list();
  }

  /** Those that ended so, the last one first. */
  List<QueuedMessage> ended(Filter filter, PageCursor before, int limit) {
    return filtered(ENDED, filter)
        .param("before", SqlTime.utc(before.createdAt()))
        .param("before_id", before.id())
        .param("limit", limit)
        .query(QueueRows::message)
        .list();
  }

  private JdbcClient.StatementSpec filtered(String sql, Filter filter) {
    @Nullable QueueState state = filter.state();
    @Nullable QueueKind kind = filter.kind();
    return db.sql(sql)
        .param("state", state == null ? null : state.wire())
        .param("kind", kind == null ? null : kind.wire())
        .param("target", filter.targetId())
        .param("sender", filter.senderId());
  }

  Total total() {
    return db.sql(TOTAL)
        .query((row, n) ->
            new Total(
                row.getLong("waiting"),
                row.getLong("delivering"),
                row.getObject("oldest_s", Long.class)))
        .single();
  }

  /** The targets for which most messages wait. */
  List<Waiting> mostWaiting(int most) {
    return db.sql(MOST_WAITING)
        .param("most", most)
        .query((row, n) ->
            new Waiting(
                row.getObject("target_id", UUID.class),
                row.getLong("waiting"),
                row.getLong("oldest_s")))
        .list();
  }

  /** The target of a message that waits, and may be tried now; empty when it does not wait. */
  Optional<UUID> makeDue(UUID queueId) {
    return db.sql(MAKE_DUE)
        .param("id", queueId)
        .query((row, n) -> row.getObject("target_id", UUID.class))
        .optional();
  }
}
