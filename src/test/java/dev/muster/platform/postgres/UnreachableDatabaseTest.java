package dev.muster.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FreePorts;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** With a wrong {@code DATABASE_URL} the server exits soon with one sentence and no secret. */
@Slow
@Timeout(180)
class UnreachableDatabaseTest {

  private static final String SECRET = "correct-horse-battery";

  @TempDir Path home;

  @Test
  void namesAPortWithoutAListener() throws Exception {
    int port = FreePorts.next();
    assertRefused(
        "postgres://muster:%s@127.0.0.1:%d/muster".formatted(SECRET, port),
        "The database at 127.0.0.1:" + port + " cannot be used: Connection refused");
  }

  @Test
  void namesAnUnknownHost() throws Exception {
    assertRefused(
        "postgres://muster:" + SECRET + "@db.invalid:5432/muster",
        "The database at db.invalid:5432 cannot be used: its host name is not known");
  }

  @Test
  void reportsAWrongPassword() throws Exception {
    URI real = real();
    assertRefused(
        "postgres://%s:%s@127.0.0.1:%d%s"
            .formatted(parameter(real, "user"), SECRET, real.getPort(), real.getPath()),
        "The database at 127.0.0.1:"
            + real.getPort()
            + " cannot be used: password authentication"
            + " failed for user");
  }

  @Test
  void reportsAMissingDatabase() throws Exception {
    URI real = real();
    String password = parameter(real, "password");
    String output =
        assertRefused(
            "postgres://%s:%s@127.0.0.1:%d/no_such"
                .formatted(parameter(real, "user"), password, real.getPort()),
            "The database at 127.0.0.1:"
                + real.getPort()
                + " cannot be used: database \"no_such\" does not exist");
    assertThat(output).doesNotContain(password);
  }

  /** Start of the JVM, wait and exit together stay below the documented 5 s. */
  @Test
  void waitsAtMostTwoSecondsForAnAnswer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String output =
          assertRefused(
              "postgres://muster:%s@127.0.0.1:%d/muster".formatted(SECRET, silent.getLocalPort()),
              "The database at 127.0.0.1:" + silent.getLocalPort() + " cannot be used: ");
      assertThat(output).containsPattern("cannot be used: no answer within [12] s;");
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 2", "1900, 2", "2000, 2", "2001, 1", "2999, 1", "3000, 1", "4100, 1", "90000, 1"})
  void waitsForTheRestOfFourSeconds(long ageOfTheJvmMs, long limitS) {
    assertThat(ReachableDatabase.firstTryS(Duration.ofMillis(ageOfTheJvmMs))).isEqualTo(limitS);
  }

  /** TEST-NET-1: its packets are dropped, or there is no route. */
  @Test
  void reportsAnUnroutableAddress() throws Exception {
    assertRefused(
        "postgres://muster:" + SECRET + "@192.0.2.1:5432/muster",
        "The database at 192.0.2.1:5432 cannot be used: ");
  }

  @Test
  void waitsForALaterDatabaseWhenConfigured() throws Exception {
    int port = FreePorts.next();
    Map<String, String> settings =
        new HashMap<>(settings("postgres://muster:" + SECRET + "@127.0.0.1:" + port + "/muster"));
    settings.put("DATABASE_WAIT_S", "60");
    try (ServerProcess server = ServerProcess.start(home, settings)) {
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> server.output().contains("tries again for up to 60 s"));
      try (ServerSocket late = new ServerSocket(port, 8, InetAddress.getLoopbackAddress());
          Socket knock = late.accept()) {
        assertThat(knock.isConnected()).as("it tried again").isTrue();
      }
      assertThat(server.output()).doesNotContain("APPLICATION FAILED TO START");
    }
  }

  private String assertRefused(String url, String sentence) throws IOException {
    try (ServerProcess server = ServerProcess.start(home, settings(url))) {
      int exitCode = server.awaitEnd();
      String output = server.output();
      assertThat(output)
          .contains(sentence, "check DATABASE_URL")
          .doesNotContain(SECRET)
          .doesNotContainPattern("(?m)^\\s+at [\\w.]+\\(")
          .doesNotContain("Exception")
          .as("it says so before anything else begins")
          .doesNotContain("HikariPool", "Jetty");
      assertThat(exitCode).isNotZero();
      return output;
    }
  }

  private static Map<String, String> settings(String url) {
    return Map.of(
        "DATABASE_URL", url, "DATABASE_WAIT_S", "0", "ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
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
