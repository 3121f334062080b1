package dev.muster.attack;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A server process with default settings, its embedded database and a heap of 640 MB, unless it
 * {@link #startQuickly starts quickly}.
 */
final class AttackedServer implements AutoCloseable {

  private static final List<String> JVM_OPTIONS =
      List.of("-Xmx640m", "-XX:+ExitOnOutOfMemoryError");
  private static final Duration MAX_SETTLING_TIME = Duration.ofSeconds(60);
  private static final long QUIET_NANOS = Duration.ofMillis(200).toNanos();
  private static final int QUIET_ANSWERS = 5;
  private static final int MAX_LOG_SHOWN = 2_000;
  private static final int TIMEOUT_MS = 10_000;

  private final Path home;
  private final ServerProcess process;
  private final int port;

  private AttackedServer(Path home, ServerProcess process) {
    this.home = home;
    this.process = process;
    this.port = URI.create(process.client().baseUrl()).getPort();
  }

  static AttackedServer start() throws IOException {
    return start(Map.of());
  }

  static AttackedServer startWithoutRateLimits() throws IOException {
    return start(Map.of("RATE_LIMIT", "0", "RATE_LIMIT_HEARTBEAT", "0", "RATE_LIMIT_POLL", "0"));
  }

  /** Without rate limits, in little time: with a database of the tests, and not optimised. */
  static AttackedServer startQuickly() throws IOException {
    Path home = Files.createTempDirectory("muster-attacked-");
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            TestDatabases.create().url(),
            "ADMIN_TOKEN",
            TestServer.ADMIN_TOKEN,
            "REGISTRATION",
            "open",
            "AGENT_URL_ALLOW",
            "loopback");
    return new AttackedServer(home, ServerProcess.start(home, settings).awaitReady());
  }

  private static AttackedServer start(Map<String, String> more) throws IOException {
    Path home = Files.createTempDirectory("muster-attacked-");
    Map<String, String> settings = new HashMap<>(more);
    settings.put("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);
    return new AttackedServer(
        home, ServerProcess.startAsDelivered(home, JVM_OPTIONS, settings).awaitReady());
  }

  int port() {
    return port;
  }

  TestClient client() {
    return process.client();
  }

  String log() {
    return process.output();
  }

  /**
   * Creates an online workspace; {@code fields} are those of its creation. Waits for the rate
   * limit.
   */
  Agent create(String name, String... fields) {
    String more = fields.length == 0 ? "" : "," + String.join(",", fields);
    String body = "{\"name\":\"" + name + "\"" + more + "}";
    while (true) {
      Answer answer = client().post("/workspaces", TestServer.ADMIN_TOKEN, body);
      if (answer.status() == 201) {
        Agent agent = new Agent(UUID.fromString(answer.field("id")), answer.field("auth_token"));
        client().heartbeat(agent);
        return agent;
      }
      if (answer.status() != 429) {
        throw new AssertionError("not created: " + answer);
      }
      LockSupport.parkNanos(Duration.ofMillis(300).toNanos());
    }
  }

  /** Waits until new connections are answered quickly again; throws after a time limit. */
  void awaitQuiet() {
    requireAlive();
    long giveUpAt = System.nanoTime() + MAX_SETTLING_TIME.toNanos();
    int quiet = 0;
    while (quiet < QUIET_ANSWERS && System.nanoTime() < giveUpAt) {
      quiet = isQuiet() ? quiet + 1 : 0;
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  void requireAlive() {
    if (!ProcessHandle.of(process.pid()).map(ProcessHandle::isAlive).orElse(false)) {
      String log = log();
      throw new AssertionError(
          "the server ended: " + log.substring(Math.max(0, log.length() - MAX_LOG_SHOWN)));
    }
  }

  private boolean isQuiet() {
    long start = System.nanoTime();
    try (Connection connection = Connection.open(port, "127.0.0.1", TIMEOUT_MS)) {
      int status = connection.exchange(Connection.request("GET", "/health", null, null)).status();
      return status == 200 && System.nanoTime() - start < QUIET_NANOS;
    } catch (IOException e) {
      return false;
    }
  }

  /** Kills the server in a shutdown hook. */
  void stop() {
    try {
      process.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    process.close();
    try (Stream<Path> files = Files.walk(home)) {
      files.sorted(Comparator.reverseOrder()).forEach(AttackedServer::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
