package dev.muster.platform.maintenance;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.MusterApplication;
import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.EndWithJvm;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A command in a process of its own: it is signalled, has no space left, or brings another
 * PostgreSQL (R11.1).
 */
@Slow
@Timeout(180)
class CommandProcessTest {

  private static final String CLASS_PATH = System.getProperty("java.class.path");

  @TempDir private Path folder = Path.of("");

  private Path file() {
    return folder.resolve("muster.backup");
  }

  /** Starts the program after these words, with its output in a file. */
  private Process start(String classPath, List<String> before, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            // by which a backup writes times
            "-Duser.timezone=" + TimeZone.getDefault().getID(),
            "-classpath",
            classPath,
            MusterApplication.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile());
    builder.environment().remove("DATABASE_URL");
    return EndWithJvm.process(builder.start());
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("output"), UTF_8);
  }

  private static int end(Process process) {
    return process.onExit().orTimeout(90, TimeUnit.SECONDS).join().exitValue();
  }

  private List<String> filesOf(Path place) throws IOException {
    try (Stream<Path> files = Files.list(place)) {
      return files.map(one -> String.valueOf(one.getFileName())).sorted().toList();
    }
  }

  /**
   * A stopped database in which a prepared transaction holds a table: that survives a restart, so
   * that each command waits for the table.
   */
  private Path homeThatWaits() throws IOException {
    Path home = TestHomes.used(folder);
    EndWithJvm.home(home);
    whileItRuns(
        home,
        database -> {
          database.migrate();
          database.execute("ALTER SYSTEM SET max_prepared_transactions = 1");
        });
    whileItRuns(
        home,
        database -> {
          database.execute("BEGIN; LOCK TABLE workspaces; PREPARE TRANSACTION 'holder'");
        });
    return home;
  }

  private static void whileItRuns(Path home, Consumer<TestDatabase> action) throws IOException {
    try (MusterHome open = MusterHome.open(home);
        EmbeddedDatabase _ = EmbeddedDatabase.start(open)) {
      action.accept(TestHomes.database(home));
    }
  }

  private void assertStops(Path home, String... arguments) throws IOException {
    Process process = start(CLASS_PATH, List.of(), arguments);
    await()
        .atMost(Duration.ofSeconds(90))
        .ignoreExceptions() // until it runs
        .until(() -> TestHomes.database(home).lockWaits("workspaces") == 1);
    ProcessHandle postgres = TestHomes.server(home);

    process.destroy();

    assertThat(end(process)).as(output()).isEqualTo(128 + 15);
    assertThat(output()).contains("muster: stopped by a signal");
    assertThat(TestHomes.runs(postgres)).isFalse();
    assertThat(filesOf(folder)).noneMatch(name -> name.startsWith("muster.backup"));
  }

  @Test
  void leavesNothingWhenItIsStopped() throws IOException {
    Path home = homeThatWaits();
    String atHome = "--MUSTER_HOME=" + home;

    assertStops(home, "backup", file().toString(), atHome);

    Path whole = folder.resolve("whole");
    TestDatabase other = TestDatabases.create();
    assertThat(Command.run("backup", whole.toString(), "--DATABASE_URL=" + other.url()).exitCode())
        .isZero();
    assertStops(home, "restore", whole.toString(), atHome);
  }

  /** As from a Muster with an older PostgreSQL to this one, and back. */
  @Test
  void movesBetweenVersionsOfPostgres() throws IOException {
    Path home = folder.resolve("oldest");
    EndWithJvm.home(home);
    String atHome = "--MUSTER_HOME=" + home;
    String oldest = oldestPostgres() + File.pathSeparator + CLASS_PATH;
    TestDatabase source = TestDatabases.create();
    try (TestServer server = TestServer.startOn(source)) {
      TestClient client = server.client();
      client.post(
          "/workspaces/" + client.createOnline("Kept").id() + "/a2a",
          TestServer.ADMIN_TOKEN,
          "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"é\"}]}}}");
    }
    assertThat(Command.run("backup", file().toString(), "--DATABASE_URL=" + source.url()).err())
        .isEmpty();

    assertThat(end(start(oldest, List.of(), "restore", file().toString(), atHome)))
        .as(output())
        .isZero();
    Path onOldest = folder.resolve("oldest.backup");
    assertThat(end(start(oldest, List.of(), "backup", onOldest.toString(), atHome)))
        .as(output())
        .isZero();
    TestDatabase target = TestDatabases.createEmpty();
    assertThat(Command.run("restore", onOldest.toString(), "--DATABASE_URL=" + target.url()).err())
        .isEmpty();

    Path again = folder.resolve("again.backup");
    assertThat(Command.run("backup", again.toString(), "--DATABASE_URL=" + target.url()).err())
        .isEmpty();
    assertThat(BackupTest.contents(onOldest).postgres()).startsWith("15.");
    assertThat(BackupTest.tables(BackupTest.contents(onOldest)))
        .isEqualTo(BackupTest.tables(BackupTest.contents(file())));
    assertThat(BackupTest.tables(BackupTest.contents(again)))
        .isEqualTo(BackupTest.tables(BackupTest.contents(file())));
  }

  /** The programs of the oldest PostgreSQL that is supported, which Maven brings. */
  private static Path oldestPostgres() throws IOException {
    Path place = Path.of("target", "oldest-postgres").toAbsolutePath();
    try (Stream<Path> jars = Files.list(place)) {
      return jars.findFirst().orElseThrow();
    }
  }

  @Test
  void leavesNothingWhereTheDiskIsFull() throws IOException {
    TestDatabase database = TestDatabases.create();
    database.execute(
        """
        INSERT INTO events (id, event_type, payload, created_at)
        SELECT gen_random_uuid(), 'x',
            to_json((SELECT string_agg(md5(i || '.' || j), '') FROM generate_series(1, 1000) AS j)), now()
        FROM generate_series(1, 200) AS i
        """);
    Path disk = Files.createDirectory(folder.resolve("disk"));

    Process process =
        start(
            CLASS_PATH,
            List.of("sh", "-c", full(disk), "sh"),
            "backup",
            disk.resolve("muster.backup").toString(),
            "--DATABASE_URL=" + database.url());

    assertThat(end(process)).as(output()).isEqualTo(1);
    assertThat(output())
        .containsPattern(
            "(?m)^muster: The backup cannot be written to .*/disk/muster.backup \\((No space left"
                + " on device|File too large)\\)\\.$")
        .endsWith("left:\n");
  }

  /**
   * Runs its arguments where a file in this folder cannot have a mebibyte, and says what is left
   * there: on a file system of that size, which only a mount namespace can have; where the machine
   * forbids those, with a limit for the process, whose failures of writing have another name.
   */
  private static String full(Path disk) {
    String mount = "mount -t tmpfs -o size=1m tmpfs '%s'".formatted(disk);
    String run = "\"$@\"; code=$?; echo left: $(ls -A '%s'); exit $code".formatted(disk);
    List<String> unshare = List.of("unshare", "--user", "--map-root-user", "--mount");
    if (succeeds(unshare, mount)) {
      return "exec %s sh -c '%s' sh \"$@\""
          .formatted(
              String.join(" ", unshare), (mount + " && { " + run + "; }").replace("'", "'\\''"));
    }
    System.err.println(
        "!!! NOT TESTED: a backup on a full disk. This machine forbids mount namespaces; a limit of"
            + " the size of files takes the place of it.");
    return "trap '' XFSZ; ulimit -f 1024; " + run;
  }

  private static boolean succeeds(List<String> before, String script) {
    List<String> command = new ArrayList<>(before);
    command.addAll(List.of("sh", "-c", script));
    try {
      return end(new ProcessBuilder(command).start()) == 0;
    } catch (IOException noSuchProgram) {
      return false;
    }
  }
}
