package dev.muster.heartbeat;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.heartbeat.LivenessSweep.SweepReport;
import dev.muster.platform.postgres.Uptime;
import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** Sweeps of two replicas against heartbeats, many rounds (R4.4, R5.1). */
@Slow
@Tag("sql")
@Timeout(120)
class LivenessRaceTest {

  private static final int AGENTS = 24;
  private static final int HEARTBEATS = Rounds.of(20, 40);
  private static final int SWEEPERS = 4;

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final Instant LONG_AGO = NOW.minus(Duration.ofHours(1));
  private static final Uptime UP_FOR_AGES =
      new Uptime(Instant.EPOCH, Instant.EPOCH, NOW, null, NOW);
  private static final StaleFleet FLEET = new StaleFleet(IdleServer.SERVER.database());

  @Test
  void recordsAChainOfEventsThatTheLastHeartbeatEnds() {
    String[] settings = {"LIVENESS_SWEEP_INTERVAL_S=86400", "MASS_OFFLINE_RATIO=1"};
    try (TestServer first = TestServer.start(settings);
        TestServer second = TestServer.startOn(first.database(), settings)) {
      List<TestClient> clients = List.of(first.client(), second.client());
      List<LivenessSweep> sweeps =
          List.of(first.bean(LivenessSweep.class), second.bean(LivenessSweep.class));
      List<Agent> agents =
          IntStream.range(0, AGENTS).mapToObj(i -> clients.get(0).createOnline("a" + i)).toList();
      AtomicInteger beating = new AtomicInteger(AGENTS);

      List<Integer> taken =
          Race.run(
              AGENTS + SWEEPERS,
              runner -> {
                if (runner < AGENTS) {
                  heartbeat(clients, agents.get(runner));
                  beating.decrementAndGet();
                  return 0;
                }
                return sweepWhile(beating, sweeps.get(runner % 2));
              });

      int offline = taken.stream().mapToInt(Integer::intValue).sum();
      assertThat(offline).isGreaterThan(AGENTS);
      assertThat(new StaleFleet(first.database()).events("WORKSPACE_OFFLINE")).isEqualTo(offline);
      for (Agent agent : agents) {
        assertThat(clients.get(0).heartbeat(agent).field("workspace_status")).isEqualTo("online");
        assertEventsAreAChain(clients.get(0), agent);
      }
    }
  }

  @Test
  void keepsAWorkspaceOnlineWithAHeartbeatBeforeTheLock() throws Exception {
    FLEET.clear();
    FLEET.add(2, "online", NOW);
    UUID beating = FLEET.add("online", NOW.minusSeconds(200));
    UUID silent = FLEET.add("online", NOW.minusSeconds(200));

    SweepReport report =
        sweepAround(
            "last_heartbeat_at = '" + NOW + "'",
            beating,
            () -> IdleServer.SERVER.bean(LivenessSweep.class).sweep(UP_FOR_AGES));

    assertThat(report.takenOffline()).isEqualTo(1);
    assertThat(FLEET.statusOf(beating)).isEqualTo("online");
    assertThat(FLEET.statusOf(silent)).isEqualTo("offline");
  }

  @Test
  void doesNotMarkAsStalledAfterANewTaskBeforeTheLock() throws Exception {
    FLEET.clear();
    UUID busy = FLEET.add("online", NOW);
    set("stalled = false, active_tasks = 1, busy_since = '" + LONG_AGO + "'", busy);

    StallSweep.StallReport report =
        sweepAround("busy_since = '" + NOW + "'", busy, LivenessRaceTest::sweepStalled);

    assertThat(report.begun().moved()).isZero();
    assertThat(FLEET.events("WORKSPACE_STALLED")).isZero();
  }

  @Test
  void doesNotEndAnEpisodeThatContinuesBeforeTheLock() throws Exception {
    FLEET.clear();
    UUID busy = FLEET.add("online", NOW);
    set("active_tasks = 0, busy_since = '" + LONG_AGO + "'", busy);

    StallSweep.StallReport report =
        sweepAround("active_tasks = 1", busy, LivenessRaceTest::sweepStalled);

    assertThat(report.ended().moved()).isZero();
  }

  private static StallSweep.StallReport sweepStalled() {
    return IdleServer.SERVER.bean(StallSweep.class).sweep(UP_FOR_AGES);
  }

  private static void set(String columns, UUID id) {
    FLEET.database().execute(update(columns, id));
  }

  private static String update(String columns, UUID id) {
    return "UPDATE workspace_heartbeats SET " + columns + " WHERE workspace_id = '" + id + "'";
  }

  /**
   * Runs a sweep that finds the due workspaces before this change, and locks their rows after it.
   */
  private static <R> R sweepAround(String change, UUID id, Supplier<R> sweep) throws SQLException {
    try (Connection changing = FLEET.database().connect();
        Statement statement = changing.createStatement()) {
      changing.setAutoCommit(false);
      statement.execute(
          "LOCK TABLE workspace_heartbeats IN EXCLUSIVE MODE"); // does not block readers
      var sweeping = CompletableFuture.supplyAsync(sweep, Thread::startVirtualThread);
      Awaitility.await().until(() -> FLEET.database().lockWaits("workspace_heartbeats") > 0);
      statement.execute(update(change, id));
      changing.commit();
      return sweeping.join();
    }
  }

  private static void heartbeat(List<TestClient> clients, Agent agent) {
    for (int i = 0; i < HEARTBEATS; i++) {
      String health = i % 3 == 0 ? "\"runtime_state\":\"wedged\"" : "\"error_rate\":0";
      assertThat(clients.get(i % 2).heartbeat(agent, health).field("workspace_status"))
          .isIn("online", "degraded");
    }
  }

  /**
   * Sweeps with a clock that is ahead: each workspace is stale unless a heartbeat of it is in
   * progress.
   */
  private static int sweepWhile(AtomicInteger beating, LivenessSweep sweep) {
    int taken = 0;
    while (beating.get() > 0) {
      Instant ahead = Instant.now().plus(Duration.ofHours(1));
      taken +=
          sweep.sweep(new Uptime(Instant.EPOCH, Instant.EPOCH, ahead, null, ahead)).takenOffline();
    }
    return taken;
  }

  private static void assertEventsAreAChain(TestClient client, Agent agent) {
    JsonNode events =
        client.get("/events/" + agent.id() + "?after=0&limit=1000", ADMIN_TOKEN).json();
    String status = "null";
    for (JsonNode event : events) {
      assertThat(event.path("payload").path("previous_status").asString("null"))
          .as(events.toString())
          .isEqualTo(status);
      status = event.path("payload").path("status").asString();
    }
    assertThat(status).isEqualTo("online");
  }
}
