package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The database goes away under load: requests get 503 in time, no acknowledged write is lost, and
 * the server recovers by itself (R0.6).
 */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class DatabaseOutageTest {

  private static final int AGENTS = 20;

  /**
   * Sends heartbeats and reports in turn without a pause, and records the answers; heartbeats have
   * a growing number as their uptime, reports as their duration.
   */
  private static final class SendingAgent {
    private final Agent agent;
    private final AtomicLong acknowledged = new AtomicLong();
    private final List<Long> reported = new ArrayList<>();
    private final List<Answer> refusals = new ArrayList<>();
    private Duration slowest = Duration.ZERO;

    SendingAgent(Agent agent) {
      this.agent = agent;
    }

    Void sendUntil(AtomicBoolean over, TestClient client) {
      for (long number = 1; !over.get(); number++) {
        long start = System.nanoTime();
        boolean heartbeats = number % 2 == 1;
        Answer answer =
            heartbeats
                ? client.heartbeatOnce(agent, "\"uptime_seconds\":" + number)
                : report(client, "\"duration_ms\":" + number);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        slowest = took.compareTo(slowest) > 0 ? took : slowest;
        if (answer.status() != 200) {
          refusals.add(answer);
        } else if (heartbeats) {
          acknowledged.set(number);
        } else {
          reported.add(number);
        }
      }
      return null;
    }

    private Answer report(TestClient client, String field) {
      return client.post(
          "/workspaces/" + agent.id() + "/activity",
          agent.token(),
          "{\"activity_type\":\"agent_log\"," + field + "}");
    }
  }

  @TempDir Path folder;

  private MachinePauses pauses;

  private MusterHome home;
  private EmbeddedDatabase postgres;
  private TcpRelay wire;
  private TestServer server;
  private TestClient client;

  @BeforeEach
  void start() throws Exception {
    pauses = new MachinePauses();
    home = MusterHome.open(TestHomes.used(folder));
    postgres = EmbeddedDatabase.start(home);
    wire = new TcpRelay(portOf(postgres));
    String url = postgres.jdbcUrl().replaceFirst(":\\d+/", ":" + wire.port() + "/");
    server =
        TestServer.startOn(
            new TestDatabase(
                url + "?user=" + postgres.user() + "&password=" + postgres.password()));
    client = server.client();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
    wire.close();
    postgres.close();
    home.close();
    pauses.close();
  }

  @Test
  void survivesAKillOfTheDatabaseUnderLoad() throws Exception {
    assertNothingAcknowledgedIsLostIn(() -> {
      killPostmaster();
      postgres = EmbeddedDatabase.start(home);
      wire.heal(portOf(postgres));
    });
  }

  @Test
  void survivesADatabaseThatNeverAnswers() throws Exception {
    assertNothingAcknowledgedIsLostIn(() -> {
      wire.swallow();
      for (String path : List.of("/health", "/actuator/health/liveness")) {
        assertThat(client.get(path, null).status()).as(path).isEqualTo(200);
      }
      for (String path : List.of("/ready", "/actuator/health")) {
        long start = System.nanoTime();
        assertThat(client.get(path, null).status()).as(path).isEqualTo(503);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(limit());
      }
      wire.heal(portOf(postgres));
    });
  }

  /** The time limit of a response (R0.6) on this machine. */
  private Duration limit() {
    return Duration.ofSeconds(5).plus(pauses.longest());
  }

  private interface Outage {
    void happen() throws Exception;
  }

  private void assertNothingAcknowledgedIsLostIn(Outage outage) throws Exception {
    List<SendingAgent> fleet = new ArrayList<>();
    for (int i = 0; i < AGENTS; i++) {
      fleet.add(new SendingAgent(client.createOnline("a" + i)));
    }
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Void>> beating =
          fleet.stream().map(one -> threads.submit(() -> one.sendUntil(over, client))).toList();
      try {
        Awaitility.await().until(() -> fleet.stream().allMatch(one -> one.acknowledged.get() > 3));
        outage.happen();
        Awaitility.await()
            .atMost(Duration.ofSeconds(30))
            .until(() -> client.get("/ready", null).status() == 200);
        List<Long> afterOutage = fleet.stream().map(one -> one.acknowledged.get()).toList();
        Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> isBeyond(fleet, afterOutage));
      } finally {
        over.set(true);
      }
      for (Future<Void> one : beating) {
        one.get();
      }
    }
    for (SendingAgent one : fleet) {
      assertThat(client.read(one.agent).path("uptime_seconds").asLong())
          .isGreaterThanOrEqualTo(one.acknowledged.get());
      assertThat(stored(one)).containsAll(one.reported);
      assertThat(one.slowest).isLessThan(limit());
      assertThat(one.refusals)
          .allSatisfy(refusal -> {
            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal.field("code")).isEqualTo("UNAVAILABLE");
            assertThat(refusal.header("Retry-After")).isEqualTo("5");
            assertThat(refusal.text())
                .doesNotContainIgnoringCase("postgres")
                .doesNotContain("127.0.0.1");
          });
    }
    assertThat(fleet).anySatisfy(one -> assertThat(one.refusals).isNotEmpty());
  }

  /** The numbers of the reports that are in the feed. */
  private List<Long> stored(SendingAgent one) {
    String numbers =
        server
            .database()
            .value(
                "SELECT string_agg(duration_ms::text, ' ') FROM activity_logs WHERE workspace_id ="
                    + " '%s'".formatted(one.agent.id()));
    return Arrays.stream(numbers.split(" ", -1)).map(Long::valueOf).toList();
  }

  private static boolean isBeyond(List<SendingAgent> fleet, List<Long> before) {
    for (int i = 0; i < fleet.size(); i++) {
      if (fleet.get(i).acknowledged.get() <= before.get(i)) {
        return false;
      }
    }
    return true;
  }

  private void killPostmaster() throws Exception {
    Path pidFile = folder.resolve("home/postgres/data/postmaster.pid");
    ProcessHandle postmaster =
        ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile).getFirst().strip()))
            .orElseThrow();
    postmaster.destroyForcibly();
    postmaster.onExit().get();
  }

  private static int portOf(EmbeddedDatabase database) {
    return URI.create(database.jdbcUrl().substring("jdbc:".length())).getPort();
  }
}
