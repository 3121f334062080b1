package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * Writes the same rows as transitions by bare statements: rows of the ledger, at an end the rows in
 * the feeds of the callers, and the events. Over one connection: several at once would write more.
 */
final class BareLedger {

  private static final int ROWS_OF_A_STATEMENT = 1_000;

  private static final String EVENTS =
      """
      INSERT INTO events (id, event_type, workspace_id, payload, created_at)
      SELECT gen_random_uuid(), 'DELEGATION_STATUS', caller_id, json_build_object('delegation_id', delegation_id,
          'target_id', callee_id, 'status', status), clock_timestamp()
      FROM changed
      """;

  private static final String MOVED =
      """
      WITH changed AS (
          UPDATE delegations SET %s, updated_at = clock_timestamp() WHERE %s
          RETURNING delegation_id, caller_id, callee_id, status)
      """;

  private static final String CALLER_ROWS =
      """
      ,
      placed AS (SELECT *, row_number() OVER (PARTITION BY caller_id) AS place FROM changed),
      heads AS (
          UPDATE activity_feeds f SET version = f.version + 1, last_seq = f.last_seq + more.n, last_created_at = clock_timestamp()
          FROM (SELECT caller_id, count(*) AS n FROM changed GROUP BY caller_id) AS more
          WHERE f.workspace_id = more.caller_id
          RETURNING f.workspace_id, f.last_seq - more.n AS last_seq),
      caller_rows AS (INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, target_id, method, summary,
              request_body, response_body, status, message_id, delegation_id, message_text, request_bytes,
              response_bytes, listed_bytes, created_at, feed_bytes)
          SELECT caller_id, heads.last_seq + place, 's', 'a2a_receive', 'system', callee_id, 'delegate_result',
              'Delegation result: deadline exceeded by sweeper', json_build_object('delegation_id', delegation_id),
              json_build_object('text', 'deadline exceeded by sweeper', 'delegation_id', delegation_id), 'error',
              delegation_id || ':result', delegation_id, 'deadline exceeded by sweeper', 30, 70, 400, clock_timestamp(), 0
          FROM placed JOIN heads ON heads.workspace_id = caller_id)
      """;

  private static final String THESE = "delegation_id = ANY (?)";

  private static final String START = MOVED.formatted("status = 'in_progress'", THESE) + EVENTS;

  private static final String COMPLETE =
      MOVED.formatted("status = 'completed', result_preview = 'nothing is missing'", THESE)
          + CALLER_ROWS
          + EVENTS;

  private static final String SWEEP =
      MOVED.formatted(
              "status = 'failed', error_detail = 'deadline exceeded by sweeper'",
              "terminal_status IS NULL AND deadline < now()")
          + CALLER_ROWS
          + EVENTS;

  private BareLedger() {}

  /** Ends all overdue delegations in one statement. */
  static void sweep(String url) throws SQLException {
    BenchFleet.execute(url, SWEEP);
  }

  static void start(String url, List<String> ids) throws SQLException {
    move(url, START, ids);
  }

  static void complete(String url, List<String> ids) throws SQLException {
    move(url, COMPLETE, ids);
  }

  private static void move(String url, String sql, List<String> ids) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int from = 0; from < ids.size(); from += ROWS_OF_A_STATEMENT) {
        List<String> some = ids.subList(from, Math.min(from + ROWS_OF_A_STATEMENT, ids.size()));
        statement.setArray(1, connection.createArrayOf("text", some.toArray()));
        statement.executeUpdate();
      }
    }
  }
}
