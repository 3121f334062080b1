package dev.muster.platform.embedded;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.embedded.Postmaster.Timeouts;
import dev.muster.platform.settings.StartRefusedException;
import dev.muster.testing.Slow;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
      await().atMost(5, SECONDS).until(() -> !TestHomes.runs(leftBehind));
    }
  }

  @Test
  void keepsCommittedRowsWhenMusterAndPostgresAreKilledAgainAndAgain() throws Exception {
    List<String> committed = new ArrayList<>();
    for (int round = 1; round <= 3; round++) {
      try (var writing = WritingProcess.on(folder)) {
        committed.addAll(writing.awaitRows(100));
        ProcessHandle server = TestHomes.server(folder);
        writing.kill();
        server.destroyForcibly();

        assertHas(committed);
      }
    }
  }

  /** Programs of the killed process still run during this start. */
  @Test
  void startsAfterAKillInTheMiddleOfInitdb(@TempDir Path other) throws Exception {
    folder = TestHomes.in(other);
    Path postgres = folder.resolve("postgres");
    try (var first = WritingProcess.on(folder)) {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .atMost(20, SECONDS)
          .until(() -> hasUnfinished(postgres, "PG_VERSION"));
      first.kill();
    }
    assertThat(TestHomes.data(folder)).doesNotExist();

    assertStartsEmpty();
  }

  @Test
  void startsAfterAKillInTheMiddleOfUnpacking(@TempDir Path other) throws Exception {
    folder = other.resolve("home");
    Path bin = folder.resolve("postgres/bin");
    try (var first = WritingProcess.on(folder)) {
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(5))
          .atMost(20, SECONDS)
          .until(() -> Files.exists(bin) && hasUnfinished(bin, "share"));
      first.kill();
    }
    assertThat(bin).isDirectoryNotContaining(path -> !path.toString().contains(".unfinished-"));

    assertStartsEmpty();
    assertThat(bin).isDirectoryNotContaining(path -> path.toString().contains(".unfinished-"));
  }

  @Test
  void doesNotStopAnotherProcessWithTheIdOfAKilledServer() throws Exception {
    Process other = new ProcessBuilder("sleep", "600").start();
    try (var writing = WritingProcess.on(folder)) {
      List<String> committed = writing.awaitRows(1);
      kill(writing);
      List<String> lines = new ArrayList<>(Files.readAllLines(TestHomes.pidFile(folder)));
      lines.set(0, Long.toString(other.pid()));
      Files.write(TestHomes.pidFile(folder), lines);

      assertHas(committed);
      assertThat(other.isAlive()).isTrue();
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void startsWithAPidFileThatIsEmpty() throws Exception {
    try (var writing = WritingProcess.on(folder)) {
      List<String> committed = writing.awaitRows(1);
      kill(writing);
      Files.write(TestHomes.pidFile(folder), new byte[0]);

      assertHas(committed);
    }
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

      await().atMost(5, SECONDS).until(() -> !TestHomes.runs(server));
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

  private void kill(WritingProcess writing) throws Exception {
    ProcessHandle server = TestHomes.server(folder);
    writing.kill();
    server.destroyForcibly();
    await().atMost(10, SECONDS).until(() -> !TestHomes.runs(server));
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

  private void assertStartsEmpty() throws Exception {
    try (MusterHome home = MusterHome.open(folder);
        EmbeddedDatabase database = EmbeddedDatabase.start(home)) {
      assertThat(Sql.ask(database, "SELECT to_regclass('rows')")).isEqualTo("null");
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
