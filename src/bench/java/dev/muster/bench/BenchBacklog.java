package dev.muster.bench;

import java.sql.SQLException;

/** Inserts backlogs into the tables, since what gathered in months is not what is measured. */
final class BenchBacklog {

  private static final String ROWS =
      """
      INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, target_id, method, summary,
          request_body, status, message_text, message_id, request_bytes, listed_bytes, created_at, feed_bytes)
      SELECT workspace_id, last_seq + n, '%2$s', '%3$s', '%4$s', NULL, NULL, 'message/send', 'please have a look',
          '{"text":"please have a look at the change"}', 'ok', 'please have a look at the change', %5$s, 43, 200,
          greatest(last_created_at, now() - interval '1 day') + n * interval '1 us', total_bytes + 200 * (n - 1)
      FROM activity_feeds CROSS JOIN generate_series(1, %6$d) AS n WHERE workspace_id = '%1$s';
      UPDATE activity_feeds SET version = version + 1, last_seq = last_seq + %6$d, last_created_at = now(),
          total_bytes = total_bytes + 200 * %6$d
      WHERE workspace_id = '%1$s';
      """;

  private static final String OUTCOMES =
      """
      INSERT INTO delivery_outcomes (workspace_id, seq, state, owner, claim, deliveries, answer_status, answer_type,
          response, response_bytes, listed_bytes, status, duration_ms, ended_at, queue_state, kind, priority, attempts,
          enqueued_at, expires_at)
      SELECT workspace_id, seq, 'answered', workspace_id, 1, 1, 200, 'application/json', '{}', 2, 2, 'ok', 1, created_at,
          CASE WHEN seq % 5000 = 1 THEN 'failed' ELSE 'delivered' END, 'message', 50, 1, created_at, created_at
      FROM activity_logs WHERE workspace_id = '{id}'
      """;

  private static final String QUEUE =
      """
      CREATE TEMPORARY TABLE queued ON COMMIT DROP AS
          SELECT t.workspace_id, t.sender_id, f.last_seq + n AS seq, clock_timestamp() AS at
          FROM (%1$s) AS t JOIN activity_feeds f ON f.workspace_id = t.workspace_id CROSS JOIN generate_series(1, %2$d) AS n;
      INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, target_id, method, summary,
          request_body, status, message_text, message_id, request_bytes, listed_bytes, created_at, feed_bytes)
      SELECT workspace_id, seq, 'p', 'a2a_receive', 'peer_agent', sender_id, workspace_id, 'message/send',
          'please have a look', '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{}}', 'ok',
          'please have a look at the change', 'm-' || seq, 65, 200, at, 200 * seq
      FROM queued;
      INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
      SELECT workspace_id, seq, sender_id, 'message', true, 1, 50, at, at, at + interval '1 day' FROM queued;
      UPDATE activity_feeds f
      SET version = f.version + 1, last_seq = f.last_seq + %2$d, last_created_at = clock_timestamp(),
          total_bytes = f.total_bytes + 200 * %2$d
      WHERE f.workspace_id IN (SELECT workspace_id FROM queued)
      """;

  private static final String DELEGATIONS =
      """
      INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
          last_heartbeat, dispatched_at, result_preview, created_at, updated_at)
      SELECT '%1$s-' || row_number() OVER (), gen_random_uuid(), pair.caller_id, pair.callee_id,
          'please have a look at the change, and say what is missing in it', '%2$s', 21600,
          now() + interval '6 hours' + n * interval '1 us', now(), CASE WHEN '%2$s' <> 'queued' THEN now() END,
          CASE WHEN '%2$s' = 'completed' THEN 'nothing is missing' END, now() - n * interval '1 ms', now()
      FROM (%3$s) AS pair CROSS JOIN generate_series(1, %4$d) AS n
      """;

  /** Numbers that no reader pages to, since they are less than 0: the server's own begin at 1. */
  private static final String EVENTS =
      """
      INSERT INTO events (id, seq, event_type, workspace_id, payload, created_at)
      SELECT gen_random_uuid(), -n, CASE WHEN n %% 5000 = 1 THEN 'WORKSPACE_REMOVED' ELSE 'WORKSPACE_UPDATED' END,
          gen_random_uuid(), '{"name":"bench"}', now() - n * interval '10 ms'
      FROM generate_series(%d, %d) AS n
      """;

  private BenchBacklog() {}

  /** Events up to a number of them, of which {@code from} are there. */
  static void record(DepthServer server, int from, int upTo) throws SQLException {
    server.execute(EVENTS.formatted(from + 1, upTo));
  }

  /**
   * Delegations, whose ids are the name and {@code -1}, {@code -2} and so on. Their deadlines are
   * later than those of all that were there before.
   *
   * @param pairs a query with the columns {@code caller_id} and {@code callee_id}
   */
  static void delegate(DepthServer server, String name, String status, String pairs, int ofEach)
      throws SQLException {
    server.execute(DELEGATIONS.formatted(name, status, pairs, ofEach));
  }

  /**
   * Messages that wait.
   *
   * @param targets a query with the columns {@code workspace_id} and {@code sender_id}
   */
  static void queue(DepthServer server, String targets, int ofEach) throws SQLException {
    server.execute("BEGIN;" + QUEUE.formatted(targets, ofEach) + ";COMMIT");
  }

  /** Messages of the canvas that were queued and delivered; one in 5,000 says that it failed. */
  static void deliver(DepthServer server, String workspaceId, int rows) throws SQLException {
    server.execute(
        ROWS.formatted(workspaceId, "c", "a2a_receive", "canvas_user", "'m-' || n", rows));
    server.execute(OUTCOMES.replace("{id}", workspaceId));
  }

  /** Rows that the agent reported. */
  static void report(DepthServer server, String workspaceId, int rows) throws SQLException {
    server.execute(ROWS.formatted(workspaceId, "L", "agent_log", "self", "NULL", rows));
  }

  /** The feed's delivered messages are unmarked, as those of an agent that is still called. */
  static void forgetDelivered(DepthServer server, String workspaceId) throws SQLException {
    server.execute(
        "UPDATE activity_feeds SET delivered_seq = 0 WHERE workspace_id = '" + workspaceId + "'");
  }
}
