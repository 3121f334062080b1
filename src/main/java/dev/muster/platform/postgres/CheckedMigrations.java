package dev.muster.platform.postgres;

import dev.muster.platform.settings.StartRefusedException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.MigrationInfoService;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * Migrates the schema after checking the checksums. A failed check refuses the start with one
 * sentence.
 */
final class CheckedMigrations implements FlywayMigrationStrategy {

  /**
   * Gives migrations their own connections, without the pool's time-outs.
   *
   * <p>The pool ends a statement after seconds, but an index over millions of rows takes minutes.
   * The session that holds Flyway's lock must not be ended as idle, and other starting replicas
   * wait for that lock as long. Other parameters of the URL apply to these connections too. A
   * {@link Pooler} has no such time-outs to take away.
   */
  static final class MigrationConnections implements FlywayConfigurationCustomizer {

    private static final String OPTIONS =
        " -c statement_timeout=0 -c idle_in_transaction_session_timeout=0";

    /**
     * One try per second, in effect endless: Flyway's "no limit" is a flag shared by the whole JVM.
     */
    private static final int MAX_TRIES = Integer.MAX_VALUE;

    private final JdbcConnectionDetails database;

    private final Pooler pooler;

    MigrationConnections(JdbcConnectionDetails database, Pooler pooler) {
      this.database = database;
      this.pooler = pooler;
    }

    @Override
    public void customize(FluentConfiguration flyway) {
      String url = database.getJdbcUrl();
      Properties asked =
          Objects.requireNonNull(Driver.parseURL(url, null), "not a url of the driver's");
      PGProperty.USER.set(asked, database.getUsername());
      PGProperty.PASSWORD.set(asked, database.getPassword());
      PGProperty.APPLICATION_NAME.set(asked, "muster-migrations");
      PGProperty.CONNECT_TIMEOUT.set(asked, 3);
      PGProperty.TCP_KEEP_ALIVE.set(asked, true);
      if (!pooler.isUsed()) {
        PGProperty.OPTIONS.set(
            asked,
            Objects.requireNonNullElse(PGProperty.OPTIONS.getOrDefault(asked), "") + OPTIONS);
      }
      // Flyway searches the URL for passwords, which takes half a second where a URL is long.
      var connections = new SimpleDriverDataSource(new Driver(), url.split("\\?", 2)[0], asked);
      flyway.dataSource(connections).lockRetryCount(MAX_TRIES);
    }
  }

  private static final Logger log = LoggerFactory.getLogger(CheckedMigrations.class);

  private final DataSource pool;
  private final Optional<Path> home;

  /** Takes the folder of an embedded database as {@code home}; empty for an external one. */
  CheckedMigrations(DataSource pool, Optional<Path> home) {
    this.pool = pool;
    this.home = home;
  }

  @Override
  public void migrate(Flyway flyway) {
    MigrationInfoService schema = schema(flyway);
    if (Stream.of(schema.applied()).anyMatch(CheckedMigrations::isAnother)) {
      throw ofAnotherVersion();
    }
    int pending = schema.pending().length;
    if (pending > 0) {
      log.info("the schema is migrated; versions to go: {}", pending);
      flyway.migrate();
    }
  }

  private static MigrationInfoService schema(Flyway flyway) {
    try {
      return flyway.info();
    } catch (FlywayException e) {
      throw unreachable(e);
    }
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
