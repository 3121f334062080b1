package dev.muster.delegation;

import static dev.muster.testing.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Delegations by and to agents whose feeds are full (R6.7a). */
@Timeout(90)
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of FullCalleeTest")
class FullCalleeTest {

  private static final TestServer SERVER = TestServer.start("FEED_MAX_ROWS=3");
  private static final Delegations LEDGER = new Delegations(SERVER);

  private Agent caller;
  private Agent callee;

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @BeforeEach
  void create() {
    Agent team = LEDGER.team();
    caller = LEDGER.polling(team);
    callee = LEDGER.polling(team);
  }

  /** Writes until the feed, which may have rows already, takes no more. */
  private void fill(Agent agent) {
    String row = "{\"activity_type\":\"agent_log\"}";
    Answer last = post(agent, "/activity", row);
    for (int i = 0; i < 3 && last.status() == 200; i++) {
      last = post(agent, "/activity", row);
    }
    assertRefused(last, 429, "FEED_FULL");
  }

  private static Answer post(Agent agent, String path, String body) {
    return SERVER.client().post("/workspaces/" + agent.id() + path, agent.token(), body);
  }

  @Test
  void dispatchesTheOthersWhenOneDelegationCannotBe() {
    fill(callee);
    String poisoned = LEDGER.delegate(caller, callee, "Do it.");
    String other = LEDGER.delegate(caller, callee, "Do that.");
    LEDGER.await(caller, poisoned, "queued");
    LEDGER.await(caller, other, "queued");
    DelegationDispatch dispatch = SERVER.bean(DelegationDispatch.class);
    try (Poison poison =
        Poison.check(
            SERVER,
            "delegation-dispatch",
            "delegations",
            "status <> 'dispatched' OR delegation_id <> '" + poisoned + "'")) {
      post(callee, "/activity/ack", "{\"acked_seq\":3}");
      dispatch.dispatchQueued();
      dispatch.dispatchQueued();

      LEDGER.await(caller, other, "dispatched");
      assertThat(LEDGER.read(caller, poisoned).path("status").asString()).isEqualTo("queued");
      assertThat(poison.lines(poisoned)).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  @Test
  void waitsUntilTheCalleeHasRead() {
    fill(callee);
    String id = LEDGER.delegate(caller, callee, "Do it.");
    DelegationDispatch dispatch = SERVER.bean(DelegationDispatch.class);

    dispatch.run(id);
    LEDGER.await(caller, id, "queued");

    post(callee, "/activity/ack", "{\"acked_seq\":3}");
    dispatch.run(id);
    LEDGER.await(caller, id, "dispatched");
    assertThat(
            SERVER
                .client()
                .get("/workspaces/" + callee.id() + "/activity?type=a2a_receive", callee.token())
                .json())
        .hasSize(1);
  }

  /** More than one page of them, all with an earlier deadline. */
  @Test
  void manyDelegationsToAFullCalleeDoNotDelayThoseToOthers() {
    Agent free = LEDGER.polling(caller);
    fill(callee);
    fill(free);
    String first = LEDGER.delegate(caller, callee, "Do it.");
    String other = LEDGER.delegate(caller, free, "Do it too.");
    SERVER
        .database()
        .execute(
            """
            INSERT INTO delegations (
                delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline, created_at, updated_at)
            SELECT delegation_id || '-' || n, gen_random_uuid(), caller_id, callee_id, task_preview, status, deadline_s,
                now() + interval '5 minutes', created_at, updated_at
            FROM delegations CROSS JOIN generate_series(1, 2500) AS n WHERE delegation_id = '%s'
            """
                .formatted(first));
    post(free, "/activity/ack", "{\"acked_seq\":3}");

    SERVER.bean(DelegationDispatch.class).dispatchQueued();

    LEDGER.await(caller, other, "dispatched");
    SERVER
        .database()
        .execute("DELETE FROM delegations WHERE delegation_id LIKE '%s-%%'".formatted(first));
  }

  /** The reply can be sent again when its caller has read. */
  @Test
  void isNotEndedByAReplyForWhichTheCallerHasNoPlace() {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    fill(caller);
    String metadata = "{\"delegation_id\":\"" + id + "\"}";

    Answer refused = LEDGER.send(callee, caller, "reply-" + id, "Done.", metadata);

    assertRefused(refused, 503, "QUEUE_FULL");
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
    String newest =
        SERVER
            .database()
            .value("SELECT max(seq) FROM activity_logs WHERE workspace_id = '" + caller.id() + "'");
    assertThat(post(caller, "/activity/ack", "{\"acked_seq\":" + newest + "}").status())
        .isEqualTo(200);
    assertThat(LEDGER.send(callee, caller, "reply-" + id, "Done.", metadata).status())
        .isEqualTo(200);
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("Done.");
  }

  @Test
  void isRefusedWithoutATraceWhenTheCallersFeedIsFull() {
    fill(caller);

    assertRefused(LEDGER.tryToDelegate(caller, callee.id(), "Do it."), 429, "FEED_FULL");

    assertThat(
            SERVER
                .database()
                .value("SELECT count(*) FROM delegations WHERE caller_id = '" + caller.id() + "'"))
        .isEqualTo("0");
  }
}
