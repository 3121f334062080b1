package dev.muster.activity;

import dev.muster.activity.FeedPosition.Marks;
import dev.muster.activity.FeedQuery.SourceFilter;
import dev.muster.platform.postgres.SqlTime;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Reads feeds: first where to begin, then which rows, then those rows. */
@Repository
class FeedPages {

  /** A row that will be on a page, and how many bytes it takes there. */
  record Listed(long seq, int bytes) {}

  static final String MARKS =
      """
      SELECT f.last_seq, f.last_acked_seq, f.read_seq,
          (SELECT seq FROM activity_logs WHERE id = :since AND workspace_id = f.workspace_id) AS since,
          (SELECT seq FROM activity_logs
           WHERE workspace_id = f.workspace_id AND created_at < now() - make_interval(secs => :secs)
           ORDER BY created_at DESC LIMIT 1) AS aged,
          (SELECT seq FROM activity_logs
           WHERE workspace_id = f.workspace_id AND created_at < :before::timestamptz
           ORDER BY created_at DESC LIMIT 1) AS before
      FROM activity_feeds f WHERE f.workspace_id = :workspace_id
      """;

  /**
   * What people and the agent said to each other: what a person asks of an agent without a message,
   * such as its card, is not said.
   */
  static final String CONVERSATION =
      """
      SELECT seq, listed_bytes FROM activity_logs
      WHERE workspace_id = :workspace_id AND seq <= :up_to
          AND (source = 'canvas_user' OR (source = 'self' AND source_id IS NULL))
          AND CASE WHEN source = 'self' OR message_id IS NOT NULL THEN true ELSE false END
      ORDER BY seq DESC LIMIT (SELECT :limit)
      """;

  static final String ROWS =
      """
      SELECT id, workspace_id, seq, activity_type, source, source_id, target_id, method, summary,
          CASE WHEN request_bytes <= :largest THEN request_body END AS request_body, request_bytes,
          CASE WHEN response_bytes <= :largest THEN response_body END AS response_body, response_bytes,
          CASE WHEN trace_bytes <= :largest THEN tool_trace END AS tool_trace, trace_bytes,
          duration_ms, status, error_detail, message_id, delegation_id, message_text, attachments, peer_id, created_at
      FROM activity_logs WHERE workspace_id = :workspace_id AND seq = ANY (:seqs)
      """;

  private static final String ONE =
      """
      SELECT id, workspace_id, seq, activity_type, source, source_id, target_id, method, summary,
          request_body, request_bytes, response_body, response_bytes, tool_trace, trace_bytes,
          duration_ms, status, error_detail, message_id, delegation_id, message_text, attachments, peer_id, created_at
      FROM activity_logs WHERE id = :id AND workspace_id = :workspace_id
      """;

  private static final String BYTES =
      """
      SELECT coalesce(request_bytes, 0)::bigint + coalesce(response_bytes, 0) + coalesce(trace_bytes, 0) AS bytes
      FROM activity_logs WHERE id = :id AND workspace_id = :workspace_id
      """;

  private final JdbcClient db;

  FeedPages(JdbcClient db) {
    this.db = db;
  }

  /** Empty when the feed was never appended to. */
  Optional<Marks> marks(UUID workspaceId, Optional<UUID> since, FeedQuery query) {
    return db.sql(MARKS)
        .param("workspace_id", workspaceId)
        .param("since", since.orElse(null))
        .param("secs", query.sinceSecs().map(secs -> (double) secs.toSeconds()).orElse(null))
        .param("before", query.beforeTs().map(SqlTime::utc).orElse(null))
        .query((row, n) ->
            new Marks(
                row.getLong("last_seq"),
                row.getLong("last_acked_seq"),
                row.getLong("read_seq"),
                Optional.ofNullable(row.getObject("since", Long.class)),
                row.getLong("aged"),
                row.getLong("before")))
        .optional();
  }

  /** The next rows of the query, in its order, at most its limit. */
  List<Listed> list(UUID workspaceId, FeedQuery query, FeedPosition position) {
    return db.sql(FeedIndex.of(workspaceId, query).statement(query.isOldestFirst()))
        .param("workspace_id", workspaceId)
        .param("after", position.after())
        .param("up_to", position.upTo())
        .param("type", query.type().orElse(null))
        .param("peer", query.peerId().orElse(null))
        .param("from_chat", query.source().equals(Optional.of(SourceFilter.CANVAS)))
        .param("from_agents", query.source().equals(Optional.of(SourceFilter.AGENT)))
        .param("without_own", query.leavesOutOwn())
        .param("with_notifications", query.bringsBackNotifications())
        .param("limit", query.limit())
        .query((row, n) -> new Listed(row.getLong("seq"), row.getInt("listed_bytes")))
        .list();
  }

  /** The conversation at the canvas up to a row, newest first. */
  List<Listed> conversation(UUID workspaceId, long upTo, int limit) {
    return db.sql(CONVERSATION)
        .param("workspace_id", workspaceId)
        .param("up_to", upTo)
        .param("limit", limit)
        .query((row, n) -> new Listed(row.getLong("seq"), row.getInt("listed_bytes")))
        .list();
  }

  /** In no order; large bodies are only named. */
  List<StoredActivity> rows(UUID workspaceId, List<Long> seqs) {
    return db.sql(ROWS)
        .param("workspace_id", workspaceId)
        .param("seqs", seqs.toArray(Long[]::new))
        .param("largest", ListedSize.LARGEST_BODY)
        .query(FeedPages::row)
        .list();
  }

  /** Of all bodies of a row together; empty when there is no such row. */
  Optional<Long> bytes(UUID workspaceId, UUID id) {
    return db.sql(BYTES)
        .param("workspace_id", workspaceId)
        .param("id", id)
        .query((row, n) -> row.getLong("bytes"))
        .optional();
  }

  /** With all of its bodies. */
  Optional<StoredActivity> find(UUID workspaceId, UUID id) {
    return db.sql(ONE)
        .param("workspace_id", workspaceId)
        .param("id", id)
        .query(FeedPages::row)
        .optional();
  }

  private static StoredActivity row(ResultSet row, int n) throws SQLException {
    return new StoredActivity(
        row.getObject("id", UUID.class),
        row.getObject("workspace_id", UUID.class),
        row.getLong("seq"),
        row.getString("activity_type"),
        ActivitySource.of(row.getString("source")),
        row.getObject("source_id", UUID.class),
        row.getObject("target_id", UUID.class),
        row.getString("method"),
        row.getString("summary"),
        StoredBody.of(row, "request_body", "request_bytes"),
        StoredBody.of(row, "response_body", "response_bytes"),
        StoredBody.of(row, "tool_trace", "trace_bytes"),
        row.getObject("duration_ms", Long.class),
        row.getString("status"),
        row.getString("error_detail"),
        row.getString("message_id"),
        row.getString("delegation_id"),
        Objects.requireNonNullElse(row.getString("message_text"), ""),
        row.getString("attachments"),
        row.getObject("peer_id", UUID.class),
        SqlTime.instant(row, "created_at"));
  }
}
