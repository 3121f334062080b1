package dev.muster.testing;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * Fresh databases on the one PostgreSQL of this JVM: an embedded one, a container's with {@code
 * -Dtest.database=container} (and {@code -Dtest.postgres=15} for its version), or the server of
 * {@code TEST_DATABASE_URL}, a JDBC url with user and password as parameters and the right to
 * create databases.
 */
public final class TestDatabases {

  /** The address of one database; {@code url} is a JDBC url with the credentials in it. */
  public record TestDatabase(String url) {

    public Connection connect() throws SQLException {
      return DriverManager.getConnection(url);
    }

    /** Runs a statement, or several separated by semicolons. */
    public void execute(String sql) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement()) {
        statement.execute(sql);
      } catch (SQLException e) {
        throw new AssertionError(e.getMessage() + ": " + sql, e);
      }
    }

    /** Returns the only value of the only row. */
    public String value(String sql) {
      try (Connection connection = connect();
          Statement statement = connection.createStatement();
          var row = statement.executeQuery(sql)) {
        row.next();
        return String.valueOf(row.getString(1));
      } catch (SQLException e) {
        throw new AssertionError(e.getMessage() + ": " + sql, e);
      }
    }
  }

  /** A url of the server with a placeholder for the database's name. */
  private record PostgresServer(String urlPattern) {

    String url(String database) {
      return urlPattern.replace("{database}", database);
    }
  }

  private static final AtomicInteger CREATED = new AtomicInteger();
  private static final PostgresServer SERVER = server();

  private TestDatabases() {}

  public static TestDatabase create() {
    String name = "muster_test_" + ProcessHandle.current().pid() + "_" + CREATED.incrementAndGet();
    new TestDatabase(SERVER.url("postgres")).execute("CREATE DATABASE " + name);
    return new TestDatabase(SERVER.url(name));
  }

  private static PostgresServer server() {
    String given = System.getenv("TEST_DATABASE_URL");
    if (given != null && !given.isBlank()) {
      return new PostgresServer(
          given.replaceFirst("(jdbc:postgresql://[^/]+/)[^?]*", "$1{database}"));
    }
    return System.getProperty("test.database", "embedded").equals("container")
        ? container()
        : embedded();
  }

  private static PostgresServer container() {
    var postgres = new PostgreSQLContainer("postgres:" + System.getProperty("test.postgres", "18"));
    postgres.start();
    return new PostgresServer(
        "jdbc:postgresql://%s:%d/{database}?user=%s&password=%s"
            .formatted(
                postgres.getHost(),
                postgres.getFirstMappedPort(),
                postgres.getUsername(),
                postgres.getPassword()));
  }

  /**
   * The PostgreSQL of the embedded mode, as durable as there. Several servers use it at once, each
   * with up to 20 connections, which stay open for a while after they are abandoned.
   */
  private static PostgresServer embedded() {
    try {
      Path home = Files.createTempDirectory("muster-test-");
      EmbeddedDatabase database =
          EmbeddedDatabase.start(MusterHome.open(home), "max_connections=400");
      SharedResources.run(() -> {
        database.close();
        SharedResources.delete(home);
      });
      return new PostgresServer(
          "%s?user=%s&password=%s"
              .formatted(
                  database.jdbcUrl().replaceFirst("/[^/]*$", "/{database}"),
                  database.user(),
                  database.password()));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
