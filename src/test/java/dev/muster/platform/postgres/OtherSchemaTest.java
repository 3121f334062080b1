package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.platform.settings.StartRefusedException;
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

  @TempDir Path folder;

  @Test
  void namesTheDatabaseAndHowToMoveItAway() {
    TestDatabase database = TestDatabases.create();
    String name = database.value("SELECT current_database()");
    database.execute(OF_ANOTHER_VERSION);

    assertThatThrownBy(() -> TestServer.startOn(database).close())
        .rootCause()
        .isInstanceOf(StartRefusedException.class)
        .hasMessage(
            "The database "
                + name
                + " holds the data of another version of Muster, which this one cannot read;"
                + " rename it (ALTER DATABASE "
                + name
                + " RENAME TO "
                + name
                + "_old), create an empty one of that name, and start again.");
    assertThat(database.value("SELECT count(*) FROM workspaces")).isEqualTo("0");
  }

  @Test
  void namesTheFolderAndHowToMoveItAway() throws Exception {
    Path home = TestHomes.used(folder);
    try (MusterHome open = MusterHome.open(home);
        EmbeddedDatabase _ = EmbeddedDatabase.start(open)) {
      TestDatabase database = TestHomes.database(home);
      database.migrate();
      database.execute(OF_ANOTHER_VERSION);
    }

    try (ServerProcess refused = ServerProcess.start(home, Map.of())) {
      assertThat(refused.awaitEnd()).isNotZero();
      assertThat(refused.output())
          .contains(
              "The data in %1$s is of another version of Muster, which this one cannot read; move it away (mv %1$s %1$s-old) and start again, or set MUSTER_HOME to another folder."
                  .formatted(home.toRealPath()))
          .doesNotContainIgnoringCase("flyway")
          .doesNotContainPattern("(?m)^\\s+at [\\w.]+\\(");
    }
  }
}
