package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.StartRefusedException;
import dev.muster.testing.FreePorts;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;

/** With a wrong {@code DATABASE_URL} the server exits soon with one sentence and no secret. */
@Slow
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class UnreachableDatabaseTest {

  private static final String SECRET = "correct-horse-battery";

  /** A later try has a longer limit, in which a database answers also on a busy machine. */
  private static final String ONE_MORE_TRY_S = "1";

  /** For what ends a start at once. */
  private static final String A_DAY_S = "86400";

  @TempDir Path home;

  @Test
  void namesAPortWithoutAListener() throws Exception {
    int port = FreePorts.next();
    assertEnds(
        "postgres://muster:%s@127.0.0.1:%d/muster".formatted(SECRET, port),
        "The database at 127.0.0.1:" + port + " cannot be used: Connection refused");
  }

  @Test
  void namesAnUnknownHost() {
    assertRefused(
        "postgres://muster:" + SECRET + "@db.invalid:5432/muster",
        ONE_MORE_TRY_S,
        "The database at db.invalid:5432 cannot be used: its host name is not known");
  }

  @Test
  @Timeout(60)
  void reportsAWrongPasswordAtOnce() {
    URI real = real();
    assertRefused(
        "postgres://%s:%s@127.0.0.1:%d%s"
            .formatted(parameter(real, "user"), SECRET, real.getPort(), real.getPath()),
        A_DAY_S,
        "The database at 127.0.0.1:"
            + real.getPort()
            + " cannot be used: password authentication"
            + " failed for user");
  }

  @Test
  @Timeout(60)
  void reportsAMissingDatabaseAtOnce() {
    URI real = real();
    String password = parameter(real, "password");
    String output =
        assertRefused(
            "postgres://%s:%s@127.0.0.1:%d/no_such"
                .formatted(parameter(real, "user"), password, real.getPort()),
            A_DAY_S,
            "The database at 127.0.0.1:"
                + real.getPort()
                + " cannot be used: database \"no_such\" does not exist");
    assertThat(output).doesNotContain(password);
  }

  @Test
  void waitsFiveSecondsForAnAnswer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertRefused(
          "postgres://muster:%s@127.0.0.1:%d/muster".formatted(SECRET, silent.getLocalPort()),
          "The database at 127.0.0.1:"
              + silent.getLocalPort()
              + " cannot be used: no answer within 5 s;");
    }
  }

  @Test
  void namesHostsOfWhichNoneTakesWrites() {
    URI real = real();
    String host = "127.0.0.1:" + real.getPort();
    assertRefused(
        "postgres://%s:%s@%s,%s%s?target_session_attrs=standby"
            .formatted(
                parameter(real, "user"), parameter(real, "password"), host, host, real.getPath()),
        "The database at %1$s, %1$s cannot be used: Could not find a server".formatted(host));
  }

  /** TEST-NET-1: its packets are dropped, or there is no route. */
  @Test
  void reportsAnUnroutableAddress() {
    assertRefused(
        "postgres://muster:" + SECRET + "@192.0.2.1:5432/muster",
        "The database at 192.0.2.1:5432 cannot be used: ");
  }

  /** Its connections end before an answer until the database is there. */
  @Test
  void waitsForALaterDatabaseWhenConfigured(CapturedOutput log) throws Exception {
    URI real = real();
    try (TcpRelay wire = new TcpRelay(FreePorts.next())) {
      String url =
          "postgres://%s:%s@127.0.0.1:%d%s"
              .formatted(
                  parameter(real, "user"),
                  parameter(real, "password"),
                  wire.port(),
                  real.getPath());
      CompletableFuture<Void> start =
          CompletableFuture.runAsync(() -> check(url, "60"), Thread::startVirtualThread);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> log.getAll().contains("tries again for up to 60 s"));
      assertThat(start).as("it waits").isNotDone();

      wire.heal(real.getPort());

      assertThat(start).succeedsWithin(Duration.ofSeconds(60));
    }
  }

  /** The sentence is all that the program says, and it ends. */
  private void assertEnds(String url, String sentence) throws IOException {
    try (ServerProcess server = ServerProcess.start(home, settings(url, ONE_MORE_TRY_S))) {
      int exitCode = server.awaitEnd();
      String output = server.output();
      assertSays(output, sentence);
      assertThat(output)
          .as("it says so before anything else begins")
          .doesNotContain("HikariPool", "Jetty");
      assertThat(exitCode).isNotZero();
    }
  }

  /** Runs the first thing that a start does, and returns what it says. */
  private static String assertRefused(String url, String sentence) {
    return assertRefused(url, "0", sentence);
  }

  private static String assertRefused(String url, String waitS, String sentence) {
    StartRefusedException refused =
        catchThrowableOfType(StartRefusedException.class, () -> check(url, waitS));
    assertThat(refused).isNotNull().hasNoCause();
    String said = String.valueOf(refused.getMessage());
    assertSays(said, sentence);
    return said;
  }

  private static void assertSays(String said, String sentence) {
    assertThat(said)
        .contains(sentence, "check DATABASE_URL")
        .doesNotContain(SECRET)
        .doesNotContainPattern("(?m)^\\s+at [\\w.]+\\(")
        .doesNotContain("Exception");
  }

  private static void check(String url, String waitS) {
    GenericApplicationContext context = new GenericApplicationContext();
    context
        .getEnvironment()
        .getPropertySources()
        .addFirst(new MapPropertySource("test", Map.copyOf(settings(url, waitS))));
    new ContractVariables().initialize(context);
    new ReachableDatabase().initialize(context);
  }

  private static Map<String, String> settings(String url, String waitS) {
    return Map.of(
        "DATABASE_URL", url, "DATABASE_WAIT_S", waitS, "ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
  }

  private static URI real() {
    return URI.create(TestDatabases.create().url().substring("jdbc:".length()));
  }

  private static String parameter(URI url, String name) {
    Matcher value = Pattern.compile("[?&]" + name + "=([^&]*)").matcher(url.toString());
    assertThat(value.find()).isTrue();
    return value.group(1);
  }
}
