package dev.muster.testing;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.flywaydb.core.Flyway;
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

    /** Makes the schema without a server. */
    public void migrate() {
      Flyway.configure()
          .dataSource(url, null, null)
          .locations("classpath:db/migration")
          .load()
          .migrate();
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

    /** Returns how many statements wait for a lock of another transaction. */
    public int lockWaits() {
      return lockWaits("");
    }

    /** As {@link #lockWaits()}, of statements that contain {@code part}. */
    public int lockWaits(String part) {
      return Integer.parseInt(
          value(
              """
              SELECT count(*) FROM pg_stat_activity
              WHERE datname = current_database() AND wait_event_type = 'Lock' AND strpos(query, '%s') > 0
              """
                  .formatted(part)));
    }
  }

  /** A url of the server with a placeholder for the database's name. */
  private record PostgresServer(String urlPattern) {

    String url(String database) {
      return urlPattern.replace("{database}", database);
    }
  }

  /**
   * The schema without a trace of a server: a copy of it is like a database before its first start.
   */
  private static final class Template {

    static final String NAME = name();

    static {
      createFrom("template1", NAME).migrate();
    }
  }

  /** The migration stores its own time; a server that starts later would see an uptime gap. */
  private static final String NO_UPTIME_GAP =
      "UPDATE control_plane_uptime SET down_since = now(), up_since = now(), alive_until = now()";

  private static final AtomicInteger CREATED = new AtomicInteger();
  private static final PostgresServer SERVER = server();

  private TestDatabases() {}

  /** A database with the schema, as before the first start of a server. */
  public static TestDatabase create() {
    TestDatabase database = createFrom(Template.NAME, name());
    database.execute(NO_UPTIME_GAP);
    return database;
  }

  /** A database without the schema, for tests of its migrations. */
  public static TestDatabase createEmpty() {
    return createFrom("template1", name());
  }

  private static TestDatabase createFrom(String template, String name) {
    new TestDatabase(SERVER.url("postgres"))
        .execute("CREATE DATABASE " + name + " TEMPLATE " + template);
    return new TestDatabase(SERVER.url(name));
  }

  private static String name() {
    return "muster_test_" + ProcessHandle.current().pid() + "_" + CREATED.incrementAndGet();
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
   * The PostgreSQL of the embedded mode, but without waiting for the disk: what is committed
   * survives a kill of a server and of PostgreSQL, not of the machine, which no test has. Several
   * servers use it at once, each with up to 20 connections, which stay open for a while after they
   * are abandoned.
   */
  private static PostgresServer embedded() {
    try {
      Path home = Files.createTempDirectory("muster-test-");
      EndWithJvm.home(home);
      TestHomes.linkPrograms(home);
      EmbeddedDatabase database =
          EmbeddedDatabase.start(
              MusterHome.open(home), "max_connections=400", "fsync=off", "full_page_writes=off");
      SharedResources.run(() -> {
        database.close();
        SharedResources.delete(home);
        EndWithJvm.gone(home);
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
