package dev.muster.platform.postgres;

import dev.muster.platform.settings.StartRefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;

/**
 * Migrates the schema once the database answers and is new enough; else one sentence says what is
 * wrong.
 */
final class CheckedMigrations implements FlywayMigrationStrategy {

  private static final Logger log = LoggerFactory.getLogger(CheckedMigrations.class);

  private static final int OLDEST_MAJOR = 15;

  private final DataSource pool;

  CheckedMigrations(DataSource pool) {
    this.pool = pool;
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
    int pending = flyway.info().pending().length;
    if (pending > 0) {
      log.info("the schema is migrated; versions to go: {}", pending);
    }
    flyway.migrate();
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
