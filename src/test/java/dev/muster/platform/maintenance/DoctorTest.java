package dev.muster.platform.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.FreePorts;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What {@code muster doctor} finds, before the start of a server and beside one (R11.1). */
@Slow
@Timeout(120)
class DoctorTest {

  @TempDir private Path folder = Path.of("");

  private static String freePort() {
    return "--SERVER_PORT=" + FreePorts.next();
  }

  @Test
  void findsNothingWhereAServerCanStart() {
    Command found =
        Command.run("doctor", freePort(), "--DATABASE_URL=" + TestDatabases.createEmpty().url());

    assertThat(found.err()).isEmpty();
    assertThat(found.exitCode()).as(found.out()).isZero();
    assertThat(found.out())
        .contains(
            "ok   settings  all can be used",
            "ok   database",
            "ok   clock",
            "ok   files",
            "ok   port",
            "ok   cache     there is no ahead-of-time cache")
        .contains("there is none yet; the first start makes it");
  }

  @Test
  void looksAtAServerThatRuns() {
    TestServer server = TestServer.shared();
    Command found =
        Command.run(
            "doctor",
            "--json",
            "--SERVER_PORT=" + server.port(),
            "--DATABASE_URL=" + server.database().url());

    JsonNode checks = JsonMapper.shared().readTree(found.out()).path("checks");
    assertThat(checks)
        .anySatisfy(one -> {
          assertThat(one.path("name").asString()).isEqualTo("port");
          assertThat(one.path("state").asString()).isEqualTo("ok");
          assertThat(one.path("detail").asString()).startsWith("a server answers at ");
        })
        .anySatisfy(one -> assertThat(one.path("detail").asString()).startsWith("version "))
        .noneSatisfy(one -> assertThat(one.path("state").asString()).isEqualTo("fail"));
    assertThat(found.exitCode()).as(found.out()).isZero();
  }

  @Test
  void namesAllFaults() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Command found =
          Command.run(
              "doctor",
              "--SERVER_PORT=" + other.getLocalPort(),
              "--muster.heartbeat.interval=often",
              "--muster.heartbeet.x=1",
              "--DATABASE_URL=postgres://muster:secret-word@127.0.0.1:1/none");

      assertThat(found.exitCode()).isEqualTo(1);
      assertThat(found.out())
          .contains("fail settings  The property muster.heartbeat.interval is not usable")
          .contains("fail settings  The property muster.heartbeet.x is not a setting of Muster")
          .contains("fail database")
          .contains("fail port      %d of 0.0.0.0 cannot be used".formatted(other.getLocalPort()))
          .contains("stop the program that has it, or set SERVER_PORT")
          .doesNotContain("secret-word");
    }
  }

  /** Those that refuse a start, and those that a start replaces and warns of. */
  @Test
  void namesAllFaultsOfAllSettings() {
    Command found =
        Command.run(
            "doctor",
            "--ADMIN_TOKEN=short-token",
            "--muster.security.public-workspace-read=perhaps",
            "--muster.heartbeat.interval=often",
            "--REGISTRATION=ajar",
            "--AGENT_URL_ALLOW=loopback,everything",
            "--PUBLIC_URL=ftp://muster.example",
            "--ALLOWED_HOSTS=muster.example,",
            "--CORS_ORIGINS=not an origin",
            "--WEBHOOK_URL=https://hooks.example/secret-path", // it can be used
            "--WEBHOOK_SECRET=fifteen-letters",
            "--WEBHOOK_KINDS=everything",
            "--SERVER_PORT=99999",
            "--SERVER_ADDRESS=999.1.1.1",
            "--DATABASE_URL=mysql://localhost/muster",
            "--STALE_AFTER_S=soon",
            "--DEGRADE_AT_ERROR_RATE=0.2",
            "--RECOVER_BELOW_ERROR_RATE=0.3",
            "--LOG_FORMAT=xml",
            "--STALE_AFTER=9");

    assertThat(found.exitCode()).isEqualTo(1);
    assertThat(found.out().lines().map(line -> line.replaceFirst("^((\\S+ +){3}(\\S+)).*", "$1")))
        .containsExactlyInAnyOrder(
            "fail settings  The property", // public-workspace-read
            "fail settings  The property", // heartbeat.interval
            "fail settings  SERVER_PORT (server.port)",
            "fail settings  SERVER_ADDRESS (server.address)",
            "fail settings  ADMIN_TOKEN (muster.security.admin-token)",
            "fail settings  PUBLIC_URL (muster.public-url)",
            "fail settings  ALLOWED_HOSTS (muster.security.allowed-hosts)",
            "fail settings  CORS_ORIGINS (muster.security.cors-origins)",
            "fail settings  AGENT_URL_ALLOW (muster.agent-url.allow)",
            "fail settings  WEBHOOK_SECRET (muster.webhook.secret)",
            "fail settings  WEBHOOK_KINDS (muster.webhook.kinds)",
            "fail settings  REGISTRATION (muster.registration.mode)",
            "warn settings  STALE_AFTER_S=soon is",
            "warn settings  RECOVER_BELOW_ERROR_RATE=0.3 is",
            "warn settings  LOG_FORMAT=xml is",
            "warn settings  the property", // STALE_AFTER
            "fail database  DATABASE_URL is",
            "ok   files     a process",
            "ok   cache     there is");
    assertThat(found.out()).doesNotContain("short-token", "secret-path", "fifteen");
  }

  @Test
  void looksAtAHomeWithoutAChange() throws IOException {
    Path none = folder.resolve("none");
    assertThat(Command.run("doctor", freePort(), "--MUSTER_HOME=" + none).out())
        .contains("none does not exist yet; the first start makes it");
    assertThat(none).doesNotExist();
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(Command.run("doctor", freePort(), "--MUSTER_HOME=" + file.resolve("home")).out())
        .contains("fail home      " + file.resolve("home") + " does not exist, and the user")
        .contains("cannot make it in " + file + "; set MUSTER_HOME to another folder");

    Path home = TestHomes.used(folder);
    assertThat(Command.run("doctor", freePort(), "--MUSTER_HOME=" + home).out())
        .contains("no server runs in " + home + "; its database is stopped");
    // a server of another home
    Command other =
        Command.run(
            "doctor",
            "--SERVER_PORT=" + TestServer.shared().port(),
            "--SERVER_ADDRESS=127.0.0.1",
            "--MUSTER_HOME=" + home);
    assertThat(other.out()).contains("fail port      " + TestServer.shared().port() + " of");
    assertThat(other.exitCode()).isEqualTo(1);

    MusterHome open = MusterHome.open(home);
    EmbeddedDatabase database = EmbeddedDatabase.start(open);
    try {
      assertThat(Command.run("doctor", freePort(), "--MUSTER_HOME=" + home).out())
          .contains("a server runs in " + home, "ok   database", "is PostgreSQL");
      open.close();
      assertThat(Command.run("doctor", freePort(), "--MUSTER_HOME=" + home).out())
          .contains("the server in " + home + " was killed; its database still runs");
    } finally {
      database.close();
      open.close();
    }
  }

  @Test
  void saysWhichCommandsThereAre() {
    assertThat(Command.run("bakcup", "x").err())
        .startsWith("muster: there is no command bakcup; did you mean backup?\nExpected one of\n")
        .contains("backup FILE", "Without a command it starts the server.");
    assertThat(Command.run("backup").err()).startsWith("muster: backup wants the name of a FILE\n");
    assertThat(Command.run("doctor", "now").err())
        .startsWith("muster: doctor has too many words\n");
    assertThat(Command.run("backup").exitCode()).isEqualTo(2);
  }

  @Test
  void makesNoHomeForWhatCannotBeRestored() {
    Path none = folder.resolve("none");
    Command restored =
        Command.run("restore", folder.resolve("no-file").toString(), "--MUSTER_HOME=" + none);

    assertThat(restored.err())
        .isEqualTo("muster: There is no file %s.%n".formatted(folder.resolve("no-file")));
    assertThat(restored.exitCode()).isEqualTo(1);
    assertThat(none).doesNotExist();
  }
}
