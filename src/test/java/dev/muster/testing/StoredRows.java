package dev.muster.testing;

import dev.muster.message.RowId;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.time.Instant;
import java.util.UUID;

/** Reads rows of feeds and the state of their messages from the database, past the API. */
public final class StoredRows {

  /**
   * The row {@code l} with the outcome of its delivery, its message {@code m} (state, deliveries
   * and owner of the open delivery, else of the outcome), and its queue entry {@code q}.
   */
  public static final String FROM =
      """
      FROM (
          SELECT r.workspace_id, r.seq, r.class, r.activity_type, r.source, r.source_id, r.target_id, r.method, r.summary,
              r.request_body::json, coalesce(o.response, r.response_body)::json AS response_body, r.tool_trace::json,
              CASE WHEN o.status IS NULL THEN r.duration_ms ELSE o.duration_ms END AS duration_ms,
              coalesce(o.status, r.status) AS status,
              CASE WHEN o.status IS NULL THEN r.error_detail ELSE o.error_detail END AS error_detail,
              r.message_id, r.delegation_id, r.message_text, r.created_at
          FROM activity_logs r LEFT JOIN delivery_outcomes o ON o.workspace_id = r.workspace_id AND o.seq = r.seq) AS l
      JOIN LATERAL (
          SELECT CASE WHEN d.seq IS NULL THEN o.state WHEN d.queued THEN 'queued' ELSE 'sending' END AS state,
              coalesce(d.deliveries, o.deliveries, 0) AS deliveries, d.owner, o.answer_status, o.answer_type, o.answer
          FROM (SELECT) AS one
          LEFT JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
          LEFT JOIN delivery_outcomes o ON o.workspace_id = l.workspace_id AND o.seq = l.seq) AS m ON true
      LEFT JOIN LATERAL (
          SELECT CASE WHEN d.owner IS NULL THEN 'waiting' ELSE 'delivering' END AS state, d.attempts, d.priority, d.error,
              d.expires_at, d.enqueued_at
          FROM deliveries d WHERE d.workspace_id = l.workspace_id AND d.seq = l.seq AND d.queued
          UNION ALL
          SELECT o.queue_state, o.attempts, o.priority, o.error_detail, o.expires_at, o.enqueued_at FROM delivery_outcomes o
          WHERE o.workspace_id = l.workspace_id AND o.seq = l.seq AND o.queue_state IS NOT NULL
              AND NOT EXISTS (SELECT FROM deliveries d WHERE d.workspace_id = l.workspace_id AND d.seq = l.seq AND d.queued)
          ) AS q ON true
      """;

  private StoredRows() {}

  /** The id of the row with this number. */
  public static String id(TestDatabase database, UUID workspaceId, long seq) {
    String micros =
        database.value(
            "SELECT floor(extract(epoch FROM created_at) * 1000000)::bigint FROM activity_logs WHERE workspace_id = '%s' AND seq = %d"
                .formatted(workspaceId, seq));
    return RowId.of(workspaceId, seq, time(Long.parseLong(micros))).toString();
  }

  /** Evaluates an SQL expression on the first row of a workspace, as {@link #FROM} reads it. */
  public static String first(TestDatabase database, UUID workspaceId, String expression) {
    return database.value(
        "SELECT "
            + expression
            + " "
            + FROM
            + " WHERE l.workspace_id = '"
            + workspaceId
            + "' ORDER BY l.seq LIMIT 1");
  }

  /** Appends what a canvas leaves that asks again and again how far a task is. */
  public static void appendRequestsWithoutMessage(
      TestDatabase database, UUID workspaceId, int count) {
    database.execute(
        """
        INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, target_id, method, status,
            listed_bytes, created_at, feed_bytes)
        SELECT workspace_id, last_seq + n, 'c', 'a2a_receive', 'canvas_user', workspace_id, 'tasks/get', 'ok', 100,
            last_created_at + n * interval '1 us', 0
        FROM activity_feeds, generate_series(1, %2$d) AS n WHERE workspace_id = '%1$s';
        UPDATE activity_feeds SET last_seq = last_seq + %2$d, last_created_at = last_created_at + %2$d * interval '1 us'
        WHERE workspace_id = '%1$s'
        """
            .formatted(workspaceId, count));
  }

  private static Instant time(long micros) {
    return Instant.ofEpochSecond(micros / 1_000_000, micros % 1_000_000 * 1000);
  }

  /** Evaluates an expression on the queue entries of the target, in their order. */
  public static String queue(TestDatabase database, UUID targetId, String expression) {
    return database.value(
        "SELECT coalesce(string_agg((%s)::text, ' ' ORDER BY l.seq), '') %s WHERE l.workspace_id = '%s' AND q.state IS NOT NULL"
            .formatted(expression, FROM, targetId));
  }

  /** Makes the waiting messages of the target two hours old. */
  public static void growOldInQueue(TestDatabase database, UUID targetId) {
    database.execute(
        "UPDATE deliveries SET enqueued_at = enqueued_at - interval '2 hours' WHERE workspace_id ="
            + " '"
            + targetId
            + "'");
  }

  /** Evaluates an SQL expression on the row with this id. */
  public static String value(TestDatabase database, String id, String expression) {
    return database.value("SELECT " + expression + " " + FROM + where(database, id));
  }

  /** The condition {@code WHERE l.… = …} that selects the row with this id. */
  public static String where(TestDatabase database, String id) {
    UUID row = UUID.fromString(id);
    long seq = RowId.seqOf(row);
    String all =
        database.value(
            "SELECT coalesce(string_agg(workspace_id || ' ' || floor(extract(epoch FROM created_at)"
                + " * 1000000), ','), '') FROM activity_logs WHERE seq = "
                + seq);
    for (String one : all.isEmpty() ? new String[0] : all.split(",")) {
      UUID workspace = UUID.fromString(one.substring(0, 36));
      long micros = Long.parseLong(one.substring(37).replaceAll("\\..*", ""));
      if (RowId.of(workspace, seq, time(micros)).equals(row)) {
        return " WHERE l.workspace_id = '" + workspace + "' AND l.seq = " + seq;
      }
    }
    throw new AssertionError("there is no row " + id);
  }
}
