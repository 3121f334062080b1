package dev.muster.platform.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.muster.platform.maintenance.BackupFile.Contents;
import dev.muster.platform.maintenance.BackupFile.Table;
import dev.muster.platform.postgres.DatabaseAddress;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Fills an empty database with the rows of a {@link Backup}, of any version of PostgreSQL (R11.1).
 *
 * <p>It deletes nothing: a database with a workspace is refused. All rows come in one transaction,
 * so a restore that fails leaves an empty schema.
 */
final class Restore {

  private static final String OTHERS =
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name IN ('muster', 'muster-listener')
      """;

  private final DatabaseAddress database;
  private final BackupFile backup;
  private final Contents contents;

  private Restore(DatabaseAddress database, BackupFile backup) {
    this.database = database;
    this.backup = backup;
    this.contents = backup.contents();
  }

  /**
   * Restores the backup.
   *
   * @throws CommandFailedException if it fails
   */
  static Contents run(DatabaseAddress database, BackupFile backup) {
    try {
      return new Restore(database, backup).run();
    } catch (SQLException | FlywayException e) {
      throw new CommandFailedException(
          "The backup cannot be restored (%s).".formatted(firstLine(e)), e);
    }
  }

  private Contents run() throws SQLException {
    Flyway newest = flyway("latest");
    int known =
        Stream.of(newest.info().all())
            .filter(one -> one.getResolvedChecksum() != null)
            .mapToInt(Restore::version)
            .max()
            .orElse(0);
    if (contents.schema() > known) {
      throw new CommandFailedException(
          "The backup is of a newer Muster (%s, schema %d; this one knows %d); restore it with that one."
              .formatted(contents.muster(), contents.schema(), known));
    }
    requireUnused(newest);
    flyway(String.valueOf(contents.schema())).migrate();
    fill();
    newest.migrate();
    try (Connection connection = database.connect("muster-restore");
        Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE");
    }
    return contents;
  }

  private static int version(MigrationInfo migration) {
    return Integer.parseInt(migration.getVersion().getVersion());
  }

  private static String firstLine(Exception e) {
    return Objects.requireNonNullElse(e.getMessage(), e.toString())
        .strip()
        .lines()
        .findFirst()
        .orElse("");
  }

  private Flyway flyway(String target) {
    return flyway(database, target);
  }

  static Flyway flyway(DatabaseAddress database, String target) {
    return Flyway.configure()
        .dataSource(database.url(), database.user().orElse(null), database.password().orElse(null))
        .locations("classpath:db/migration")
        .target(target)
        .load();
  }

  private void requireUnused(Flyway newest) throws SQLException {
    MigrationInfo present = newest.info().current();
    if (present != null && version(present) > contents.schema()) {
      throw new CommandFailedException(
          "The database has a newer schema (%d) than the backup (%d); give a new home or an empty database."
              .formatted(version(present), contents.schema()));
    }
    try (Connection connection = database.connect("muster-restore");
        Statement statement = connection.createStatement()) {
      if (!Backup.value(statement, OTHERS).equals("0")) {
        throw new CommandFailedException("A server uses the database; stop every replica first.");
      }
      if (!Backup.value(statement, "SELECT to_regclass('public.workspaces')").isEmpty()
          && !Backup.value(statement, "SELECT count(*) FROM workspaces").equals("0")) {
        throw new CommandFailedException(
            "The database has workspaces, and a restore deletes nothing; give a new home"
                + " (MUSTER_HOME) or an empty database (DATABASE_URL).");
      }
    }
  }

  private void fill() throws SQLException {
    try (Connection connection = database.connect("muster-restore");
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SET LOCAL statement_timeout = 0");
      Map<String, List<String>> present = BackedUpTables.of(connection);
      List<String> missing = new ArrayList<>(contents.tables().keySet());
      missing.removeAll(present.keySet());
      if (!missing.isEmpty()) {
        throw new CommandFailedException(
            "The backup has tables that its schema does not have: %s.".formatted(missing));
      }
      statement.execute("TRUNCATE " + String.join(", ", present.keySet()));
      PGConnection postgresql = connection.unwrap(PGConnection.class);
      for (String name : present.keySet()) {
        @Nullable Table table = contents.tables().get(name);
        if (table == null) {
          continue;
        }
        String copy =
            "COPY public.%s (%s) FROM STDIN"
                .formatted(name, BackedUpTables.columnList(table.columns()));
        backup.read(
            name, rows -> requireAll(name, table, postgresql.getCopyAPI().copyIn(copy, rows)));
      }
      setSequences(connection);
      statement.execute(afterRestore());
      connection.commit();
    }
  }

  private void setSequences(Connection connection) throws SQLException {
    try (PreparedStatement set =
        connection.prepareStatement("SELECT setval(format('public.%I', ?)::regclass, ?)")) {
      for (Map.Entry<String, Long> one : contents.sequences().entrySet()) {
        set.setString(1, one.getKey());
        set.setLong(2, one.getValue());
        set.execute();
      }
    }
  }

  private static void requireAll(String name, Table table, long rows) {
    if (rows != table.rows()) {
      throw new CommandFailedException(
          "The table %s has %d rows in the backup, and %d were read."
              .formatted(name, table.rows(), rows));
    }
  }

  private static String afterRestore() {
    try (@Nullable InputStream in = Restore.class.getResourceAsStream("/db/after-restore.sql")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
