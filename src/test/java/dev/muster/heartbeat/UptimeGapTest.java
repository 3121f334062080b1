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

/**
 * A server is stopped or killed for longer than the stale time, while its clients reconnect at
 * their own pace: no workspace goes offline (R5.2).
 */
@Slow
@Timeout(300)
class UptimeGapTest {

  private static final int AGENTS = 8;
  private static final int STALE_AFTER_S = 6;

  @TempDir Path folder;

  private final TestDatabase database = TestDatabases.create();
  private static final String[] SETTINGS = {
    "STALE_AFTER_S=" + STALE_AFTER_S,
    "RECOVERY_GRACE_S=12",
    "LIVENESS_SWEEP_INTERVAL_S=1",
    // otherwise self-preservation would spare them too, and R5.2 would not be tested
    "MASS_OFFLINE_RATIO=1",
  };

  @Test
  void ofASuspendedAndOfAKilledServerTakesNoWorkspaceOffline() throws Exception {
    try (ServerProcess first =
        ServerProcess.start(folder, ServerProcess.settings(database.url(), SETTINGS))
            .awaitReady()) {
      AtomicReference<TestClient> door = new AtomicReference<>(first.client());
      List<Agent> agents = createAgents(first.client());
      heartbeatsDuring(
          agents,
          door,
          () -> {
            awaitSweeps(2);
            first.signal("STOP");
            String back;
            try {
              back = awaitSilenceOf(STALE_AFTER_S + 4);
            } finally {
              first.signal("CONT");
            }
            assertOutageTookNoneOffline(back);

            first.kill();
            back = awaitSilenceOf(STALE_AFTER_S + 4);
            try (TestServer second = TestServer.startOn(database, SETTINGS)) {
              door.set(second.client());
              assertOutageTookNoneOffline(back);
            }
          });
    }
  }

  private static List<Agent> createAgents(TestClient client) {
    return IntStream.range(0, AGENTS).mapToObj(i -> client.createOnline("a" + i)).toList();
  }

  private interface Outage {
    void happen() throws Exception;
  }

  /**
   * Runs agents of different rates during the outage. The slowest sends every 2.75 s, so at least
   * 3.25 s are left until it is stale: more than the shortest uptime gap, of 3 s.
   */
  private static void heartbeatsDuring(
      List<Agent> agents, AtomicReference<TestClient> door, Outage outage) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<? extends Future<?>> beating =
          IntStream.range(0, agents.size())
              .mapToObj(
                  i -> threads.submit(() -> sendUntil(over, agents.get(i), door, 1000 + 250 * i)))
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

  private static void sendUntil(
      AtomicBoolean over, Agent agent, AtomicReference<TestClient> door, long everyMillis) {
    while (!over.get()) {
      try {
        door.get().heartbeat(agent);
      } catch (IllegalStateException unreachable) {
        // it tries again at its own rate
      }
      LockSupport.parkNanos(Duration.ofMillis(everyMillis).toNanos());
    }
  }

  /** Returns the time at which the silence was long enough. */
  private String awaitSilenceOf(int seconds) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                database.value(
                    "SELECT CASE WHEN max(last_heartbeat_at) < clock_timestamp() -"
                        + " make_interval(secs => "
                        + seconds
                        + ") THEN clock_timestamp() END FROM workspace_heartbeats"),
            time -> !time.equals("null"));
  }

  /**
   * Asserts that sweeps ran, all agents sent heartbeats again, and the silence until {@code back}
   * took none of them offline.
   *
   * <p>Silence after it counts as always: a pause of this process can make an agent stale.
   */
  private void assertOutageTookNoneOffline(String back) {
    awaitSweeps(2);
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            database
                .value(
                    "SELECT bool_and(last_heartbeat_at > '"
                        + back
                        + "' AND status = 'online') FROM workspace_heartbeats")
                .equals("t"));
    awaitSweeps(2);
    assertThat(
            database.value(
                """
                SELECT string_agg(payload::text, ' ') FROM events
                WHERE event_type = 'WORKSPACE_OFFLINE' AND created_at > '%1$s'
                  AND (payload->>'last_heartbeat_at')::timestamptz < '%1$s'
                """
                    .formatted(back)))
        .isEqualTo("null");
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
