package dev.muster.platform.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.embedded.Postmaster.Timeouts;
import dev.muster.platform.settings.StartRefusedException;
import dev.muster.testing.Nightly;
import dev.muster.testing.Slow;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.PGConnection;

/** Recovery from killed processes and damaged files. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
class EmbeddedDatabaseCrashTest {

  @TempDir Path temporary;
  Path folder;

  @BeforeEach
  void home() throws IOException {
    folder = TestHomes.used(temporary);
  }

  @Test
  void keepsCommittedRowsWhenOnlyMusterIsKilled() throws Exception {
    try (var writing = WritingProcess.on(folder)) {
      List<String> committed = writing.awaitRows(100);
      ProcessHandle leftBehind = TestHomes.server(folder);
      assertThatThrownBy(() -> MusterHome.open(folder))
          .isInstanceOf(StartRefusedException.class)
          .hasMessageStartingWith("Muster is already running with the home ");

      writing.kill();

      assertThat(TestHomes.runs(leftBehind)).isTrue();
      assertHas(committed);
      await().until(() -> !TestHomes.runs(leftBehind));
    }
  }

  /**
   * The second time another process has the id of the killed server, which is not stopped; the
   * third time the file with the id is empty.
   */
  @Test
  void keepsCommittedRowsWhenMusterAndPostgresAreKilledAgainAndAgain() throws Exception {
    List<String> committed = new ArrayList<>();
    writeUntilKilled(committed);
    assertHas(committed);

    Process other = new ProcessBuilder("sleep", "600").start();
    try {
      awaitEnd(writeUntilKilled(committed));
      List<String> lines = new ArrayList<>(Files.readAllLines(TestHomes.pidFile(folder)));
      lines.set(0, Long.toString(other.pid()));
      Files.write(TestHomes.pidFile(folder), lines);
      assertHas(committed);
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }

    awaitEnd(writeUntilKilled(committed));
    Files.write(TestHomes.pidFile(folder), new byte[0]);
    assertHas(committed);
  }

  /** At the second start programs of the killed process still run. */
  @Test
  @Nightly
  void startsAfterKillsInTheMiddleOfUnpackingAndOfInitdb(@TempDir Path other) throws Exception {
    folder = other.resolve("home");
    Path postgres = folder.resolve("postgres");
    Path bin = postgres.resolve("bin");
    killWhen(() -> Files.exists(bin) && hasUnfinished(bin, "share"));
    assertThat(bin).isDirectoryNotContaining(path -> !path.toString().contains(".unfinished-"));

    killWhen(() -> hasUnfinished(postgres, "PG_VERSION"));
    assertThat(TestHomes.data(folder)).doesNotExist();

    try (MusterHome home = MusterHome.open(folder);
        EmbeddedDatabase database = EmbeddedDatabase.start(home)) {
      assertThat(Sql.ask(database, "SELECT to_regclass('rows')")).isEqualTo("null");
    }
    assertThat(bin).isDirectoryNotContaining(path -> path.toString().contains(".unfinished-"));
  }

  /** PostgreSQL refuses to start while a process of the old server lives. */
  @Test
  void waitsForTheLastProcessOfAKilledServer() throws Exception {
    try (MusterHome home = MusterHome.open(folder);
        EmbeddedDatabase killed = EmbeddedDatabase.start(home);
        Connection connection = Sql.connect(killed)) {
      ProcessHandle frozen = freeze(connection);
      TestHomes.server(folder).destroyForcibly();

      var start =
          CompletableFuture.supplyAsync(
              () -> EmbeddedDatabase.start(home), Thread::startVirtualThread);
      Path log = folder.resolve("postgres/postgres.log");
      await()
          .atMost(20, SECONDS)
          .until(() -> Files.exists(log) && Files.readString(log).contains("is still in use"));
      frozen.destroyForcibly();

      try (EmbeddedDatabase database = start.get(120, SECONDS)) {
        assertThat(Sql.ask(database, "SELECT 'there'")).isEqualTo("there");
      }
    }
  }

  @Test
  void killsAServerThatDoesNotStop() throws Exception {
    try (MusterHome home = MusterHome.open(folder);
        EmbeddedDatabase database = EmbeddedDatabase.start(home);
        Connection frozen = Sql.connect(database)) {
      Sql.run(database, "CREATE TABLE kept AS SELECT 1");
      ProcessHandle server = TestHomes.server(folder);
      freeze(frozen);

      TestHomes.postmaster(folder, new Timeouts(Duration.ofSeconds(1), Duration.ZERO)).stop();

      await().until(() -> !TestHomes.runs(server));
    }
  }

  @Test
  void stopsPostgresWhenTheProcessExitsInTheMiddleOfItsStart() throws Exception {
    Process application =
        WritingProcess.java(ExitingApplication.class, folder)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();

    assertThat(application.waitFor(30, SECONDS)).isTrue();
    assertThat(application.exitValue()).isEqualTo(3);
    assertThat(TestHomes.pidFile(folder)).doesNotExist();
    assertThat(folder.resolve("postgres/postgres.log"))
        .content()
        .contains("ready to accept connections", "database system is shut down");
  }

  /** Stops the connection's server process (SIGSTOP). */
  private static ProcessHandle freeze(Connection connection) throws Exception {
    int pid = connection.unwrap(PGConnection.class).getBackendPID();
    new ProcessBuilder("kill", "-STOP", Integer.toString(pid)).start().waitFor();
    return ProcessHandle.of(pid).orElseThrow();
  }

  /** Adds the rows that are committed; returns the PostgreSQL that is killed with Muster. */
  private ProcessHandle writeUntilKilled(List<String> committed) throws Exception {
    try (var writing = WritingProcess.on(folder)) {
      committed.addAll(writing.awaitRows(100));
      ProcessHandle server = TestHomes.server(folder);
      writing.kill();
      server.destroyForcibly();
      return server;
    }
  }

  private static void awaitEnd(ProcessHandle killed) {
    await().atMost(10, SECONDS).until(() -> !TestHomes.runs(killed));
  }

  private void killWhen(Callable<Boolean> condition) throws Exception {
    try (var first = WritingProcess.on(folder)) {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .atMost(60, SECONDS)
          .until(condition);
      first.kill();
    }
  }

  private void assertHas(List<String> committed) throws Exception {
    try (MusterHome home = MusterHome.open(folder);
        EmbeddedDatabase database = EmbeddedDatabase.start(home)) {
      String ids = "'{%s}'".formatted(String.join(",", committed));
      assertThat(committed).isNotEmpty();
      assertThat(Sql.ask(database, "SELECT count(*) FROM rows WHERE id = ANY (%s)".formatted(ids)))
          .isEqualTo(Integer.toString(committed.size()));
      assertThat(Sql.ask(database, "SELECT DISTINCT text FROM rows")).isEqualTo("żółw 亀");
    }
  }

  private static boolean hasUnfinished(Path parent, String file) throws IOException {
    try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent, "*.unfinished-*")) {
      for (Path unfinished : folders) {
        if (Files.exists(unfinished.resolve(file))) {
          return true;
        }
      }
      return false;
    }
  }
}
