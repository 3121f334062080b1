package dev.muster.platform.postgres;

import java.util.Objects;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

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
  private static final int MOST_TRIES = Integer.MAX_VALUE;

  private final JdbcConnectionDetails database;

  MigrationConnections(JdbcConnectionDetails database) {
    this.database = database;
  }

  @Override
  public void customize(FluentConfiguration flyway) {
    var connections = new PGSimpleDataSource();
    connections.setUrl(database.getJdbcUrl());
    connections.setUser(database.getUsername());
    connections.setPassword(database.getPassword());
    connections.setApplicationName("muster-migrations");
    connections.setConnectTimeout(3);
    connections.setTcpKeepAlive(true);
    connections.setOptions(Objects.requireNonNullElse(connections.getOptions(), "") + OPTIONS);
    flyway.dataSource(connections).lockRetryCount(MOST_TRIES);
  }
}
