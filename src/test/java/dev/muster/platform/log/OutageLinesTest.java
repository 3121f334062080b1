package dev.muster.platform.log;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.PacedServer;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** A database outage has a line at its beginning, one each minute, and one at its end. */
@Slow
@Timeout(300)
@Execution(ExecutionMode.SAME_THREAD)
class OutageLinesTest {

  private static final int ENOUGH_REFUSALS = 50;

  /** The pause of each client between its requests, since an outage is refused at once. */
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private static final Duration MINUTE = FastPace.seconds(60);
  private static final Duration MORE_THAN_A_MINUTE = MINUTE.plusSeconds(10);

  /** The longest time from one failure to the next: requests fail at the deadline of R0.6. */
  private static final Duration LATEST_FAILURE = Duration.ofSeconds(5);

  /** Long enough for the first failures, which come after up to 3 s. */
  private static final Duration SHORT = Duration.ofSeconds(6);

  private static final Pattern AMID = Pattern.compile("for ([0-9]+) s by now; [0-9]+");
  private static final Pattern END =
      Pattern.compile("answers again, after ([0-9]+) s; ([0-9]+) requests");

  private static TcpRelay wire;
  private static int databasePort;
  private static ServerProcess server;
  private static List<Agent> agents;

  private interface Cut {
    void happen() throws Exception;
  }

  @BeforeAll
  static void start(@TempDir Path home) throws Exception {
    TestDatabase database = TestDatabases.create();
    databasePort = URI.create(database.url().substring("jdbc:".length())).getPort();
    wire = new TcpRelay(databasePort);
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            database.url().replaceFirst(":" + databasePort + "/", ":" + wire.port() + "/"),
            "ADMIN_TOKEN",
            ADMIN_TOKEN,
            "LIVENESS_SWEEP_INTERVAL_S",
            "1",
            "DELEGATION_SWEEPER_INTERVAL_S",
            "1");
    server = ServerProcess.start(PacedServer.class, home, settings).awaitReady();
    // a server is ready a moment before its last line about its start
    Awaitility.await().until(() -> server.output().contains("Started "));
    agents = IntStream.range(0, 5).mapToObj(n -> client().createOnline("a" + n)).toList();
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    wire.close();
  }

  @Test
  void areThreeForAnOutageOfMoreThanAMinute() throws Exception {
    assertLinesFor(wire::swallow, MORE_THAN_A_MINUTE);
  }

  @Test
  void areTwoForAShorterOutage() throws Exception {
    // a slow machine may let it last a minute, and then it has a line that says so
    assertLinesFor(
        () -> {
          try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            wire.heal(closed.getLocalPort());
          }
        },
        SHORT);
  }

  /**
   * Asserts that an outage has a line at its beginning, one at its end, and between them one for
   * each of its minutes, at the first failure after it.
   */
  private static void assertLinesFor(Cut cut, Duration outage) throws Exception {
    try (TestSocket all = TestSocket.open(client(), "/ws?after=0", ADMIN_TOKEN)) {
      all.await("WORKSPACE_ONLINE");
      int before = lines().size();

      Refusals refused = refusedIn(cut, outage, before);
      long healedAt = System.nanoTime();
      wire.heal(databasePort);

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> lines().stream().skip(before).anyMatch(line -> END.matcher(line).find()));
      long most = secondsBetween(refused.cutAt(), System.nanoTime()) + 1;
      awaitTwoSweeps();
      List<String> lines = lines().stream().skip(before).toList();
      assertThat(lines.getFirst()).contains("WARN", "the database cannot answer; requests");
      assertThat(lines.getLast()).contains("INFO").containsPattern(END);
      Matcher end = END.matcher(lines.getLast());
      assertThat(end.find()).isTrue();
      long whole = Long.parseLong(end.group(1));
      assertThat(whole).isBetween(secondsBetween(refused.firstAt(), healedAt), most);
      assertThat(Integer.parseInt(end.group(2))).isGreaterThanOrEqualTo(refused.count());
      List<String> amid = lines.subList(1, lines.size() - 1);
      assertThat(amid.size())
          .as(String.join("\n", lines))
          .isGreaterThanOrEqualTo((int) (whole / MINUTE.plus(LATEST_FAILURE).toSeconds()));
      long earliest = 0;
      for (String line : amid) {
        earliest += MINUTE.toSeconds();
        assertThat(line).contains("WARN").containsPattern(AMID);
        Matcher seconds = AMID.matcher(line);
        assertThat(seconds.find()).isTrue();
        assertThat(Long.parseLong(seconds.group(1))).isBetween(earliest, most);
      }
      assertThat(loop("activity-event-relay").path("last_error").asString("")).isNotEmpty();
    }
  }

  private static List<String> lines() {
    return server.output().lines().filter(line -> !isOfAWorkspace(line)).toList();
  }

  private static long secondsBetween(long from, long to) {
    return Duration.ofNanos(to - from).toSeconds();
  }

  /** The requests of many agents that were answered with 503 after the first line. */
  private record Refusals(long cutAt, long firstAt, int count) {}

  private static Refusals refusedIn(Cut cut, Duration outage, int before) throws Exception {
    AtomicLong firstAt = new AtomicLong();
    AtomicInteger refused = new AtomicInteger();
    long cutAt;
    List<Supplier<Answer>> requests = agents.stream().flatMap(OutageLinesTest::requestsOf).toList();
    try (ScheduledExecutorService threads = Executors.newScheduledThreadPool(requests.size())) {
      for (Supplier<Answer> request : requests) {
        Future<?> _ =
            threads.scheduleWithFixedDelay(
                () -> {
                  boolean isSaid = firstAt.get() != 0 || lines().size() > before;
                  if (request.get().status() == 503 && isSaid) {
                    firstAt.compareAndSet(0, System.nanoTime());
                    refused.incrementAndGet();
                  }
                },
                0,
                PAUSE.toMillis(),
                TimeUnit.MILLISECONDS);
      }
      cutAt = System.nanoTime();
      cut.happen();
      Awaitility.await()
          .pollDelay(outage)
          .atMost(Duration.ofMinutes(2))
          .until(() -> refused.get() >= ENOUGH_REFUSALS);
      threads.shutdown();
    }
    return new Refusals(cutAt, firstAt.get(), refused.get());
  }

  private static Stream<Supplier<Answer>> requestsOf(Agent agent) {
    TestClient client = client();
    String path = "/workspaces/" + agent.id();
    String row = "{\"activity_type\":\"agent_log\",\"summary\":\"s\"}";
    String task = "{\"target_id\":\"" + agents.getFirst().id() + "\",\"task\":\"t\"}";
    return Stream.of(
        () -> client.heartbeatOnce(agent),
        () -> client.get("/workspaces", ADMIN_TOKEN),
        () -> client.get(path + "/activity?wait=2", agent.token()),
        () -> client.post(path + "/activity", agent.token(), row),
        () -> client.post(path + "/delegate", agent.token(), task));
  }

  private static void awaitTwoSweeps() {
    long runs = loop("liveness-sweep").path("runs").asLong();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> loop("liveness-sweep").path("runs").asLong() >= runs + 2);
  }

  private static JsonNode loop(String name) {
    for (JsonNode loop : client().get("/admin/liveness", ADMIN_TOKEN).json().path("loops")) {
      if (loop.path("name").asString().equals(name)) {
        return loop;
      }
    }
    throw new AssertionError("no loop " + name);
  }

  private static TestClient client() {
    return server.client();
  }

  /** The line of a status transition, which may come at any heartbeat. */
  private static boolean isOfAWorkspace(String line) {
    return line.contains(" INFO ")
        && (line.contains(" workspace ") || line.contains(" delegation"));
  }
}
