package dev.muster.heartbeat;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Thousands of stale workspaces on servers that sweep by themselves (R5.1, R5.3). */
@Slow
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class MassSilenceTest {

  private static final int FLEET = Rounds.of(2_000, 10_000);
  private static final int STALE_AFTER_S = 5;
  private static final int INTERVAL_S = 1;
  private static final int GRACE_S = 2 * STALE_AFTER_S;

  /** A sweep of all workspaces takes long on a busy machine. */
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  private static final String[] SETTINGS = {
    "STALE_AFTER_S=" + STALE_AFTER_S,
    "LIVENESS_SWEEP_INTERVAL_S=" + INTERVAL_S,
    // a pause of the machine is an uptime gap, which would spare all for six minutes
    "RECOVERY_GRACE_S=" + GRACE_S
  };

  private final TestDatabase database = TestDatabases.create();
  private final StaleFleet fleet = new StaleFleet(database);

  @Test
  void isHeldPublishedOnceAndEndsByItselfAfterATakeover() {
    JsonNode heldBefore;
    try (TestServer first = TestServer.startOn(database, SETTINGS)) {
      fleet.addMany(FLEET, "online", "now()");
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> selfPreservation(first).path("suspended").asBoolean());
      heldBefore = selfPreservation(first);
      assertThat(Instant.parse(heldBefore.path("until").asString()))
          .isEqualTo(Instant.parse(heldBefore.path("since").asString()).plusSeconds(600));
      assertThat(suspendedMetric(first)).isEqualTo("1.0");
    }
    try (TestServer second = TestServer.startOn(database, SETTINGS)) {
      awaitRunsBeyond(second, runs(second) + 2);
      assertThat(selfPreservation(second)).isEqualTo(heldBefore);
      assertThat(fleet.count("online")).isEqualTo(FLEET);
      assertThat(fleet.events("LIVENESS_SUSPENDED")).isEqualTo(1);

      database.execute(
          "UPDATE workspace_heartbeats SET last_heartbeat_at = now() + interval '1 hour'");
      Awaitility.await()
          .atMost(TIMEOUT)
          .until(() -> !selfPreservation(second).path("suspended").asBoolean());
      assertThat(selfPreservation(second).path("since").isNull()).isTrue();
      assertThat(suspendedMetric(second)).isEqualTo("0.0");
      assertThat(fleet.events("LIVENESS_SUSPENDED")).isEqualTo(1);
      assertThat(fleet.events("WORKSPACE_OFFLINE")).isZero();
    }
  }

  @Test
  void stillTakesASingleStaleWorkspaceOffline() throws Exception {
    try (TestServer server = TestServer.startOn(database, SETTINGS);
        MachinePauses pauses = new MachinePauses()) {
      fleet.addMany(FLEET, "online", "now() + interval '1 hour'");
      Awaitility.await().until(() -> runs(server) > 1);
      Instant lastHeartbeatAt =
          Instant.parse(
              database.value(
                  "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"));
      UUID dead = fleet.add("online", lastHeartbeatAt);

      Awaitility.await().atMost(TIMEOUT).until(() -> fleet.statusOf(dead).equals("offline"));

      assertThat(fleet.count("online")).isEqualTo(FLEET);
      double took =
          Double.parseDouble(
              database.value(
                  """
                  SELECT extract(epoch FROM status_since - greatest(
                      last_heartbeat_at + interval '%d s',
                      CASE WHEN up_since > last_heartbeat_at THEN up_since + interval '%d s' END))
                  FROM workspace_heartbeats, control_plane_uptime WHERE status = 'offline'
                  """
                      .formatted(STALE_AFTER_S, GRACE_S)));
      double slack = 2 + pauses.longest().toMillis() / 1000.0;
      assertThat(took).as("s after it was due").isBetween(0.0, INTERVAL_S + slack);
    }
  }

  private static void awaitRunsBeyond(TestServer server, int runs) {
    Awaitility.await().atMost(TIMEOUT).until(() -> runs(server) > runs);
  }

  private static int runs(TestServer server) {
    for (JsonNode loop : liveness(server).path("loops")) {
      if (loop.path("name").asString().equals("liveness-sweep")) {
        return loop.path("runs").asInt();
      }
    }
    return 0;
  }

  private static JsonNode selfPreservation(TestServer server) {
    return liveness(server).path("self_preservation");
  }

  private static JsonNode liveness(TestServer server) {
    return server.client().get("/admin/liveness", ADMIN_TOKEN).json();
  }

  private static String suspendedMetric(TestServer server) {
    return server
        .metrics()
        .lines()
        .filter(line -> line.startsWith("muster_liveness_suspended "))
        .map(line -> line.substring(line.lastIndexOf(' ') + 1))
        .findFirst()
        .orElse("");
  }
}
