package dev.muster.platform.postgres;

import java.util.Objects;
import java.util.Properties;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.postgresql.Driver;
import org.postgresql.PGProperty;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/**
 * Gives migrations connections of their own: those of the pool end a statement after seconds, and
 * an index over millions of rows takes minutes. Nor may the one that holds the lock of all
 * migrations be ended for being idle, and a replica that starts meanwhile waits for as long. What
 * the url asks of its connections holds for these too.
 */
final class MigrationConnections implements FlywayConfigurationCustomizer {

  private static final String OPTIONS =
      " -c statement_timeout=0 -c idle_in_transaction_session_timeout=0";

  /** Once a second, so for ever: "without end" is a flag that all migrations of a JVM share. */
  private static final int MAX_TRIES = Integer.MAX_VALUE;

  private final JdbcConnectionDetails database;

  MigrationConnections(JdbcConnectionDetails database) {
    this.database = database;
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
    PGProperty.OPTIONS.set(
        asked, Objects.requireNonNullElse(PGProperty.OPTIONS.getOrDefault(asked), "") + OPTIONS);
    // Flyway searches the url for passwords, which takes it half a second where a url is long.
    var connections = new SimpleDriverDataSource(new Driver(), url.split("\\?", 2)[0], asked);
    flyway.dataSource(connections).lockRetryCount(MAX_TRIES);
  }
}
