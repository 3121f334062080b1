package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A schema that this version cannot migrate: one sentence says what to do. */
@Slow
@Tag("sql")
@Timeout(120)
class OtherSchemaTest {

  /** Simulates a version whose first migration was another one. */
  private static final String OF_ANOTHER_VERSION =
      "UPDATE flyway_schema_history SET checksum = checksum + 1 WHERE version = '1'";

  @TempDir Path home;

  @Test
  void namesTheDatabaseAndHowToMoveItAway() throws Exception {
    TestDatabase database = TestDatabases.createEmpty();
    try (TestServer server = TestServer.startOn(database)) {
      assertThat(server.client().get("/health", null).status()).isEqualTo(200);
    }
    String name = database.value("SELECT current_database()");
    database.execute(OF_ANOTHER_VERSION);

    Map<String, String> settings =
        Map.of("DATABASE_URL", database.url(), "ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    try (ServerProcess refused = ServerProcess.start(home, settings)) {
      assertThat(refused.awaitEnd()).isNotZero();
      assertThat(refused.output())
          .contains(
              "The database "
                  + name
                  + " holds the data of another version of Muster, which this one cannot read;"
                  + " rename it (ALTER DATABASE "
                  + name
                  + " RENAME TO "
                  + name
                  + "_old), create an empty one of that name, and start again.")
          .doesNotContainIgnoringCase("flyway")
          .doesNotContainPattern("(?m)^\\s+at [\\w.]+\\(");
    }
    assertThat(database.value("SELECT count(*) FROM workspaces")).isEqualTo("0");
  }

  @Test
  void namesTheFolderAndHowToMoveItAway() throws Exception {
    Map<String, String> settings = Map.of("MUSTER_HOME", home.toString());
    try (ServerProcess first = ServerProcess.start(home, settings).awaitReady()) {
      assertThat(first.client().get("/health", null).status()).isEqualTo(200);
    }
    try (MusterHome stopped = MusterHome.open(home);
        EmbeddedDatabase database = EmbeddedDatabase.start(stopped)) {
      new TestDatabase(
              database.jdbcUrl() + "?user=" + database.user() + "&password=" + database.password())
          .execute(OF_ANOTHER_VERSION);
    }

    try (ServerProcess refused = ServerProcess.start(home, settings)) {
      assertThat(refused.awaitEnd()).isNotZero();
      assertThat(refused.output())
          .contains(
              "The data in %1$s is of another version of Muster, which this one cannot read; move it away (mv %1$s %1$s-old) and start again, or set MUSTER_HOME to another folder."
                  .formatted(home.toRealPath()))
          .doesNotContainPattern("(?m)^\\s+at [\\w.]+\\(");
    }
  }
}
