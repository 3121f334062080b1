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
 * Gives migrations their own connections, without the pool's time-outs.
 *
 * <p>The pool ends a statement after seconds, but an index over millions of rows takes minutes. The
 * session that holds Flyway's lock must not be ended as idle, and other starting replicas wait for
 * that lock as long. Other parameters of the URL apply to these connections too.
 */
final class MigrationConnections implements FlywayConfigurationCustomizer {

  private static final String OPTIONS =
      " -c statement_timeout=0 -c idle_in_transaction_session_timeout=0";

  /**
   * One try per second, in effect endless: Flyway's "no limit" is a flag shared by the whole JVM.
   */
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
    // Flyway searches the URL for passwords, which takes half a second where a URL is long.
    var connections = new SimpleDriverDataSource(new Driver(), url.split("\\?", 2)[0], asked);
    flyway.dataSource(connections).lockRetryCount(MAX_TRIES);
  }
}
