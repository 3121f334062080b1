package dev.muster.platform.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.embedded.Postmaster.Timeouts;
import dev.muster.platform.settings.StartRefusedException;
import dev.muster.testing.Slow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The texts for the operator who has to repair the database. */
@Slow
class EmbeddedDatabaseRefusalTest {

  @TempDir Path temporary;
  MusterHome home;
  Path data;

  @BeforeEach
  void databaseThatRanBefore() throws IOException {
    home = MusterHome.open(TestHomes.used(temporary));
    data = TestHomes.data(home.folder());
  }

  @AfterEach
  void close() {
    home.close();
  }

  @Test
  void namesBothVersionsOfOtherData() throws IOException {
    Files.writeString(data.resolve("PG_VERSION"), "14\n");

    assertRefusal()
        .hasMessageMatching(
            Pattern.quote("The data in %s was written by PostgreSQL 14, and".formatted(data))
                + " this Muster brings PostgreSQL \\d+; dump it with the Muster that wrote it and"
                + " pg_dump, or set MUSTER_HOME to another folder\\.");
    assertThat(data.resolve("base")).exists();
  }

  @Test
  void neverDeletesAFolderThatLostAFile() throws IOException {
    Files.delete(data.resolve("PG_VERSION"));

    assertRefusal().hasMessageStartingWith(data + " is not a PostgreSQL data folder");
    assertThat(data.resolve("base")).exists();
  }

  @Test
  void reportsAMissingPassword() throws IOException {
    Files.delete(home.folder().resolve("database-password"));

    assertRefusal()
        .hasMessage(
            "The database password %s is missing; restore it or set MUSTER_HOME to another folder.",
            home.folder().resolve("database-password"));
    assertThat(home.secret("database-password")).isEmpty();
  }

  @Test
  void reportsAWrongPasswordFile() throws IOException {
    home.keepSecret("database-password", "another");

    assertRefusal().hasMessageContaining("password").hasMessageNotContaining("another");
    assertThat(TestHomes.pidFile(home.folder())).doesNotExist();
  }

  @Test
  void includesTheErrorOfPostgres() throws IOException {
    Files.writeString(data.resolve("postgresql.conf"), "nonsense = 1\n", StandardOpenOption.APPEND);

    Postmaster impatient =
        TestHomes.postmaster(home.folder(), new Timeouts(Duration.ZERO, Duration.ZERO));

    assertThatThrownBy(() -> impatient.start(List.of()))
        .isInstanceOf(StartRefusedException.class)
        .hasMessage(
            "The embedded PostgreSQL does not start: configuration file \"%s/postgresql.conf\""
                + " contains errors; see %s/postgres/postgres.log.",
            data, home.folder());
  }

  @Test
  void refusesAPathThatAShellWouldRead(@TempDir Path other) {
    try (MusterHome odd = MusterHome.open(other.resolve("$HOME"))) {
      assertThatThrownBy(() -> EmbeddedDatabase.start(odd))
          .isInstanceOf(StartRefusedException.class)
          .hasMessage(
              "PostgreSQL's programs cannot work in %s; set MUSTER_HOME to a path without"
                  + " \" $ ` \\ %%.",
              odd.folder());
    }
  }

  private AbstractThrowableAssert<?, ? extends Throwable> assertRefusal() {
    return assertThatThrownBy(() -> EmbeddedDatabase.start(home).close())
        .isInstanceOf(StartRefusedException.class);
  }
}
