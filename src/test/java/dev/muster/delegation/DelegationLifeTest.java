package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * The message of a delegation waits until the deadline of the delegation, whichever way it came
 * into the queue; the result of one waits for a day (R7.7, R8.7).
 */
@Slow
@Timeout(120)
class DelegationLifeTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);
  private static final String NOWHERE = "http://127.0.0.1:9/";
  private static final Duration AT_MOST = Duration.ofSeconds(30);
  private static final String A_WEEK = "\"deadline_s\":604800";

  /** The open delivery of the present message of a delegation {@code g}. */
  private static final String DELIVERY =
      """
      FROM delegations g
      JOIN activity_logs l ON l.workspace_id = g.callee_id AND l.source_id = g.caller_id
          AND l.message_id = g.delegation_id || CASE WHEN g.retry_count > 0 THEN '~' || g.retry_count ELSE '' END
      JOIN deliveries d ON d.workspace_id = l.workspace_id AND d.seq = l.seq
      WHERE g.delegation_id = '%s'
      """;

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);

  /** An agent that was never there, so that its messages wait. */
  private Agent away(String mode) {
    return LEDGER
        .client()
        .create(
            "Away",
            "\"parent_id\":\"" + team.id() + "\"",
            "\"delivery_mode\":\"" + mode + "\"",
            "\"url\":\"" + NOWHERE + "\"");
  }

  private static void change(Agent agent, String mode) {
    change(agent, mode, NOWHERE);
  }

  private static void change(Agent agent, String mode, String url) {
    Answer answer =
        LEDGER
            .client()
            .patch(
                "/workspaces/" + agent.id(),
                ADMIN_TOKEN,
                "{\"delivery_mode\":\"%s\",\"url\":\"%s\"}".formatted(mode, url));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private String dispatched(Agent callee, String... fields) {
    String id = LEDGER.delegate(caller, callee, "Do it.", fields);
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  /** How long its message waits beyond the deadline. */
  private static Duration waitsBeyondDeadline(String id) {
    return Duration.ofMillis(
        Long.parseLong(
            SERVER
                .database()
                .value(
                    "SELECT round(extract(epoch FROM d.expires_at - g.deadline) * 1000) "
                        + DELIVERY.formatted(id))));
  }

  private static void assertWaitsUntilTheDeadline(String id) {
    assertThat(waitsBeyondDeadline(id)).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(16));
  }

  @ParameterizedTest
  @ValueSource(strings = {A_WEEK, "\"deadline_s\":60"})
  void waitsUntilTheDeadlineAtOnceAndAfterChangesOfTheMode(String deadline) {
    Agent callee = away("push");
    String id = dispatched(callee, deadline);
    assertWaitsUntilTheDeadline(id);

    change(callee, "poll");
    change(callee, "push");

    assertWaitsUntilTheDeadline(id);
    assertThat(SERVER.database().value("SELECT d.kind " + DELIVERY.formatted(id)))
        .isEqualTo("delegation");
  }

  @Test
  void isQueuedByAChangeOfTheModeWhenMessagesOfItsAgeHaveExpired() {
    Agent callee = away("poll");
    String id = dispatched(callee, A_WEEK);
    String expired = LEDGER.send(caller, callee, "m", "hi", "{}").field("activity_id");
    SERVER
        .database()
        .execute(
            """
            UPDATE activity_logs SET created_at = created_at - interval '2 days', expires_at = expires_at - interval '2 days'
            WHERE workspace_id = '%s'
            """
                .formatted(callee.id()));
    LEDGER.set(id, "deadline = deadline - interval '2 days'");

    change(callee, "push");

    assertThat(expired).isNotEmpty();
    assertWaitsUntilTheDeadline(id);
    assertThat(openOf(callee)).isEqualTo("1");
  }

  @Test
  void isDroppedUnsentAfterAChangeOfTheModeWhenItsDelegationHasEnded() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      Agent callee = away("poll");
      String id = dispatched(callee, A_WEEK);
      LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"r\"}");

      change(callee, "push", peer.url());
      LEDGER.client().heartbeat(callee);

      Awaitility.await()
          .atMost(AT_MOST)
          .until(
              () ->
                  SERVER
                      .database()
                      .value(
                          "SELECT string_agg(queue_state, ' ') FROM delivery_outcomes WHERE"
                              + " workspace_id = '"
                              + callee.id()
                              + "'"),
              "dropped"::equals);
      assertThat(peer.deliveries()).isEmpty();
    }
  }

  @Test
  void waitsUntilTheNewDeadlineAfterAnOperatorsRetry() {
    Agent callee = away("poll");
    String id = dispatched(callee, A_WEEK);
    LEDGER.set(id, "deadline = deadline - interval '5 days'");

    LEDGER.client().post("/admin/delegations/" + id + "/retry", ADMIN_TOKEN, "");
    LEDGER.await(caller, id, "dispatched");
    change(callee, "push");

    assertThat(LEDGER.row(id, "deadline > now() + interval '6 days'")).isEqualTo("t");
    assertWaitsUntilTheDeadline(id);
  }

  /** The agent took it and said nothing in time, so its caller may repeat the message (R7.3). */
  @Test
  void waitsUntilTheDeadlineWhenItsCallerRepeatsTheMessage() throws Exception {
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PeerBehavior.silence());
      Agent callee = LEDGER.called(team, peer.url());
      LEDGER.client().heartbeat(callee, "\"runtime_metadata\":{\"idle_timeout_seconds\":1}");
      String id = LEDGER.delegate(caller, callee, "Do it.", A_WEEK);
      LEDGER.await(caller, id, "in_progress");
      SERVER
          .database()
          .execute(
              "UPDATE workspace_heartbeats SET status = 'offline' WHERE workspace_id = '"
                  + callee.id()
                  + "'");

      Answer again =
          LEDGER
              .client()
              .post(
                  "/workspaces/" + callee.id() + "/a2a",
                  caller.token(),
                  """
                  {"method":"message/send","params":{"message":{"kind":"message","messageId":"%s","role":"user",
                  "parts":[{"kind":"text","text":"Do it."}]}}}
                  """
                      .formatted(id));

      assertThat(again.status()).as(again.text()).isEqualTo(202);
      assertWaitsUntilTheDeadline(id);
    }
  }

  @Test
  void aMessageThatOnlyNamesADelegationIsDeliveredAfterAChangeOfTheMode() {
    Agent callee = away("poll");
    LEDGER.send(caller, callee, "named", "hi", "{\"delegation_id\":\"named\"}");
    LEDGER.send(caller, callee, "named~1", "hi", "{\"delegation_id\":\"named\"}");

    change(callee, "push");

    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT string_agg(kind, ' ') FROM deliveries WHERE workspace_id = '"
                        + callee.id()
                        + "'"))
        .isEqualTo("message message");
  }

  @ParameterizedTest
  @ValueSource(strings = {"push", "poll"})
  void aResultWaitsForADayAtOnceAndAfterAChangeOfTheMode(String mode) {
    Agent asking = away(mode);
    String id = LEDGER.delegate(asking, LEDGER.polling(team), "Do it.", A_WEEK);
    LEDGER.await(asking, id, "dispatched");
    LEDGER.client().post("/admin/delegations/" + id + "/fail", ADMIN_TOKEN, "{\"reason\":\"r\"}");

    if (mode.equals("poll")) {
      change(asking, "push");
    }

    assertThat(
            SERVER
                .database()
                .value(
                    """
                    SELECT d.kind || ' ' || (d.expires_at - l.created_at)
                    FROM deliveries d JOIN activity_logs l USING (workspace_id, seq) WHERE workspace_id = '%s'
                    """
                        .formatted(asking.id())))
        .isEqualTo("result 1 day");
  }

  /** A change of the mode holds the lock of the feed until its commit. */
  @Test
  void aResultIsQueuedWhenItsCallerBecomesAPushAgentMeanwhile() throws Exception {
    Agent asking = away("poll");
    String id = LEDGER.delegate(asking, LEDGER.polling(team), "Do it.", A_WEEK);
    LEDGER.await(asking, id, "dispatched");
    CompletableFuture<Answer> failed;
    try (Connection change = SERVER.database().connect();
        Statement statement = change.createStatement()) {
      change.setAutoCommit(false);
      statement.execute(
          "SELECT FROM activity_feeds WHERE workspace_id = '" + asking.id() + "' FOR UPDATE");
      int changing = change.unwrap(PGConnection.class).getBackendPID();
      failed =
          CompletableFuture.supplyAsync(
              () ->
                  LEDGER
                      .client()
                      .post(
                          "/admin/delegations/" + id + "/fail", ADMIN_TOKEN, "{\"reason\":\"r\"}"),
              Thread::startVirtualThread);
      Awaitility.await()
          .atMost(AT_MOST)
          .until(
              () ->
                  SERVER
                      .database()
                      .value(
                          "SELECT count(*) > 0 FROM pg_stat_activity WHERE "
                              + changing
                              + " = ANY (pg_blocking_pids(pid))"),
              "t"::equals);
      statement.execute(
          "UPDATE workspaces SET delivery_mode = 'push' WHERE id = '" + asking.id() + "'");
      change.commit();
    }

    assertThat(failed.join().status()).isEqualTo(200);
    assertThat(openOf(asking)).isEqualTo("1");
  }

  /** Wrong options are no error to a poll agent, and count as not stated. */
  @Test
  void aReplyWithWrongOptionsHasTheUsualPriority() {
    Agent asking = away("poll");
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(asking, callee, "Do it.", A_WEEK);
    LEDGER.await(asking, id, "dispatched");
    Answer reply =
        LEDGER
            .client()
            .post(
                "/workspaces/" + asking.id() + "/a2a",
                callee.token(),
                """
                {"method":"message/send","params":{"priority":"high","message":{"messageId":"reply","role":"user",
                "parts":[{"kind":"text","text":"Done."}],"metadata":{"delegation_id":"%s"}}}}
                """
                    .formatted(id));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);

    change(asking, "push");

    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT kind || ' ' || priority FROM deliveries WHERE workspace_id = '"
                        + asking.id()
                        + "'"))
        .isEqualTo("result 50");
  }

  private static String openOf(Agent agent) {
    return SERVER
        .database()
        .value("SELECT count(*) FROM deliveries WHERE workspace_id = '" + agent.id() + "'");
  }
}
