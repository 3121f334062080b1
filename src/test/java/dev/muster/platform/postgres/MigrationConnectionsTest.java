package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.postgres.CheckedMigrations.MigrationConnections;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/** Migrations may take longer than any other statement and than an idle transaction. */
@Slow
@Tag("sql")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MigrationConnectionsTest {

  private static final String LONGER_THAN_EVERY_LIMIT = "SELECT pg_sleep(11);";

  @TempDir Path folder;

  /** Otherwise a url with a schema would have its tables created in another one. */
  @Test
  void keepsTheParametersOfTheUrl() throws SQLException {
    DatabaseUrl url =
        DatabaseUrl.parse(
            TestDatabases.createEmpty().url() + "&options=-c%20search_path%3Delsewhere");
    FluentConfiguration flyway = Flyway.configure();
    new MigrationConnections(
            new JdbcConnectionDetails() {
              @Override
              public String getJdbcUrl() {
                return url.jdbcUrl();
              }

              @Override
              public String getUsername() {
                return url.user().orElseThrow();
              }

              @Override
              public String getPassword() {
                return url.password().orElseThrow();
              }
            },
            new Pooler(false))
        .customize(flyway);

    try (Connection connection = flyway.getDataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT current_setting('search_path'), current_setting('statement_timeout')")) {
      row.next();
      assertThat(row.getString(1)).isEqualTo("elsewhere");
      assertThat(row.getString(2)).isEqualTo("0");
      assertThat(connection.getMetaData().getURL()).as("what Flyway searches").doesNotContain("?");
    }
  }

  @Test
  void isAwaitedByAllReplicas() throws IOException {
    Files.writeString(folder.resolve("V9999__long.sql"), LONGER_THAN_EVERY_LIMIT);
    TestDatabase database = TestDatabases.createEmpty();
    String locations = "spring.flyway.locations=classpath:db/migration,filesystem:" + folder;

    var first =
        CompletableFuture.supplyAsync(
            () -> TestServer.startOn(database, locations), Thread::startVirtualThread);
    try (TestServer second = TestServer.startOn(database, locations);
        TestServer one = first.join()) {
      assertThat(one.client().get("/ready", null).status()).isEqualTo(200);
      assertThat(second.client().get("/ready", null).status()).isEqualTo(200);
    }
    assertThat(
            database.value(
                "SELECT count(*) FROM flyway_schema_history WHERE version = '9999' AND success"))
        .isEqualTo("1");
  }
}
