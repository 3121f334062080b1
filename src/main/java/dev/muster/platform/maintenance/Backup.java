package dev.muster.platform.maintenance;

import dev.muster.platform.embedded.IoFailureText;
import dev.muster.platform.maintenance.BackupFile.Contents;
import dev.muster.platform.postgres.DatabaseAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.postgresql.PGConnection;

/**
 * Writes all rows of one moment to a file, also while servers run (R11.1).
 *
 * <p>One transaction reads all tables; it takes locks that delay migrations alone.
 */
final class Backup {

  private static final List<String> BEGIN =
      List.of(
          "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
          "SET LOCAL statement_timeout = 0",
          "SET LOCAL idle_in_transaction_session_timeout = 0");

  private static final String SCHEMA =
      "SELECT max(version::int) FROM flyway_schema_history WHERE success AND version IS NOT NULL";

  private static final String MOMENT =
      "SELECT extract(epoch FROM now())::bigint, current_setting('server_version')";

  private static final String SEQUENCES =
      "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' AND last_value"
          + " IS NOT NULL";

  private Backup() {}

  /**
   * Writes the file.
   *
   * @param version of this Muster
   * @throws CommandFailedException if it fails; then there is no file
   */
  static Contents write(DatabaseAddress database, Path file, String version) {
    if (Files.exists(file)) {
      throw new CommandFailedException(file + " exists; give the name of a new file.");
    }
    Path place = file.toAbsolutePath().getParent();
    if (place != null && !Files.isDirectory(place)) {
      throw new CommandFailedException("There is no folder %s; make it first.".formatted(place));
    }
    try (Connection connection = database.connect("muster-backup");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String one : BEGIN) {
        statement.execute(one);
      }
      int schema = schema(statement);
      return write(connection, statement, schema, file, version);
    } catch (SQLException e) {
      throw new CommandFailedException(
          "The database cannot be read (%s).".formatted(e.getMessage()), e);
    }
  }

  private static int schema(Statement statement) throws SQLException {
    if (value(statement, "SELECT to_regclass('public.flyway_schema_history')").isEmpty()) {
      throw new CommandFailedException(
          "There is no Muster in this database; check DATABASE_URL and MUSTER_HOME.");
    }
    return Integer.parseInt(value(statement, SCHEMA));
  }

  /** Returns the first value of the first row; empty for null. */
  static String value(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      String value = row.getString(1);
      return value == null ? "" : value;
    }
  }

  private static Contents write(
      Connection connection, Statement statement, int schema, Path file, String version)
      throws SQLException {
    Instant takenAt;
    String postgres;
    try (ResultSet row = statement.executeQuery(MOMENT)) {
      row.next();
      takenAt = Instant.ofEpochSecond(row.getLong(1));
      postgres = row.getString(2);
    }
    try (BackupFile.Writer writer = new BackupFile.Writer(file)) {
      PGConnection postgresql = connection.unwrap(PGConnection.class);
      for (Map.Entry<String, List<String>> table : BackedUpTables.of(connection).entrySet()) {
        String copy =
            "COPY public.%s (%s) TO STDOUT"
                .formatted(table.getKey(), BackedUpTables.columnList(table.getValue()));
        writer.add(
            table.getKey(), table.getValue(), rows -> postgresql.getCopyAPI().copyOut(copy, rows));
      }
      // A sequence has no snapshot: what it gives meanwhile is above all numbers in the rows.
      return writer.complete(version, schema, postgres, takenAt, sequences(statement));
    } catch (IOException e) {
      throw new CommandFailedException(
          "The backup cannot be written to %s (%s).".formatted(file, IoFailureText.of(e)), e);
    }
  }

  private static Map<String, Long> sequences(Statement statement) throws SQLException {
    Map<String, Long> sequences = new TreeMap<>();
    try (ResultSet row = statement.executeQuery(SEQUENCES)) {
      while (row.next()) {
        sequences.put(row.getString(1), row.getLong(2));
      }
    }
    return sequences;
  }
}
