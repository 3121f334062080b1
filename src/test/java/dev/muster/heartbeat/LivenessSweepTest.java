package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.heartbeat.LivenessSweep.SweepReport;
import dev.muster.platform.postgres.Uptime;
import dev.muster.testing.OwnLog;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Which workspaces a sweep takes offline at a given time (R5.1, R5.2). */
@Slow
class LivenessSweepTest {

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final Instant UP_FOR_AGES = NOW.minus(Duration.ofDays(7));
  private static final Duration STALE = Duration.ofMinutes(3);
  private static final Duration GRACE = Duration.ofMinutes(6);

  /** The smallest difference of the database's times. */
  private static final Duration MICRO = Duration.ofNanos(1000);

  private final StaleFleet fleet = new StaleFleet(IdleServer.SERVER.database());
  private final LivenessSweep sweep = IdleServer.SERVER.bean(LivenessSweep.class);

  @BeforeEach
  void removeAllWorkspaces() {
    fleet.clear();
  }

  @Test
  void keepsAWorkspaceAtExactlyTheStaleTime() {
    UUID silent = fleet.add("online", NOW.minus(STALE));

    assertThat(sweepAt(NOW).takenOffline()).isZero();
    assertThat(fleet.statusOf(silent)).isEqualTo("online");
  }

  @Test
  void takesAStaleWorkspaceOfflineAndRecordsSinceWhen() {
    Instant lastHeartbeatAt = NOW.minus(STALE).minus(MICRO);
    UUID silent = fleet.add("online", lastHeartbeatAt);

    assertThat(sweepAt(NOW).takenOffline()).isEqualTo(1);

    assertThat(fleet.statusOf(silent)).isEqualTo("offline");
    JsonNode event =
        IdleServer.SERVER.client().events(silent, "WORKSPACE_OFFLINE").path(0).path("payload");
    assertThat(Instant.parse(event.path("last_heartbeat_at").asString()))
        .isEqualTo(lastHeartbeatAt);
    assertThat(event.path("silent_for_s").asInt()).isEqualTo(180);
    assertThat(event.path("status").asString()).isEqualTo("offline");
    assertThat(event.path("previous_status").asString()).isEqualTo("online");
  }

  @Test
  void takesDegradedWorkspacesOfflineAndClearsTheirReason() {
    UUID silent = fleet.add("degraded", NOW.minus(STALE).minus(MICRO));

    assertThat(sweepAt(NOW).takenOffline()).isEqualTo(1);

    assertThat(
            fleet
                .database()
                .value(
                    """
                    SELECT concat_ws(' ', status, coalesce(degraded_reason, 'none'), stalled, coalesce(busy_since::text, 'idle'),
                        status_since > now() - interval '1 minute')
                    FROM workspace_heartbeats WHERE workspace_id = '%s'
                    """
                        .formatted(silent)))
        .isEqualTo("offline none f idle t");
    JsonNode event = IdleServer.SERVER.client().events(silent, "WORKSPACE_OFFLINE").path(0);
    assertThat(event.path("payload").path("previous_status").asString()).isEqualTo("degraded");
  }

  @Test
  void skipsWorkspacesOfOtherStatuses() {
    for (String status : List.of("paused", "awaiting_agent", "offline", "failed", "removed")) {
      UUID other = fleet.add(status, NOW.minus(Duration.ofDays(3)));

      assertThat(sweepAt(NOW).takenOffline()).as(status).isZero();
      assertThat(fleet.statusOf(other)).isEqualTo(status);
    }
    assertThat(fleet.events("WORKSPACE_OFFLINE")).isZero();
  }

  @Test
  void publishesOneEventForEach() {
    fleet.add(7, "online", NOW.minusSeconds(200));
    fleet.add(20, "online", NOW);

    assertThat(sweepAt(NOW).takenOffline()).isEqualTo(7);
    assertThat(sweepAt(NOW).takenOffline()).isZero();

    assertThat(fleet.events("WORKSPACE_OFFLINE")).isEqualTo(7);
  }

  @Test
  void boundsATransaction() {
    fleet.add(2_500, "online", NOW.minusSeconds(200));
    fleet.add(2_500, "online", NOW);

    SweepReport report = sweepAt(NOW);

    assertThat(report.takenOffline()).isEqualTo(2_500);
    int batches = Math.ceilDiv(2_500, BatchedTransitions.BATCH_SIZE);
    assertThat(BatchedTransitions.BATCH_SIZE).isLessThanOrEqualTo(1_000);
    assertThat(report.summary().batches()).isEqualTo(batches);
    assertThat(fleet.count("offline")).isEqualTo(2_500);
    assertThat(fleet.events("WORKSPACE_OFFLINE")).isEqualTo(2_500);
    int transactions =
        Integer.parseInt(
            fleet
                .database()
                .value(
                    "SELECT count(DISTINCT xmin::text) FROM workspace_heartbeats WHERE status ="
                        + " 'offline'"));
    assertThat(transactions).isEqualTo(batches);
  }

  @Test
  void takesAllOfflineButTheOneThatCannotBeChanged() {
    fleet.add(150, "online", NOW.minusSeconds(200));
    UUID poisoned = fleet.add("online", NOW.minusSeconds(200));
    fleet.add(160, "online", NOW);
    try (Poison poison =
        Poison.check(
            IdleServer.SERVER,
            "liveness-sweep",
            "workspace_heartbeats",
            "status <> 'offline' OR workspace_id <> '" + poisoned + "'")) {
      SweepReport report = sweepAt(NOW);

      assertThat(report.takenOffline()).isEqualTo(150);
      assertThat(report.summary().failed()).isEqualTo(1);
      assertThat(sweepAt(NOW).takenOffline()).isZero();
      assertThat(poison.lines(poisoned.toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
      assertThat(metric("muster_sweep_errors_total{sweep=\"liveness\"}")).isPositive();
    }
  }

  @Test
  void skipsALockedRowUntilTheNextSweep() throws Exception {
    UUID held = fleet.add("online", NOW.minusSeconds(200));
    UUID free = fleet.add("online", NOW.minusSeconds(200));
    try (var connection = fleet.database().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM workspace_heartbeats WHERE workspace_id = '" + held + "' FOR UPDATE");

      assertThat(sweepAt(NOW).takenOffline()).isEqualTo(1);
      assertThat(fleet.statusOf(free)).isEqualTo("offline");
      connection.rollback();
    }
    assertThat(sweepAt(NOW).takenOffline()).isEqualTo(1);
    assertThat(fleet.statusOf(held)).isEqualTo("offline");
  }

  @Test
  void sparesHeartbeatsBeforeTheUptimeGapDuringTheGrace() {
    Instant upSince = NOW;
    UUID lastHeartbeatBefore = fleet.add("online", upSince.minus(MICRO));

    assertThat(sweepAt(upSince.plus(GRACE).minus(MICRO), upSince).takenOffline()).isZero();
    assertThat(fleet.statusOf(lastHeartbeatBefore)).isEqualTo("online");

    assertThat(sweepAt(upSince.plus(GRACE), upSince).takenOffline()).isEqualTo(1);
    assertThat(fleet.statusOf(lastHeartbeatBefore)).isEqualTo("offline");
  }

  @Test
  void takesWorkspacesWithAHeartbeatAfterTheGapOffline() {
    Instant upSince = NOW;
    UUID lastHeartbeatSince = fleet.add("online", upSince);

    assertThat(sweepAt(upSince.plus(STALE), upSince).takenOffline()).isZero();
    assertThat(sweepAt(upSince.plus(STALE).plus(MICRO), upSince).takenOffline()).isEqualTo(1);
    assertThat(fleet.statusOf(lastHeartbeatSince)).isEqualTo("offline");
  }

  @Test
  void isCountedByItsReasonAfterTheCommit() {
    double before = transitions();
    fleet.add(3, "online", NOW.minusSeconds(200));

    sweepAt(NOW);

    assertThat(transitions() - before).isEqualTo(3);
  }

  @Test
  void logsOneLineWhenItTookAWorkspaceOffline() {
    IdleServer.beUpForADay();

    List<String> ofSome =
        OwnLog.of(
            LivenessSweep.class,
            () -> {
              fleet.clear();
              fleet.add(20, "online", Instant.now());
              fleet.add(3, "online", Instant.now().minus(Duration.ofHours(1)));
              sweep.run();
            });
    assertThat(fleet.count("offline")).isEqualTo(3);
    assertThat(ofSome).containsExactly("INFO took 3 stale workspaces offline");

    assertThat(OwnLog.of(LivenessSweep.class, sweep::run)).isEmpty();
  }

  private SweepReport sweepAt(Instant now) {
    return sweepAt(now, UP_FOR_AGES);
  }

  private SweepReport sweepAt(Instant now, Instant upSince) {
    return sweep.sweep(new Uptime(upSince, upSince, now, null, now));
  }

  private static double transitions() {
    return metric(
        "muster_status_transitions_total{from=\"online\",reason=\"silence\",to=\"offline\"}");
  }

  private static double metric(String name) {
    return IdleServer.SERVER
        .metrics()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }
}
