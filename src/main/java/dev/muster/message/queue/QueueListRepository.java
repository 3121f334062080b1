package dev.muster.message.queue;

import dev.muster.message.RowId;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.MessageAdmission.Kind;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueuedMessage;
import dev.muster.platform.http.PageCursor;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.workspace.WorkspaceStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads the queue for senders and operators. Hides messages that ended more than 7 days ago. */
@Repository
class QueueListRepository {

  /** Selects messages; a null member matches any value. A null state excludes ended messages. */
  record Filter(
      @Nullable QueueState state,
      @Nullable UUID targetId,
      @Nullable UUID senderId,
      @Nullable Kind kind) {}

  /**
   * The number of messages that wait for a target. {@code oldestS} is the age of the first in s.
   */
  record Target(UUID id, long waiting, long oldestS, WorkspaceStatus status) {}

  /** The counts of all targets; {@code oldestS} is in s, and null when no message waits. */
  record Total(long waiting, long delivering, @Nullable Long oldestS) {}

  private static final String OPEN_COLUMNS =
      """
      SELECT d.workspace_id, d.seq, d.sender_id, d.kind,
          CASE WHEN d.owner IS NULL THEN 'waiting' ELSE 'delivering' END AS state,
          d.priority, d.attempts, d.enqueued_at, d.due_at, d.expires_at, d.deliveries,
          NULL::timestamptz AS ended_at, d.error, l.created_at
      FROM deliveries d JOIN activity_logs l ON l.workspace_id = d.workspace_id AND l.seq = d.seq
      """;

  private static final String ENDED_COLUMNS =
      """
      SELECT o.workspace_id, o.seq, o.sender_id, o.kind, o.queue_state AS state, o.priority, o.attempts, o.enqueued_at,
          o.ended_at AS due_at, o.expires_at, o.deliveries, o.ended_at, o.error_detail AS error, l.created_at
      FROM delivery_outcomes o JOIN activity_logs l ON l.workspace_id = o.workspace_id AND l.seq = o.seq
      """;

  private static final String IS_SHOWN = "o.ended_at > now() - interval '7 days'";

  private static final String OPEN =
      OPEN_COLUMNS
          + """
          WHERE d.queued AND d.enqueued_at < 'infinity' AND (d.enqueued_at, d.workspace_id) > (:after, :after_id)
              AND (:kind::text IS NULL OR d.kind = :kind)
              AND (:target::uuid IS NULL OR d.workspace_id = :target)
              AND (:sender::uuid IS NULL OR d.sender_id = :sender)
              %s
          ORDER BY d.enqueued_at, d.workspace_id
          LIMIT :limit
          """;

  private static final String ALL_OPEN = OPEN.formatted("");
  private static final String WAITING = OPEN.formatted("AND d.owner IS NULL");

  /** There are few of them, and an index of their own finds them. */
  private static final String DELIVERING = OPEN.formatted("AND d.owner IS NOT NULL");

  private static final String ENDED =
      ENDED_COLUMNS
          + """
          WHERE o.queue_state IS NOT NULL
              AND (o.ended_at, o.workspace_id) < (:after, :after_id)
              AND o.queue_state = :state
              AND (:kind::text IS NULL OR o.kind = :kind)
              AND (:target::uuid IS NULL OR o.workspace_id = :target)
              AND (:sender::uuid IS NULL OR o.sender_id = :sender)
              AND %s
              AND NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = o.workspace_id AND d.seq = o.seq)
          ORDER BY o.ended_at DESC, o.workspace_id DESC
          LIMIT :limit
          """
              .formatted(IS_SHOWN);

  private static final String FIND_OPEN =
      OPEN_COLUMNS + "WHERE d.queued AND d.workspace_id = :workspace_id AND d.seq = :seq";

  private static final String FIND_ENDED =
      ENDED_COLUMNS
          + "WHERE o.queue_state IS NOT NULL AND o.workspace_id = :workspace_id AND o.seq = :seq"
          + " AND "
          + IS_SHOWN;

  /** Finds rows with the {@code seq} and the hash of the feed of an id; feeds may share a hash. */
  private static final String FEEDS_WITH_ROW =
      """
      SELECT l.workspace_id, l.seq, l.created_at FROM api_workspace_delivery w
      JOIN activity_logs l ON l.workspace_id = w.id AND l.seq = :seq
      WHERE feed_bits(w.id) = :feed_bits
      """;

  /** The entry is found once, and not for each of the others. */
  private static final String PLACE =
      """
      WITH mine AS MATERIALIZED (
          SELECT priority, enqueued_at, seq FROM deliveries WHERE workspace_id = :workspace_id AND seq = :seq)
      SELECT count(*) FROM mine JOIN deliveries d
          ON (-d.priority, d.enqueued_at, d.seq) <= (-mine.priority, mine.enqueued_at, mine.seq)
      WHERE d.workspace_id = :workspace_id AND d.queued AND d.owner IS NULL
      """;

  private static final String TOTAL =
      """
      SELECT
          count(*) FILTER (WHERE owner IS NULL) AS waiting,
          count(*) FILTER (WHERE owner IS NOT NULL) AS delivering,
          floor(extract(epoch FROM
              clock_timestamp() - min(enqueued_at) FILTER (WHERE owner IS NULL)))::bigint AS oldest_s
      FROM deliveries
      WHERE queued
      """;

  private static final String LONG_QUEUES =
      """
      SELECT t.workspace_id, t.waiting, t.oldest_s, coalesce(b.status, 'removed') AS status
      FROM (
          SELECT workspace_id, count(*) AS waiting,
              floor(extract(epoch FROM clock_timestamp() - min(enqueued_at)))::bigint AS oldest_s
          FROM deliveries WHERE queued AND owner IS NULL
          GROUP BY workspace_id ORDER BY waiting DESC, oldest_s DESC, workspace_id LIMIT :most) AS t
      LEFT JOIN api_workspace_heartbeat b ON b.workspace_id = t.workspace_id
      ORDER BY t.waiting DESC, t.oldest_s DESC, t.workspace_id
      """;

  private static final String MAKE_DUE =
      """
      UPDATE deliveries SET due_at = statement_timestamp()
      WHERE workspace_id = :workspace_id AND seq = :seq AND queued AND owner IS NULL
      """;

  private final JdbcClient db;

  QueueListRepository(JdbcClient db) {
    this.db = db;
  }

  /** Returns the messages that have not ended, the oldest first. */
  List<QueuedMessage> open(Filter filter, PageCursor after, int limit) {
    String statement =
        switch (filter.state()) {
          case null -> ALL_OPEN;
          case WAITING -> WAITING;
          default -> DELIVERING;
        };
    return page(statement, filter, after, limit);
  }

  /**
   * Returns the messages that ended in the filter's state, the newest first, without those that are
   * delivered again.
   */
  List<QueuedMessage> ended(Filter filter, PageCursor before, int limit) {
    return page(ENDED, filter, before, limit);
  }

  private List<QueuedMessage> page(String sql, Filter filter, PageCursor at, int limit) {
    @Nullable QueueState state = filter.state();
    @Nullable Kind kind = filter.kind();
    return db.sql(sql)
        .param("state", state == null ? null : state.wire())
        .param("kind", kind == null ? null : kind.wire())
        .param("target", filter.targetId())
        .param("sender", filter.senderId())
        .param("after", Timestamps.utc(at.createdAt()))
        .param("after_id", at.id())
        .param("limit", limit)
        .query(QueueListRepository::message)
        .list();
  }

  /** Returns the message of this row, if it waits in the queue or did. */
  Optional<QueuedMessage> find(ActivityKey key) {
    return find(FIND_OPEN, key).or(() -> find(FIND_ENDED, key));
  }

  private Optional<QueuedMessage> find(String sql, ActivityKey key) {
    return of(sql, key).query(QueueListRepository::message).optional();
  }

  private JdbcClient.StatementSpec of(String sql, ActivityKey key) {
    return db.sql(sql).param("workspace_id", key.workspaceId()).param("seq", key.seq());
  }

  /** Returns the key of the row with this id, in any feed. */
  Optional<ActivityKey> keyOf(UUID id) {
    return db
        .sql(FEEDS_WITH_ROW)
        .param("seq", RowId.seqOf(id))
        .param("feed_bits", RowId.feedBitsOf(id))
        .query((row, n) ->
            RowId.of(row).equals(id)
                ? Optional.of(ActivityKey.of(row))
                : Optional.<ActivityKey>empty())
        .list()
        .stream()
        .flatMap(Optional::stream)
        .findFirst();
  }

  /** Returns the message's position in the queue of its target, from 1. */
  int place(ActivityKey key) {
    return of(PLACE, key).query(Integer.class).single();
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

  /** Returns at most {@code most} targets, the longest queues first. */
  List<Target> mostWaiting(int most) {
    return db.sql(LONG_QUEUES)
        .param("most", most)
        .query((row, n) ->
            new Target(
                row.getObject("workspace_id", UUID.class),
                row.getLong("waiting"),
                row.getLong("oldest_s"),
                WorkspaceStatus.of(row.getString("status"))))
        .list();
  }

  /** Makes a waiting message due now; returns false when it does not wait. */
  boolean makeDue(ActivityKey key) {
    return of(MAKE_DUE, key).update() == 1;
  }

  private static QueuedMessage message(ResultSet row, int n) throws SQLException {
    return QueuedMessage.of(
        row,
        QueueState.of(row.getString("state")),
        null,
        Timestamps.instantOrNull(row, "ended_at"),
        null);
  }
}
