package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.IntStream;

/** Inserts delegations into the ledger, between all workspaces in turn. */
final class BenchLedger {

  private static final String INSERT =
      """
      INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
          last_heartbeat, dispatched_at, result_preview, created_at, updated_at)
      SELECT ? || '-' || n, gen_random_uuid(), ids.id[1 + n % cardinality(ids.id)], ids.id[1 + (n + 1) % cardinality(ids.id)],
          'please have a look at the change, and say what is missing in it', ?, 21600, now() + ?::interval,
          now(), now(), CASE WHEN ? = 'completed' THEN 'nothing is missing' END, now() - n * interval '1 ms', now()
      FROM generate_series(1, ?) AS n, (SELECT array_agg(id) AS id FROM workspaces) AS ids
      """;

  private BenchLedger() {}

  /** Their ids are the name and {@code -1}, {@code -2} and so on. */
  static void seed(String url, String name, String status, String untilDeadline, int count)
      throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, name);
      insert.setString(2, status);
      insert.setString(3, untilDeadline);
      insert.setString(4, status);
      insert.setInt(5, count);
      insert.executeUpdate();
    }
  }

  static List<String> ids(String name, int count) {
    return IntStream.rangeClosed(1, count).mapToObj(n -> name + "-" + n).toList();
  }
}
