package dev.muster.platform.postgres;

import dev.muster.platform.settings.StartRefusedException;
import java.sql.Connection;
import java.sql.SQLException;
import org.flywaydb.core.Flyway;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;

/**
 * Migrates the schema once the database answers and is new enough; else one sentence says what is
 * wrong.
 */
final class CheckedMigrations implements FlywayMigrationStrategy {

  private static final int OLDEST_MAJOR = 15;

  @Override
  public void migrate(Flyway flyway) {
    try (Connection connection = flyway.getConfiguration().getDataSource().getConnection()) {
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
