package dev.muster.message.feed;

import static dev.muster.platform.postgres.BatchColumns.partOf;

import dev.muster.event.SeriesRelay.End;
import dev.muster.message.RowId;
import dev.muster.message.feed.ActivityLoggedRow.ByAgent;
import dev.muster.message.feed.ActivityLoggedRow.ByUser;
import dev.muster.message.feed.ActivityLoggedRow.ChatText;
import dev.muster.message.feed.AnsweredMessageRelay.AnsweredMessage;
import dev.muster.message.store.ActivityKey;
import dev.muster.message.store.RowSize;
import dev.muster.platform.postgres.Timestamps;
import dev.muster.platform.text.RawJson;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Finds activity rows and responses that are not relayed yet. */
@Repository
class ActivityRelayRepository {

  static final int MAX_ROWS_OF_A_FEED = 200;

  /** Page size of the relay. A page with its bodies takes less memory than the kept live events. */
  static final int MAX_ROWS = 1_000;

  /** Scans all feeds, since no column that an append updates has an index. */
  private static final String ENDS_SINCE =
      """
      SELECT workspace_id, last_seq, least(last_created_at, clock_timestamp()) AS last_changed_at
      FROM activity_feeds WHERE last_created_at > :since
      """;

  private static final String AFTER =
      """
      SELECT l.workspace_id, l.seq, l.activity_type, l.method, l.summary, l.status, l.source_id, l.target_id,
          l.duration_ms, l.error_detail, l.created_at, l.speaker, l.chat_text, l.message_id, l.delegation_id, l.notification,
          l.has_files, l.request_body, l.response_body
      FROM unnest(:ids::uuid[], :afters::bigint[]) AS known (workspace_id, seq)
      CROSS JOIN LATERAL (
          SELECT r.workspace_id, r.seq, r.activity_type, r.method, r.summary, r.status, r.source_id, r.target_id,
              r.duration_ms, r.error_detail, r.created_at, r.message_id, r.delegation_id,
              CASE
                  WHEN r.source = 'self' AND r.source_id IS NULL THEN 'agent'
                  WHEN r.source = 'canvas_user' AND r.message_id IS NOT NULL THEN 'user'
              END AS speaker,
              CASE
                  WHEN (r.source = 'self' AND r.source_id IS NULL) OR r.source = 'canvas_user' THEN r.message_text
              END AS chat_text,
              CASE WHEN r.source = 'self' AND r.source_id IS NULL THEN r.response_body END AS notification,
              r.attachments IS NOT NULL AS has_files,
              CASE WHEN r.request_bytes <= :largest THEN r.request_body END AS request_body,
              CASE WHEN r.response_bytes <= :largest THEN r.response_body END AS response_body
          FROM activity_logs r
          WHERE r.workspace_id = known.workspace_id AND r.seq > known.seq
          ORDER BY r.seq
          LIMIT :most) AS l
      ORDER BY l.created_at, l.workspace_id, l.seq
      LIMIT :max_rows
      """;

  /**
   * In the order of the index alone. An order by more columns needs a sort, for which PostgreSQL 15
   * reads all rows if it expects few. The outcomes that one statement stores differ in their times.
   */
  private static final String ANSWERED_SINCE =
      """
      SELECT o.workspace_id, o.seq, o.ended_at, l.method, l.message_id, o.duration_ms, o.response_bytes,
          CASE WHEN o.response_bytes <= :largest THEN o.response END AS response_body, clock_timestamp() AS now
      FROM delivery_outcomes o JOIN activity_logs l ON l.workspace_id = o.workspace_id AND l.seq = o.seq
      WHERE o.ended_at > :since AND o.sender_id IS NULL AND o.kind = 'message' AND o.response IS NOT NULL
          AND l.source = 'canvas_user' AND l.message_id IS NOT NULL
      ORDER BY o.ended_at LIMIT :most
      """;

  private static final String NOW = "SELECT clock_timestamp() AS now";

  private final JdbcClient db;

  ActivityRelayRepository(JdbcClient db) {
    this.db = db;
  }

  List<End> endsSince(Instant time) {
    return db.sql(ENDS_SINCE).param("since", Timestamps.utc(time)).query(End::of).list();
  }

  /**
   * Returns the rows after these positions, in time order. The result has at most {@link
   * #MAX_ROWS_OF_A_FEED} rows per feed and {@link #MAX_ROWS} in total.
   */
  List<ActivityLoggedRow> after(Map<UUID, Long> known) {
    return db.sql(AFTER)
        .param("ids", known.keySet().toArray(UUID[]::new))
        .param("afters", known.values().toArray(Long[]::new))
        .param("most", MAX_ROWS_OF_A_FEED)
        .param("max_rows", MAX_ROWS)
        .param("largest", ActivityLoggedRow.MAX_BODY_BYTES)
        .query(ActivityRelayRepository::logged)
        .list();
  }

  /** Returns agents' responses to canvas messages after this time, at most {@link #MAX_ROWS}. */
  List<AnsweredMessage> answeredSince(Instant time) {
    return db.sql(ANSWERED_SINCE)
        .param("since", Timestamps.utc(time))
        .param("most", MAX_ROWS)
        .param("largest", RowSize.MAX_BODY_BYTES)
        .query((row, n) ->
            new AnsweredMessage(
                ActivityKey.of(row),
                Timestamps.instant(row, "ended_at"),
                row.getString("method"),
                row.getString("message_id"),
                row.getObject("duration_ms", Long.class),
                StoredActivity.body(row, "response_body", "response_bytes"),
                Timestamps.instant(row, "now")))
        .list();
  }

  /** Returns the database's time. */
  Instant now() {
    return db.sql(NOW).query((row, n) -> Timestamps.instant(row, "now")).single();
  }

  private static ActivityLoggedRow logged(ResultSet row, int n) throws SQLException {
    return new ActivityLoggedRow(
        RowId.of(row),
        row.getObject("workspace_id", UUID.class),
        row.getLong("seq"),
        row.getString("activity_type"),
        row.getString("method"),
        row.getString("summary"),
        row.getString("status"),
        row.getObject("source_id", UUID.class),
        row.getObject("target_id", UUID.class),
        row.getObject("duration_ms", Long.class),
        row.getString("error_detail"),
        Timestamps.instant(row, "created_at"),
        row.getString("message_id"),
        row.getString("delegation_id"),
        json(row, "request_body"),
        json(row, "response_body"),
        chatText(row));
  }

  private static @Nullable ChatText chatText(ResultSet row) throws SQLException {
    String words = Objects.requireNonNullElse(row.getString("chat_text"), "");
    return switch (row.getString("speaker")) {
      case "agent" -> {
        @Nullable RawJson stored = json(row, "notification");
        yield new ByAgent(
            words,
            stored == null || !row.getBoolean("has_files")
                ? List.of()
                : Notification.filesOf(stored),
            stored == null ? null : Notification.answeredBy(stored).orElse(null));
      }
      case "user" -> new ByUser(words, row.getString("message_id"));
      case null, default -> null;
    };
  }

  private static @Nullable RawJson json(ResultSet row, String column) throws SQLException {
    return partOf(row.getString(column), RawJson::new);
  }
}
