package dev.muster.heartbeat;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.heartbeat.BatchedTransitions.TransitionSummary;
import dev.muster.platform.postgres.Uptime;
import dev.muster.testing.OwnLog;
import dev.muster.testing.Poison;
import dev.muster.testing.Race;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Which workspaces are stalled at a given time, with one event for each episode (R5.4). */
class StallSweepTest {

  private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
  private static final Instant UP_FOR_AGES = NOW.minus(Duration.ofDays(7));
  private static final Duration STALE = Duration.ofMinutes(3);
  private static final Duration STALLED = Duration.ofMinutes(12);
  private static final Duration MICRO = Duration.ofNanos(1000);
  private static final Instant LONG_AGO = NOW.minus(STALLED).minus(MICRO);

  private final StaleFleet fleet = new StaleFleet(IdleServer.SERVER.database());
  private final StallSweep sweep = IdleServer.SERVER.bean(StallSweep.class);

  @BeforeEach
  void removeAllWorkspaces() {
    fleet.clear();
  }

  @Test
  void marksABusyWorkspaceWithoutRowsOnce() {
    UUID silent = busy("online", NOW, LONG_AGO);

    assertThat(sweepAt(NOW, UP_FOR_AGES).stalled()).containsExactly(silent);
    assertThat(begunAt(NOW.plusSeconds(15))).isZero();

    JsonNode workspace =
        IdleServer.SERVER.client().get("/workspaces/" + silent, ADMIN_TOKEN).json();
    assertThat(workspace.path("stalled").asBoolean()).isTrue();
    assertThat(workspace.path("stalled_since").asString()).isEqualTo("2026-03-01T10:00:00Z");
    assertThat(workspace.path("status").asString()).isEqualTo("online");
    JsonNode events = IdleServer.SERVER.client().events(silent, "WORKSPACE_STALLED");
    assertThat(events.size()).isEqualTo(1);
    assertThat(events.path(0).path("payload").toString())
        .isEqualTo(
            """
            {"name":"%s","active_tasks":2,"current_task":"reviewing","busy_since":"2026-03-01T09:47:59.999999Z",\
            "silent_for_s":720,"stalled_since":"2026-03-01T10:00:00Z","status":"online","previous_status":"online","status_since":"%s","degraded_reason":null}\
            """
                .formatted(
                    workspace.path("name").asString(), workspace.path("status_since").asString()));
  }

  @Test
  void marksAllButTheOneThatCannotBeChanged() {
    UUID poisoned = busy("online", NOW, LONG_AGO);
    UUID other = busy("online", NOW, LONG_AGO);
    try (Poison poison =
        Poison.check(
            IdleServer.SERVER,
            "stall-sweep",
            "workspace_heartbeats",
            "NOT stalled OR workspace_id <> '" + poisoned + "'")) {
      Uptime uptime = new Uptime(UP_FOR_AGES, UP_FOR_AGES, NOW, null, NOW);
      assertThat(sweep.sweep(uptime).stalled()).containsExactly(other);
      assertThat(sweep.sweep(uptime).begun().moved()).isZero();

      assertThat(isStalled(poisoned)).isFalse();
      assertThat(poison.lines(poisoned.toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  @Test
  void endsAllButTheOneThatCannotBeChanged() {
    UUID poisoned = busy("online", NOW, LONG_AGO);
    UUID other = busy("online", NOW, LONG_AGO);
    sweepAt(NOW, UP_FOR_AGES);
    set("active_tasks = 0", poisoned);
    set("active_tasks = 0", other);
    try (Poison poison =
        Poison.check(
            IdleServer.SERVER,
            "stall-sweep",
            "workspace_heartbeats",
            "stalled OR workspace_id <> '" + poisoned + "'")) {
      Uptime uptime = new Uptime(UP_FOR_AGES, UP_FOR_AGES, NOW, null, NOW);
      assertThat(sweep.sweep(uptime).ended().moved()).isEqualTo(1);
      assertThat(sweep.sweep(uptime).ended().moved()).isZero();

      assertThat(isStalled(other)).isFalse();
      assertThat(isStalled(poisoned)).isTrue();
      assertThat(poison.lines(poisoned.toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  @Test
  void keepsAWorkspaceAtExactlyTheStalledTime() {
    UUID silent = busy("online", NOW, NOW.minus(STALLED));

    assertThat(begunAt(NOW)).isZero();
    assertThat(isStalled(silent)).isFalse();
  }

  @Test
  void marksOnlineAndDegradedWorkspacesOnly() {
    UUID degraded = busy("degraded", NOW, LONG_AGO);
    for (String status : List.of("paused", "awaiting_agent", "offline", "failed", "removed")) {
      busy(status, NOW, LONG_AGO);
    }

    assertThat(begunAt(NOW)).isEqualTo(1);
    assertThat(isStalled(degraded)).isTrue();
    assertThat(fleet.statusOf(degraded)).isEqualTo("degraded");
  }

  @Test
  void skipsAWorkspaceWithoutATask() {
    UUID idle = busy("online", NOW, LONG_AGO);
    set("active_tasks = 0", idle);

    assertThat(begunAt(NOW)).isZero();
  }

  @Test
  void leavesAStaleWorkspaceToTheLivenessSweep() {
    busy("online", NOW.minus(STALE).minus(MICRO), LONG_AGO);
    assertThat(begunAt(NOW)).isZero();

    busy("online", NOW.minus(STALE), LONG_AGO);
    assertThat(begunAt(NOW)).isEqualTo(1);
  }

  @Test
  void countsFromItsLastOwnRow() {
    UUID talking = busy("online", NOW, NOW.minus(Duration.ofHours(1)));
    wroteAt(talking, NOW.minus(STALLED));

    assertThat(begunAt(NOW)).isZero();
    assertThat(begunAt(NOW.plus(MICRO))).isEqualTo(1);

    JsonNode event = IdleServer.SERVER.client().events(talking, "WORKSPACE_STALLED").path(0);
    assertThat(event.path("payload").path("silent_for_s").asInt()).isEqualTo(720);
  }

  @Test
  void countsFromTheStartOfTheWorkWhenTheLastRowIsOlder() {
    UUID startedLately = busy("online", NOW, NOW.minus(STALLED));
    wroteAt(startedLately, NOW.minus(Duration.ofHours(1)));

    assertThat(begunAt(NOW)).isZero();
  }

  @Test
  void ignoresUptimeGaps() {
    Instant upSince = NOW.minus(STALLED);
    UUID silent = busy("online", NOW, NOW.minus(Duration.ofHours(1)));

    assertThat(begunAt(NOW, upSince)).isZero();
    assertThat(isStalled(silent)).isFalse();

    assertThat(begunAt(NOW.plus(MICRO), upSince)).isEqualTo(1);
  }

  @Test
  void endsNoEpisodeForAnUptimeGap() {
    UUID silent = busy("online", NOW, LONG_AGO);
    sweepAt(NOW, UP_FOR_AGES);

    StallSweep.StallReport report = sweepAt(NOW, NOW);

    assertThat(report.ended().moved()).isZero();
    assertThat(isStalled(silent)).isTrue();
  }

  @Test
  void endsAnEpisodeAtARowAndBeginsTheNext() {
    UUID silent = busy("online", NOW, LONG_AGO);
    sweepAt(NOW, UP_FOR_AGES);
    wroteAt(silent, NOW.plusSeconds(1));

    StallSweep.StallReport report = sweepAt(NOW.plusSeconds(15), UP_FOR_AGES);

    assertThat(report.ended().moved()).isEqualTo(1);
    assertThat(report.begun().moved()).isZero();
    assertThat(isStalled(silent)).isFalse();
    assertThat(fleet.events("WORKSPACE_STALLED")).isEqualTo(1);
    JsonNode workspace =
        IdleServer.SERVER.client().get("/workspaces/" + silent, ADMIN_TOKEN).json();
    assertThat(workspace.path("stalled_since").isNull()).isTrue();
    JsonNode ended = IdleServer.SERVER.client().events(silent, "WORKSPACE_STALL_ENDED");
    assertThat(ended.size()).isEqualTo(1);
    assertThat(ended.path(0).path("payload").toString())
        .isEqualTo(
            """
            {"name":"w","stalled_since":"2026-03-01T10:00:00Z","status":"online","previous_status":"online",\
            "status_since":"%s","degraded_reason":null}\
            """
                .formatted(workspace.path("status_since").asString()));

    Instant later = NOW.plusSeconds(1).plus(STALLED).plus(MICRO);
    set("last_heartbeat_at = '" + later + "'", silent);
    assertThat(begunAt(later)).isEqualTo(1);
    assertThat(fleet.events("WORKSPACE_STALLED")).isEqualTo(2);
  }

  @Test
  void endsEpisodesOfWorkspacesThatAreIdleOrNotOnline() {
    UUID idle = busy("online", NOW, LONG_AGO);
    UUID gone = busy("online", NOW, LONG_AGO);
    UUID stillSilent = busy("online", NOW, LONG_AGO);
    sweepAt(NOW, UP_FOR_AGES);
    set("active_tasks = 0", idle);
    set("status = 'failed'", gone);

    assertThat(sweepAt(NOW, UP_FOR_AGES).ended().moved()).isEqualTo(2);

    assertThat(isStalled(idle)).isFalse();
    assertThat(isStalled(gone)).isFalse();
    assertThat(isStalled(stillSilent)).isTrue();
    assertThat(fleet.events("WORKSPACE_STALLED")).isEqualTo(3);
    // another status has an event of its own
    assertThat(fleet.events("WORKSPACE_STALL_ENDED")).isEqualTo(1);
    assertThat(IdleServer.SERVER.client().events(idle, "WORKSPACE_STALL_ENDED").size())
        .isEqualTo(1);
  }

  /** A stall that an earlier version began has no time. */
  @Test
  void endsAnEpisodeOfUnknownBegin() {
    UUID silent = busy("online", NOW, NOW);
    set("stalled = true", silent);

    assertThat(sweepAt(NOW, UP_FOR_AGES).ended().moved()).isEqualTo(1);

    JsonNode event = IdleServer.SERVER.client().events(silent, "WORKSPACE_STALL_ENDED").path(0);
    assertThat(event.path("payload").path("stalled_since").isNull()).isTrue();
  }

  @Test
  void tellsTheEndBeforeTheNextBegin() {
    UUID silent = busy("online", NOW, LONG_AGO);
    sweepAt(NOW, UP_FOR_AGES);
    set("stalled = false", silent); // as a heartbeat without a task does

    StallSweep.StallReport report = sweepAt(NOW.plusSeconds(15), UP_FOR_AGES);

    assertThat(report.ended().moved()).isEqualTo(1);
    assertThat(report.begun().moved()).isEqualTo(1);
    JsonNode ended = IdleServer.SERVER.client().events(silent, "WORKSPACE_STALL_ENDED").path(0);
    assertThat(ended.path("payload").path("stalled_since").asString())
        .isEqualTo("2026-03-01T10:00:00Z");
    assertThat(
            IdleServer.SERVER
                .client()
                .get("/workspaces/" + silent, ADMIN_TOKEN)
                .json()
                .path("stalled_since")
                .asString())
        .isEqualTo("2026-03-01T10:00:15Z");
  }

  @Test
  void boundsTheRowsOfATransaction() {
    busyFleetOf(120);

    TransitionSummary begun = sweepAt(NOW, UP_FOR_AGES).begun();

    assertThat(begun.moved()).isEqualTo(120);
    assertThat(begun.batches()).isEqualTo(Math.ceilDiv(120, BatchedTransitions.BATCH_SIZE));
  }

  @Test
  void publishesEachOnceWithConcurrentSweeps() {
    busyFleetOf(300);

    List<Integer> begun = Race.run(4, runner -> begunAt(NOW));

    // a sweep skips rows that another one has locked
    int left = begunAt(NOW);
    assertThat(begun.stream().mapToInt(Integer::intValue).sum() + left).isEqualTo(300);
    assertThat(fleet.events("WORKSPACE_STALLED")).isEqualTo(300);
    assertThat(fleet.database().value("SELECT count(DISTINCT workspace_id) FROM events"))
        .isEqualTo("300");
  }

  @Test
  void skipsLockedRowsUntilTheNextSweep() throws Exception {
    UUID begins = busy("online", NOW, LONG_AGO);
    UUID ends = busy("online", NOW, NOW);
    set("stalled = true", ends);
    try (var connection = fleet.database().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT 1 FROM workspace_heartbeats FOR UPDATE");

      assertThat(sweepAt(NOW, UP_FOR_AGES).begun().moved()).isZero();
      connection.rollback();
    }
    assertThat(isStalled(ends)).isTrue();

    StallSweep.StallReport report = sweepAt(NOW, UP_FOR_AGES);

    assertThat(report.begun().moved()).isEqualTo(1);
    assertThat(report.ended().moved()).isEqualTo(1);
    assertThat(isStalled(begins)).isTrue();
    assertThat(isStalled(ends)).isFalse();
  }

  @Test
  void logsOneLineForBegunAndOneForEndedEpisodes() {
    IdleServer.beUpForADay();
    List<UUID> stalled = new ArrayList<>();

    List<String> begun =
        OwnLog.of(
            StallSweep.class,
            () -> {
              fleet.clear();
              stalled.clear();
              Instant now = Instant.now();
              stalled.add(busy("online", now, now.minus(Duration.ofHours(1))));
              sweep.run();
            });
    assertThat(begun)
        .containsExactly("INFO marked 1 busy workspaces as stalled: " + stalled.get(0));
    assertThat(OwnLog.of(StallSweep.class, sweep::run)).isEmpty();

    List<String> ended =
        OwnLog.of(
            StallSweep.class,
            () -> {
              set("stalled = true, active_tasks = 0", stalled.get(0));
              sweep.run();
            });
    assertThat(ended).containsExactly("INFO 1 workspaces are no longer stalled");
    assertThat(OwnLog.of(StallSweep.class, sweep::run)).isEmpty();
  }

  private int begunAt(Instant now) {
    return begunAt(now, UP_FOR_AGES);
  }

  private int begunAt(Instant now, Instant upSince) {
    return sweepAt(now, upSince).begun().moved();
  }

  private StallSweep.StallReport sweepAt(Instant now, Instant upSince) {
    StallSweep.StallReport report = sweep.sweep(new Uptime(upSince, upSince, now, null, now));
    assertThat(report.ended().failed()).isZero();
    assertThat(report.begun().failed()).isZero();
    return report;
  }

  private UUID busy(String status, Instant lastHeartbeatAt, Instant busySince) {
    UUID id = fleet.add(status, lastHeartbeatAt);
    set(
        "stalled = false, active_tasks = 2, current_task = 'reviewing', busy_since = '"
            + busySince
            + "'",
        id);
    return id;
  }

  private void busyFleetOf(int many) {
    fleet.add(many, "online", NOW);
    fleet
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET stalled = false, active_tasks = 1, busy_since = '"
                + LONG_AGO
                + "'");
  }

  private void wroteAt(UUID id, Instant time) {
    fleet
        .database()
        .execute(
            """
            UPDATE activity_feeds SET last_own_at = '%s' WHERE workspace_id = '%s'
            """
                .formatted(time, id));
  }

  private void set(String columns, UUID id) {
    fleet
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET " + columns + " WHERE workspace_id = '" + id + "'");
  }

  private boolean isStalled(UUID id) {
    return fleet
        .database()
        .value("SELECT stalled FROM workspace_heartbeats WHERE workspace_id = '" + id + "'")
        .equals("t");
  }
}
