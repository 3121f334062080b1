package dev.muster.platform.postgres;

import dev.muster.platform.settings.StartRefusedException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;

/**
 * Migrates the schema after checking the connection, the PostgreSQL version and the checksums.
 *
 * <p>A failed check refuses the start with one sentence.
 */
final class CheckedMigrations implements FlywayMigrationStrategy {

  private static final Logger log = LoggerFactory.getLogger(CheckedMigrations.class);

  private static final int OLDEST_MAJOR = 15;

  private final DataSource pool;
  private final Optional<Path> home;

  /** Takes the folder of an embedded database as {@code home}; empty for an external one. */
  CheckedMigrations(DataSource pool, Optional<Path> home) {
    this.pool = pool;
    this.home = home;
  }

  @Override
  public void migrate(Flyway flyway) {
    try (Connection connection = pool.getConnection()) {
      int major = connection.getMetaData().getDatabaseMajorVersion();
      if (major < OLDEST_MAJOR) {
        throw new StartRefusedException(
            "The database is PostgreSQL "
                + major
                + "; Muster needs PostgreSQL "
                + OLDEST_MAJOR
                + " or newer.");
      }
    } catch (SQLException | RuntimeException e) {
      throw e instanceof StartRefusedException refused ? refused : unreachable(e);
    }
    MigrationInfoService schema = flyway.info();
    if (Stream.of(schema.applied()).anyMatch(CheckedMigrations::isAnother)) {
      throw ofAnotherVersion();
    }
    int pending = schema.pending().length;
    if (pending > 0) {
      log.info("the schema is migrated; versions to go: {}", pending);
    }
    flyway.migrate();
  }

  /**
   * Returns whether an applied migration differs from the one of the same version here.
   *
   * <p>Migrations of newer versions are accepted: replicas of two versions share a schema during an
   * upgrade.
   */
  private static boolean isAnother(MigrationInfo applied) {
    return applied.getResolvedChecksum() != null && !applied.isChecksumMatching();
  }

  private StartRefusedException ofAnotherVersion() {
    return new StartRefusedException(
        home.map(folder ->
                "The data in %1$s is of another version of Muster, which this one cannot read; move it away (mv %1$s %1$s-old) and start again, or set MUSTER_HOME to another folder."
                    .formatted(folder))
            .orElseGet(() ->
                "The database %1$s holds the data of another version of Muster, which this one cannot read; rename it (ALTER DATABASE %1$s RENAME TO %1$s_old), create an empty one of that name, and start again."
                    .formatted(nameOfDatabase())));
  }

  private String nameOfDatabase() {
    try (Connection connection = pool.getConnection()) {
      return connection.getCatalog();
    } catch (SQLException e) {
      throw unreachable(e);
    }
  }

  private static StartRefusedException unreachable(Exception e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return new StartRefusedException(
        "The database cannot be reached ("
            + root.getMessage()
            + "); check DATABASE_URL and that PostgreSQL runs.",
        e);
  }
}
