package dev.muster.platform.maintenance;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.platform.maintenance.BackupFile.Contents;
import dev.muster.platform.maintenance.BackupFile.Table;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a backup holds is what a restore brings back, on another database (R11.1). */
@Slow
@Timeout(180)
class BackupTest {

  /** What a restore changes, by {@code db/after-restore.sql}. */
  private static final Set<String> CHANGED = Set.of("event_head", "console_sessions");

  @TempDir private Path folder = Path.of("");

  private static String url(TestDatabase database) {
    return "--DATABASE_URL=" + database.url();
  }

  private Path file() {
    return folder.resolve("muster.backup");
  }

  private Contents backup(TestDatabase database) {
    Command done = Command.run("backup", file().toString(), url(database));
    assertThat(done.err()).isEmpty();
    assertThat(done.exitCode()).isZero();
    assertThat(done.out()).contains(" rows of ").contains(file().toString());
    return contents(file());
  }

  static Contents contents(Path file) {
    try (BackupFile backup = BackupFile.open(file)) {
      return backup.contents();
    }
  }

  private Command restore(TestDatabase database) {
    return Command.run("restore", file().toString(), url(database));
  }

  /** The rows that a restore brings back as they are, as digests. */
  static Map<String, Table> tables(Contents contents) {
    Map<String, Table> tables = new TreeMap<>(contents.tables());
    tables.keySet().removeAll(CHANGED);
    return tables;
  }

  /** Leaves rows in many tables: a message that waits, a delegation, output of a run, a session. */
  private static Agent use(TestServer server) {
    TestClient client = server.client();
    Agent agent = client.createOnline("Kept \\\\ é");
    client.post(
        "/workspaces/" + agent.id() + "/a2a",
        ADMIN_TOKEN,
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"a\\tb\\\\N\\n\"}]}}}");
    client.post(
        "/workspaces/" + agent.id() + "/runtime-events",
        agent.token(),
        "{\"type\":\"RuntimeError\",\"payload\":{\"task_name\":\"t\",\"kind\":\"x\",\"message\":\"m\"}}");
    client.post(
        "/workspaces/" + agent.id() + "/activity",
        agent.token(),
        "{\"activity_type\":\"agent_log\",\"summary\":\"✓\"}");
    client.post("/console/session", null, "{\"token\":\"" + ADMIN_TOKEN + "\",\"name\":\"Ann\"}");
    return agent;
  }

  @Test
  void bringsAllRowsToAnotherDatabase() {
    TestDatabase source = TestDatabases.create();
    Agent agent;
    String feed;
    try (TestServer server = TestServer.startOn(source)) {
      agent = use(server);
      feed = feed(server, agent);
    }
    Contents before = backup(source);
    TestDatabase target = TestDatabases.createEmpty();

    Command restored = restore(target);

    assertThat(restored.err()).isEmpty();
    assertThat(restored.exitCode()).isZero();
    assertThat(restored.out()).contains("Tokens are those of the backup");
    Path again = folder.resolve("again.backup");
    assertThat(Command.run("backup", again.toString(), url(target)).exitCode()).isZero();
    assertThat(tables(contents(again))).isEqualTo(tables(before));
    assertThat(target.value("SELECT last_seq FROM event_head"))
        .isEqualTo(
            String.valueOf(
                1_000_000 + Long.parseLong(source.value("SELECT last_seq FROM event_head"))));
    assertThat(target.value("SELECT count(*) FROM console_sessions WHERE ended_at IS NULL"))
        .isEqualTo("0");
    try (TestServer server = TestServer.startOn(target)) {
      TestClient client = server.client();
      assertThat(feed(server, agent)).isEqualTo(feed);
      assertThat(client.heartbeatOnce(agent).status()).isEqualTo(200);
      Answer logged =
          client.post(
              "/workspaces/" + agent.id() + "/activity",
              agent.token(),
              "{\"activity_type\":\"agent_log\",\"summary\":\"after\"}");
      assertThat(logged.status()).as(logged.text()).isEqualTo(200);
      assertThat(client.create("Recorded after all other events")).isNotNull();
    }
  }

  private static String feed(TestServer server, Agent agent) {
    return server
        .client()
        .get("/workspaces/" + agent.id() + "/activity?order=asc", agent.token())
        .text();
  }

  /**
   * It waits for a table while a workspace is created, whose rows are in tables that come later.
   */
  @Test
  void isOfOneMomentWhileAServerWorks() throws Exception {
    TestDatabase source = TestDatabases.create();
    String count = "SELECT count(*) FROM workspaces";
    try (TestServer server = TestServer.startOn(source);
        Connection holder = source.connect();
        Statement statement = holder.createStatement()) {
      server.client().create("Before");
      holder.setAutoCommit(false);
      statement.execute("LOCK TABLE canvas_viewport");
      CompletableFuture<Contents> backup =
          CompletableFuture.supplyAsync(() -> backup(source), Thread::startVirtualThread);
      await().until(() -> source.lockWaits("canvas_viewport") == 1);

      server.client().create("Meanwhile");
      holder.rollback();

      backup.join();
      assertThat(source.value(count)).isEqualTo("2");
    }
    TestDatabase target = TestDatabases.createEmpty();
    assertThat(restore(target).exitCode()).isZero();
    assertThat(target.value(count)).isEqualTo("1");
  }

  @Test
  void movesBetweenTheEmbeddedAndAnExternalDatabase() throws IOException {
    Path home = TestHomes.used(folder);
    String atHome = "--MUSTER_HOME=" + home;
    TestDatabase external = TestDatabases.create();
    try (TestServer server = TestServer.startOn(external)) {
      use(server);
    }
    Contents first = backup(external);

    assertThat(Command.run("restore", file().toString(), atHome).err()).isEmpty();
    Path stopped = folder.resolve("stopped.backup");
    assertThat(Command.run("backup", stopped.toString(), atHome).err()).isEmpty();
    assertThat(tables(contents(stopped))).isEqualTo(tables(first));

    Path running = folder.resolve("running.backup");
    MusterHome open = MusterHome.open(home);
    EmbeddedDatabase database = EmbeddedDatabase.start(open);
    try {
      assertThat(Command.run("backup", running.toString(), atHome).err()).isEmpty();
      assertThat(Command.run("restore", file().toString(), atHome).err())
          .contains("Muster is already running with the home " + home);
    } finally {
      database.close();
      open.close();
    }
    assertThat(tables(contents(running))).isEqualTo(tables(first));
  }

  @Test
  void listsEachTable() {
    Set<String> listed = new HashSet<>(BackedUpTables.listed("kept"));
    listed.addAll(BackedUpTables.listed("left-out"));

    String tables =
        TestDatabases.create()
            .value(
                "SELECT string_agg(relname, ',' ORDER BY relname) FROM pg_class WHERE relkind = 'r'"
                    + " AND relnamespace = 'public'::regnamespace");

    assertThat(Set.of(tables.split(","))).isEqualTo(listed);
  }

  @Test
  void canBeReadByItsOwnerAlone() throws IOException {
    backup(TestDatabases.create());

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(folder.resolve("muster.backup.part")).doesNotExist();
    assertThat(Command.run("backup", file().toString(), url(TestDatabases.create())).err())
        .contains(file() + " exists; give the name of a new file.");
  }

  @Test
  void refusesAFileThatIsNotWhole() throws IOException {
    backup(TestDatabases.create());
    byte[] whole = Files.readAllBytes(file());

    try (RandomAccessFile cut = new RandomAccessFile(file().toFile(), "rw")) {
      cut.setLength(whole.length / 2);
    }
    assertRefused("cannot be read as a backup");
    Files.writeString(file(), "no zip");
    assertRefused("cannot be read as a backup");
    Files.write(file(), whole);
    rewrite("tables/workspaces.copy", text -> "\\N\n");
    assertRefused("is damaged: the rows of the table workspaces are not those that were written");
    Files.write(file(), whole);
    rewrite("backup.json", text -> "[");
    assertRefused("is not a backup: its backup.json cannot be read");
    Files.write(file(), whole);
    rewrite("backup.json", text -> "{\"format\":2,\"muster\":\"9\"}");
    assertRefused("and this Muster reads the format 1");
    Files.write(file(), whole);
    rewrite("backup.json", text -> text.replaceFirst("\"schema\":\\d+", "\"schema\":9999"));
    assertRefused("The backup is of a newer Muster (0.0.0-test, schema 9999; this one knows ");
  }

  private void assertRefused(String sentence) {
    TestDatabase target = TestDatabases.createEmpty();
    Command refused = restore(target);
    assertThat(refused.err()).startsWith("muster: ").contains(sentence);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(target.value("SELECT count(*) FROM pg_class WHERE relname = 'workspaces'"))
        .isEqualTo("0");
  }

  private void rewrite(String name, UnaryOperator<String> change) throws IOException {
    Path changed = folder.resolve("changed");
    try (ZipFile from = new ZipFile(file().toFile());
        OutputStream out = Files.newOutputStream(changed);
        ZipOutputStream to = new ZipOutputStream(out)) {
      for (ZipEntry entry :
          (Iterable<ZipEntry>) from.stream().map(ZipEntry.class::cast)::iterator) {
        try (InputStream in = from.getInputStream(entry)) {
          byte[] bytes = in.readAllBytes();
          to.putNextEntry(new ZipEntry(entry.getName()));
          to.write(
              entry.getName().equals(name)
                  ? change.apply(new String(bytes, UTF_8)).getBytes(UTF_8)
                  : bytes);
          to.closeEntry();
        }
      }
    }
    Files.move(changed, file(), StandardCopyOption.REPLACE_EXISTING);
  }

  @Test
  void deletesNothing() {
    backup(TestDatabases.create());
    TestDatabase used = TestDatabases.create();
    try (TestServer server = TestServer.startOn(used)) {
      Agent agent = server.client().create("Mine");
      assertThat(restore(used).err()).contains("A server uses the database; stop every replica");
      assertThat(agent.token()).isNotEmpty();
    }
    assertThat(restore(used).err())
        .contains("The database has workspaces, and a restore deletes nothing");
    assertThat(used.value("SELECT count(*) FROM workspaces")).isEqualTo("1");
  }

  @Test
  void saysWhatIsWrongInOneSentence() {
    String other = "--DATABASE_URL=postgres://muster:secret-word@127.0.0.1:1/none";
    assertThat(Command.run("backup", file().toString(), other, "--DATABASE_WAIT_S=0").err())
        .contains("The database at 127.0.0.1:1 cannot be used: Connection refused")
        .doesNotContain("secret-word");
    assertThat(Command.run("backup", file().toString(), "--MUSTER_HOME=" + folder).err())
        .contains("There is no database in the home " + folder);
    assertThat(Command.run("backup", file().toString(), url(TestDatabases.createEmpty())).err())
        .contains("There is no Muster in this database");
    assertThat(
            Command.run("backup", folder.resolve("none/x").toString(), url(TestDatabases.create()))
                .err())
        .contains("There is no folder " + folder.resolve("none") + "; make it first.");
    assertThat(Command.run("backup").exitCode()).isEqualTo(2);
    assertThat(Command.run("back-up", "x").exitCode()).isEqualTo(2);
    assertThat(Command.run("back-up", "x").err()).contains("backup FILE", "doctor [--json]");
    assertThat(file()).doesNotExist();
  }
}
