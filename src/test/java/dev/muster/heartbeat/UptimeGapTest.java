package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A server that is killed or stands still for longer than the threshold, while its clients come
 * back at their own pace, makes nobody offline (R5.2, invariant 6).
 */
@Slow
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class UptimeGapTest {

  private static final int AGENTS = 8;
  private static final int STALE_AFTER_S = 6;

  @TempDir Path folder;

  private final TestDatabase database = TestDatabases.create();
  private final SilentFleet fleet = new SilentFleet(database);
  private final Map<String, String> settings =
      Map.of(
          "ADMIN_TOKEN",
          TestServer.ADMIN_TOKEN,
          "DATABASE_URL",
          database.url(),
          "STALE_AFTER_S",
          String.valueOf(STALE_AFTER_S),
          "RECOVERY_GRACE_S",
          "12",
          "LIVENESS_SWEEP_INTERVAL_S",
          "1",
          // else self-preservation would spare them too, and prove nothing of R5.2
          "MASS_OFFLINE_RATIO",
          "1");

  @Test
  void ofAKilledServerIsNobodysFault() throws Exception {
    AtomicReference<TestClient> door = new AtomicReference<>();
    ServerProcess first = ServerProcess.start(folder, settings).awaitReady();
    door.set(first.client());
    List<Agent> agents = createAgents(first.client());
    beatingDuring(
        agents,
        door,
        () -> {
          awaitSweeps(2);
          first.kill();
          awaitSilenceOf(STALE_AFTER_S + 4);
          try (ServerProcess second = ServerProcess.start(folder, settings).awaitReady()) {
            door.set(second.client());
            assertAllStayOnline(agents);
          }
        });
  }

  @Test
  void ofASuspendedServerIsNobodysFault() throws Exception {
    try (ServerProcess server = ServerProcess.start(folder, settings).awaitReady()) {
      AtomicReference<TestClient> door = new AtomicReference<>(server.client());
      List<Agent> agents = createAgents(server.client());
      beatingDuring(
          agents,
          door,
          () -> {
            awaitSweeps(2);
            server.signal("STOP");
            try {
              awaitSilenceOf(STALE_AFTER_S + 4);
            } finally {
              server.signal("CONT");
            }
            assertAllStayOnline(agents);
          });
    }
  }

  private static List<Agent> createAgents(TestClient client) {
    return IntStream.range(0, AGENTS).mapToObj(i -> client.createOnline("a" + i)).toList();
  }

  private interface Outage {
    void happen() throws Exception;
  }

  /** Each agent has a pace of its own, from a beat every second to one every four. */
  private static void beatingDuring(
      List<Agent> agents, AtomicReference<TestClient> door, Outage outage) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<? extends Future<?>> beating =
          IntStream.range(0, agents.size())
              .mapToObj(
                  i -> threads.submit(() -> beatUntil(over, agents.get(i), door, 1000 + 400 * i)))
              .toList();
      try {
        outage.happen();
      } finally {
        over.set(true);
      }
      for (Future<?> one : beating) {
        one.get();
      }
    }
  }

  private static void beatUntil(
      AtomicBoolean over, Agent agent, AtomicReference<TestClient> door, long everyMillis) {
    while (!over.get()) {
      try {
        door.get().heartbeat(agent);
      } catch (IllegalStateException nobodyAtTheDoor) {
        // it tries again in its own time
      }
      LockSupport.parkNanos(Duration.ofMillis(everyMillis).toNanos());
    }
  }

  private void awaitSilenceOf(int seconds) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            database
                .value(
                    "SELECT max(last_heartbeat_at) < clock_timestamp() - make_interval(secs => "
                        + seconds
                        + ") FROM workspace_heartbeats")
                .equals("t"));
  }

  /** Sweeps went on, all agents beat again, and none of them was taken for dead in between. */
  private void assertAllStayOnline(List<Agent> agents) {
    String back = database.value("SELECT clock_timestamp()");
    awaitSweeps(2);
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            database
                .value(
                    "SELECT bool_and(last_heartbeat_at > '" + back + "') FROM workspace_heartbeats")
                .equals("t"));
    awaitSweeps(2);
    assertThat(fleet.events("WORKSPACE_OFFLINE")).isZero();
    assertThat(fleet.count("online")).isEqualTo(agents.size());
  }

  private void awaitSweeps(int more) {
    int before = sweeps();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> sweeps() >= before + more);
  }

  private int sweeps() {
    return Integer.parseInt(
        database.value(
            "SELECT coalesce(sum(runs), 0) FROM job_runs WHERE job = 'liveness-sweep' AND"
                + " last_error IS NULL"));
  }
}
