package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.delegation.DelegationSweeper.SweepReport;
import dev.muster.testing.OwnLog;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** The rules of the sweeper (seed 001, R8.8). */
@Slow
class SweeperTest {

  private static final TestServer SERVER =
      TestServer.start(
          "DELEGATION_SWEEPER_ENABLED=false",
          "DELEGATION_STUCK_THRESHOLD_S=600",
          "AGENT_URL_ALLOW=loopback");
  private static final Delegations LEDGER = new Delegations(SERVER);

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Gives the control plane a long uptime, and removes the delegations of other tests. */
  @BeforeEach
  void prepare() {
    SERVER
        .database()
        .execute(
            "TRUNCATE delegations; UPDATE control_plane_uptime SET up_since = now() - interval '1"
                + " day'");
  }

  private String dispatched() {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  private static SweepReport sweep() {
    return SERVER.bean(DelegationSweeper.class).sweep();
  }

  private static String status(String id) {
    return LEDGER.row(id, "status");
  }

  /** Removes the heartbeat of the workspace, which would count too. */
  private void silence() {
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET last_heartbeat_at = now() - interval '1 day' WHERE"
                + " workspace_id = '"
                + callee.id()
                + "'");
  }

  @Test
  void doesNothingWithoutDelegationsInFlight() {
    assertThat(sweep()).isEqualTo(new SweepReport(0, 0, 0));
  }

  @Test
  void isNotNeededForAQueuedDelegationPastItsDeadline() {
    Agent away =
        LEDGER
            .client()
            .create(
                "Away",
                "\"parent_id\":\"" + team.id() + "\"",
                "\"delivery_mode\":\"push\"",
                "\"url\":\"http://127.0.0.1:9/\"");
    String id = LEDGER.delegate(caller, away, "Do it.");
    LEDGER.set(id, "deadline = now() - interval '1 s'");

    LEDGER.client().heartbeat(away);

    assertThat(LEDGER.await(caller, id, "failed").path("error_detail").asString())
        .contains("the deadline of the delegation passed before its callee could be reached");
  }

  @Test
  void failsDelegationsPastTheirDeadline() {
    String id = dispatched();
    LEDGER.set(id, "deadline = now() - interval '1 s'");

    assertThat(sweep()).isEqualTo(new SweepReport(1, 0, 0));

    JsonNode failed = LEDGER.read(caller, id);
    assertThat(failed.path("status").asString()).isEqualTo("failed");
    assertThat(failed.path("error_detail").asString()).isEqualTo("deadline exceeded by sweeper");
    assertThat(LEDGER.events(caller, id)).last().isEqualTo("DELEGATION_FAILED");
    assertThat(LEDGER.inbox(caller).at("/0/response_body/text").asString())
        .isEqualTo("deadline exceeded by sweeper");
  }

  @Test
  void logsOneLineWhenItChangedADelegation() {
    List<String> ofSome =
        OwnLog.of(
            DelegationSweeper.class,
            () -> {
              LEDGER.set(dispatched(), "deadline = now() - interval '1 s'");
              String silent = "last_heartbeat = now() - interval '1 hour'";
              LEDGER.set(dispatched(), "status = 'in_progress', " + silent);
              sweep();
            });
    assertThat(ofSome)
        .containsExactly("INFO delegations swept: 1 past their deadline, 1 stuck, 0 errors");

    assertThat(OwnLog.of(DelegationSweeper.class, SweeperTest::sweep)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "724, no heartbeat for 12m4s",
    "601, no heartbeat for 10m1s",
    "3600, no heartbeat for 1h0m0s",
    "93784, no heartbeat for 26h3m4s"
  })
  void marksDelegationsWithAStaleHeartbeatAsStuck(int silentFor, String detail) {
    String id = dispatched();
    LEDGER.set(
        id, "status = 'in_progress', last_heartbeat = now() - interval '" + silentFor + " s'");

    assertThat(sweep()).isEqualTo(new SweepReport(0, 1, 0));

    assertThat(status(id)).isEqualTo("stuck");
    assertThat(LEDGER.row(id, "error_detail")).startsWith(detail.substring(0, detail.length() - 2));
    assertThat(LEDGER.events(caller, id)).last().isEqualTo("DELEGATION_STUCK stuck");
    JsonNode event = LEDGER.client().events(caller.id(), "DELEGATION_STUCK").path(0);
    assertThat(event.at("/payload/silent_for_s").asInt()).isBetween(silentFor, silentFor + 30);
    assertThat(LEDGER.inbox(caller).size()).isZero();
  }

  @Test
  void skipsDelegationsWithoutAHeartbeat() {
    String id = dispatched();
    silence();
    LEDGER.set(
        id, "dispatched_at = now() - interval '5 hours', created_at = now() - interval '5 hours'");

    assertThat(sweep()).isEqualTo(new SweepReport(0, 0, 0));
    assertThat(status(id)).isEqualTo("dispatched");
  }

  @Test
  void countsAHeartbeatOfTheCalleeAfterTheDispatch() {
    String id = dispatched();
    LEDGER.set(id, "dispatched_at = now() - interval '5 hours'");
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET last_heartbeat_at = now() - interval '2 hours' WHERE"
                + " workspace_id = '"
                + callee.id()
                + "'");

    assertThat(sweep()).isEqualTo(new SweepReport(0, 1, 0));
    assertThat(LEDGER.row(id, "error_detail")).startsWith("no heartbeat for 2h0m");
  }

  @Test
  void prefersTheDelegationsOwnHeartbeat() {
    String id = dispatched();
    LEDGER.set(
        id,
        "dispatched_at = now() - interval '5 hours', last_heartbeat = now() - interval '1 hour'");
    LEDGER.client().heartbeat(callee);

    assertThat(sweep()).isEqualTo(new SweepReport(0, 1, 0));
    assertThat(LEDGER.row(id, "error_detail")).startsWith("no heartbeat for 1h0m");
  }

  @Test
  void skipsHealthyDelegations() {
    String id = dispatched();
    LEDGER.heartbeat(callee, id);

    assertThat(sweep()).isEqualTo(new SweepReport(0, 0, 0));
    assertThat(status(id)).isEqualTo("in_progress");
  }

  @Test
  void failsStaleDelegationsPastTheirDeadline() {
    String id = dispatched();
    LEDGER.set(id, "deadline = now() - interval '1 s', last_heartbeat = now() - interval '1 hour'");

    assertThat(sweep()).isEqualTo(new SweepReport(1, 0, 0));
    assertThat(status(id)).isEqualTo("failed");
  }

  @Test
  void failsAStuckDelegationAtItsDeadline() {
    String id = dispatched();
    LEDGER.set(id, "status = 'stuck', deadline = now() - interval '1 s'");

    assertThat(sweep()).isEqualTo(new SweepReport(1, 0, 0));
    assertThat(status(id)).isEqualTo("failed");
  }

  @Test
  void appliesBothRulesInOneSweep() {
    String overdue = dispatched();
    String silent = dispatched();
    String healthy = dispatched();
    String fresh = dispatched();
    LEDGER.set(overdue, "deadline = now() - interval '1 s'");
    LEDGER.set(silent, "last_heartbeat = now() - interval '1 hour'");
    LEDGER.heartbeat(callee, healthy);

    assertThat(sweep()).isEqualTo(new SweepReport(1, 1, 0));
    assertThat(status(overdue)).isEqualTo("failed");
    assertThat(status(silent)).isEqualTo("stuck");
    assertThat(status(healthy)).isEqualTo("in_progress");
    assertThat(status(fresh)).isEqualTo("dispatched");
    assertThat(sweep()).isEqualTo(new SweepReport(0, 0, 0));
  }

  @Test
  void skipsDelegationsThatEndDuringTheSweep() throws Exception {
    String id = dispatched();
    LEDGER.set(id, "deadline = now() - interval '1 s'");

    assertThat(sweepDuring("status = 'completed', result_preview = 'just in time'", id))
        .isEqualTo(new SweepReport(0, 0, 1));

    assertThat(status(id)).isEqualTo("completed");
    assertThat(LEDGER.events(caller, id)).doesNotContain("DELEGATION_FAILED");
  }

  /**
   * PostgreSQL 17.2 and older continue the sweep with the new version of the row; newer versions
   * find that it was updated, and would skip it whatever the statement's condition is.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "in_progress | last_heartbeat = now()",
        "completed | status = 'completed', result_preview = 'just in time'"
      })
  void skipsDelegationsWithAHeartbeatDuringTheSweep(String status, String change) throws Exception {
    String id = dispatched();
    LEDGER.heartbeat(callee, id);
    LEDGER.set(id, "last_heartbeat = now() - interval '1 hour'");

    assertThat(sweepDuring(change, id)).isEqualTo(new SweepReport(0, 0, 1));

    assertThat(status(id)).isEqualTo(status);
    assertThat(LEDGER.events(caller, id)).doesNotContain("DELEGATION_STUCK stuck");
  }

  /** Sweeps while another transaction changes the row, which the sweep has found and waits for. */
  private static SweepReport sweepDuring(String change, String id) throws Exception {
    try (var changing = SERVER.database().connect();
        var statement = changing.createStatement()) {
      changing.setAutoCommit(false);
      statement.execute("UPDATE delegations SET " + change + " WHERE delegation_id = '" + id + "'");
      var sweeping = CompletableFuture.supplyAsync(SweeperTest::sweep, Thread::startVirtualThread);
      Awaitility.await().until(() -> SERVER.database().lockWaits("delegations") > 0);
      changing.commit();
      return sweeping.get();
    }
  }

  @Test
  void continuesAfterARowThatCannotBeStored() {
    String poisoned = dispatched();
    String overdue = dispatched();
    LEDGER.set(
        poisoned, "deadline = now() - interval '2 s', last_heartbeat = now() - interval '1 hour'");
    LEDGER.set(overdue, "deadline = now() - interval '1 s'");
    SERVER
        .database()
        .execute(
            "ALTER TABLE delegations ADD CONSTRAINT poison CHECK (delegation_id <> '"
                + poisoned
                + "' OR status <> 'failed')");
    try {
      assertThat(sweep()).isEqualTo(new SweepReport(1, 0, 1));
      assertThat(status(overdue)).isEqualTo("failed");
      assertThat(status(poisoned)).isEqualTo("dispatched");
    } finally {
      SERVER.database().execute("ALTER TABLE delegations DROP CONSTRAINT poison");
    }
  }

  @Test
  void marksNoDelegationForAnUptimeGap() {
    String silent = dispatched();
    String overdue = dispatched();
    LEDGER.set(silent, "last_heartbeat = now() - interval '2 hours'");
    LEDGER.set(overdue, "deadline = now() - interval '1 s'");
    SERVER
        .database()
        .execute("UPDATE control_plane_uptime SET up_since = now() - interval '590 s'");

    assertThat(sweep()).isEqualTo(new SweepReport(1, 0, 0));

    SERVER
        .database()
        .execute("UPDATE control_plane_uptime SET up_since = now() - interval '601 s'");
    assertThat(sweep()).isEqualTo(new SweepReport(0, 1, 0));
  }

  @Test
  void sweepsManyBatchesOnceEach() {
    seedOverdue(4 * SweepRuleRun.BATCH_SIZE);

    assertThat(sweep()).isEqualTo(new SweepReport(4 * SweepRuleRun.BATCH_SIZE, 0, 0));
    assertThat(results()).isEqualTo("" + 4 * SweepRuleRun.BATCH_SIZE);
  }

  @Test
  void skipsOnlyTheDelegationsWhoseCallerCannotBeNotified() {
    seedOverdue(2 * SweepRuleRun.BATCH_SIZE);
    try (Poison poison =
        Poison.check(SERVER, "delegation-sweep", "activity_logs", "delegation_id <> 'd-1234'")) {
      assertThat(sweep()).isEqualTo(new SweepReport(2 * SweepRuleRun.BATCH_SIZE - 1, 0, 1));
      assertThat(sweep()).as("while it waits").isEqualTo(new SweepReport(0, 0, 1));
      assertThat(poison.lines("d-1234")).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
      assertThat(results()).isEqualTo("" + (2 * SweepRuleRun.BATCH_SIZE - 1));
      assertThat(status("d-1234")).isEqualTo("dispatched");
    }
  }

  /** Inserts delegations of one caller with the ids d-1, d-2 and so on. */
  private void seedOverdue(int count) {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO delegations (
                delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline, created_at, updated_at)
            SELECT 'd-' || n, gen_random_uuid(), '%s', '%s', 'x', 'dispatched', 60, now() - n %% 7 * interval '1 s', now(), now()
            FROM generate_series(1, %d) AS n
            """
                .formatted(caller.id(), callee.id(), count));
  }

  private String results() {
    return SERVER
        .database()
        .value(
            "SELECT count(*) FROM activity_logs WHERE method = 'delegate_result' AND workspace_id ="
                + " '"
                + caller.id()
                + "'");
  }

  @Test
  void isStartedByOperatorsToo() {
    LEDGER.set(dispatched(), "deadline = now() - interval '1 s'");

    assertThat(LEDGER.client().post("/admin/delegations/sweep", ADMIN_TOKEN, "").text())
        .isEqualTo("{\"deadline_failures\":1,\"stuck_marked\":0,\"errors\":0}");
    assertThat(LEDGER.client().post("/admin/delegations/sweep", caller.token(), "").status())
        .isEqualTo(403);
  }

  @Test
  void isNotScheduledWhenSwitchedOff() {
    JsonNode loops = LEDGER.client().get("/admin/liveness", ADMIN_TOKEN).json();
    assertThat(loops.toString()).contains("liveness-sweep").doesNotContain("delegation-sweep");
    JsonNode others = TestServer.shared().client().get("/admin/liveness", ADMIN_TOKEN).json();
    assertThat(others.toString()).contains("delegation-sweep");
  }

  @Test
  void failsDelegationsOfUnknownWorkspaces() {
    String id = "unknown-workspaces";
    SERVER
        .database()
        .execute(
            """
            INSERT INTO delegations (
                delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline, created_at, updated_at)
            VALUES ('%s', '%s', '%s', '%s', 'x', 'dispatched', 60, now() - interval '1 s', now(), now())
            """
                .formatted(id, UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID()));

    assertThat(sweep()).isEqualTo(new SweepReport(1, 0, 0));
    assertThat(status(id)).isEqualTo("failed");
  }
}
