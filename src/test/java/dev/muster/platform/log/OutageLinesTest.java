package dev.muster.platform.log;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** A database outage has a line at its beginning, one each minute, and one at its end. */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class OutageLinesTest {

  private static final int ENOUGH_REFUSALS = 50;

  /** Longer than any wait for the database, so that each request has failed by then. */
  private static final Duration SHORT = Duration.ofSeconds(12);

  private static final Duration MORE_THAN_A_MINUTE = Duration.ofSeconds(70);
  private static final Pattern END =
      Pattern.compile("answers again, after ([0-9]+) s; ([0-9]+) requests");

  @TempDir private Path home = Path.of("");

  private interface Cut {
    void happen(TcpRelay wire) throws Exception;
  }

  @Test
  void areThreeForAnOutageOfMoreThanAMinute() throws Exception {
    assertLinesFor(TcpRelay::swallow, MORE_THAN_A_MINUTE);
  }

  @Test
  void areTwoForAShorterOutage() throws Exception {
    assertLinesFor(
        wire -> {
          try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            wire.heal(closed.getLocalPort());
          }
        },
        SHORT);
  }

  private void assertLinesFor(Cut cut, Duration outage) throws Exception {
    TestDatabase database = TestDatabases.create();
    int port = URI.create(database.url().substring("jdbc:".length())).getPort();
    try (TcpRelay wire = new TcpRelay(port)) {
      Map<String, String> settings =
          Map.of(
              "DATABASE_URL",
              database.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/"),
              "ADMIN_TOKEN",
              ADMIN_TOKEN,
              "LIVENESS_SWEEP_INTERVAL_S",
              "1",
              "DELEGATION_SWEEPER_INTERVAL_S",
              "1");
      try (ServerProcess server = ServerProcess.start(home, settings).awaitReady()) {
        TestClient client = server.client();
        List<Agent> agents =
            IntStream.range(0, 5).mapToObj(n -> client.createOnline("a" + n)).toList();
        try (TestSocket all = TestSocket.open(client, "/ws?after=0", ADMIN_TOKEN)) {
          all.await("WORKSPACE_ONLINE");
          // a server is ready a moment before its last line about its start
          Awaitility.await().until(() -> server.output().contains("Started "));
          long before = server.output().lines().filter(line -> !isOfAWorkspace(line)).count();

          int refused = refusedIn(cut, outage, wire, client, agents);
          wire.heal(port);

          Awaitility.await()
              .atMost(Duration.ofSeconds(60))
              .until(() -> server.output().contains("the database answers again"));
          awaitTwoSweeps(client);
          List<String> lines =
              server.output().lines().filter(line -> !isOfAWorkspace(line)).skip(before).toList();
          assertThat(lines).as(String.join("\n", lines)).hasSizeBetween(2, 4);
          assertThat(lines.getFirst()).contains("WARN", "the database cannot answer; requests");
          assertThat(lines.getLast()).contains("INFO").containsPattern(END);
          Matcher end = END.matcher(lines.getLast());
          assertThat(end.find()).isTrue();
          int seconds = Integer.parseInt(end.group(1));
          assertThat(seconds).isGreaterThanOrEqualTo((int) outage.toSeconds() - 5);
          assertThat(Integer.parseInt(end.group(2))).isGreaterThanOrEqualTo(refused);
          // an outage ends after a while without failures, in which a minute may end as well
          assertThat(lines.subList(1, lines.size() - 1))
              .hasSizeBetween(seconds / 60, (seconds + 6) / 60)
              .allSatisfy(line ->
                  assertThat(line).contains("WARN").containsPattern("for [0-9]+ s by now; [0-9]+"));
          assertThat(loop(client, "activity-event-relay").path("last_error").asString(""))
              .isNotEmpty();
        }
      }
    }
  }

  /** How many requests of many agents were answered with 503 during the outage. */
  private static int refusedIn(
      Cut cut, Duration outage, TcpRelay wire, TestClient client, List<Agent> agents)
      throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger refused = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Agent agent : agents) {
        String path = "/workspaces/" + agent.id();
        String row = "{\"activity_type\":\"agent_log\",\"summary\":\"s\"}";
        String task = "{\"target_id\":\"" + agents.getFirst().id() + "\",\"task\":\"t\"}";
        List<Supplier<Answer>> requests =
            List.of(
                () -> client.heartbeat(agent),
                () -> client.get("/workspaces", ADMIN_TOKEN),
                () -> client.get(path + "/activity?wait=2", agent.token()),
                () -> client.post(path + "/activity", agent.token(), row),
                () -> client.post(path + "/delegate", agent.token(), task));
        for (Supplier<Answer> request : requests) {
          threads.execute(() -> {
            while (!over.get()) {
              if (request.get().status() == 503) {
                refused.incrementAndGet();
              }
            }
          });
        }
      }
      try {
        cut.happen(wire);
        Awaitility.await()
            .pollDelay(outage)
            .atMost(Duration.ofMinutes(2))
            .until(() -> refused.get() >= ENOUGH_REFUSALS);
      } finally {
        over.set(true);
      }
    }
    return refused.get();
  }

  private static void awaitTwoSweeps(TestClient client) {
    long runs = loop(client, "liveness-sweep").path("runs").asLong();
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> loop(client, "liveness-sweep").path("runs").asLong() >= runs + 2);
  }

  private static JsonNode loop(TestClient client, String name) {
    for (JsonNode loop : client.get("/admin/liveness", ADMIN_TOKEN).json().path("loops")) {
      if (loop.path("name").asString().equals(name)) {
        return loop;
      }
    }
    throw new AssertionError("no loop " + name);
  }

  /** The line of a status transition, which may come at any heartbeat. */
  private static boolean isOfAWorkspace(String line) {
    return line.contains(" INFO ")
        && (line.contains(" workspace ") || line.contains(" delegation"));
  }
}
