package dev.muster.bench;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** PostgreSQL's own counters: statements, syncs of its log, updates of the hot table. */
record DatabaseCounters(long statements, long walSyncs, long updates, long inPlaceUpdates) {

  /** Settings are sent with a statement, in one round trip. */
  private static final String STATEMENTS =
      """
      SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
      WHERE d.datname = current_database() AND query NOT LIKE 'SELECT set_config(%'
      """;

  /** The syncs of the log moved to pg_stat_io in PostgreSQL 18. */
  private static final String WAL_SYNCS =
      "SELECT coalesce(sum(fsyncs), 0) FROM pg_stat_io WHERE object = 'wal'";

  private static final String UPDATES =
      "SELECT coalesce(sum(n_tup_upd), 0) FROM pg_stat_user_tables WHERE relname ="
          + " 'workspace_heartbeats'";

  private static final String IN_PLACE_UPDATES =
      "SELECT coalesce(sum(n_tup_hot_upd), 0) FROM pg_stat_user_tables WHERE relname ="
          + " 'workspace_heartbeats'";

  static DatabaseCounters read(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      return new DatabaseCounters(
          value(connection, STATEMENTS),
          value(connection, WAL_SYNCS),
          value(connection, UPDATES),
          value(connection, IN_PLACE_UPDATES));
    }
  }

  DatabaseCounters since(DatabaseCounters before) {
    return new DatabaseCounters(
        statements - before.statements,
        walSyncs - before.walSyncs,
        updates - before.updates,
        inPlaceUpdates - before.inPlaceUpdates);
  }

  private static long value(Connection connection, String sql) throws SQLException {
    try (var statement = connection.createStatement();
        var row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }
}
