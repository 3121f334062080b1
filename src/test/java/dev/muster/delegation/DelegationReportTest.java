package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Reports of agents and operators about delegations (R8.4, R8.5, R8.9, R8.10). */
class DelegationReportTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);

  private String dispatched() {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  private Answer record(Agent by, String id) {
    return LEDGER
        .client()
        .post(
            "/workspaces/" + by.id() + "/delegations/record",
            by.token(),
            "{\"target_id\":\"%s\",\"task\":\"Do it.\",\"delegation_id\":\"%s\"}"
                .formatted(callee.id(), id));
  }

  @Test
  void progressesByReportsOfCallerAndCallee() {
    String id = dispatched();

    assertThat(LEDGER.update(callee, id, "{\"status\":\"in_progress\"}").json().toString())
        .isEqualTo("{\"delegation_id\":\"" + id + "\",\"status\":\"in_progress\"}");
    assertThat(
            LEDGER
                .update(
                    caller,
                    id,
                    "{\"status\":\"completed\",\"result\":\"whole\",\"response_preview\":\"short\"}")
                .status())
        .isEqualTo(200);

    JsonNode done = LEDGER.read(callee, id);
    assertThat(done.path("result").asString()).isEqualTo("whole");
    assertThat(done.path("result_preview").asString()).isEqualTo("short");
    assertThat(LEDGER.events(caller, id))
        .containsExactly(
            "DELEGATION_SENT",
            "DELEGATION_STATUS dispatched",
            "DELEGATION_STATUS in_progress",
            "DELEGATION_COMPLETE");
  }

  @Test
  void notifiesTheCallerOnceOfItsEnd() {
    String id = dispatched();

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"Here.\"}");
    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"Again.\"}");

    JsonNode inbox = LEDGER.inbox(caller);
    assertThat(inbox.size()).isEqualTo(1);
    JsonNode row = inbox.path(0);
    assertThat(row.path("activity_type").asString()).isEqualTo("a2a_receive");
    assertThat(row.path("method").asString()).isEqualTo("delegate_result");
    assertThat(row.path("source").asString()).isEqualTo("system");
    assertThat(row.path("source_id").isNull()).isTrue();
    assertThat(row.path("target_id").asString()).isEqualTo(callee.id().toString());
    assertThat(row.path("status").asString()).isEqualTo("ok");
    assertThat(row.path("summary").asString()).isEqualTo("Delegation result: Here.");
    assertThat(row.path("request_body").toString()).isEqualTo("{\"delegation_id\":\"" + id + "\"}");
    assertThat(row.path("response_body").toString())
        .isEqualTo("{\"text\":\"Here.\",\"delegation_id\":\"" + id + "\"}");
    assertThat(row.path("data").toString())
        .isEqualTo(
            "{\"source\":\"system\",\"source_id\":null,\"text\":\"Here.\",\"message_id\":\"%s:result\",\"delegation_id\":\"%s\",\"author\":null}"
                .formatted(id, id));
  }

  @Test
  void keepsItsFirstEnd() {
    String id = dispatched();
    LEDGER.update(
        callee, id, "{\"status\":\"failed\",\"error\":\"no\",\"error_kind\":\"Cancelled\"}");

    for (String status : new String[] {"completed", "in_progress"}) {
      Answer late = LEDGER.update(callee, id, "{\"status\":\"" + status + "\"}");
      assertThat(late.status()).isEqualTo(409);
      assertThat(late.field("code")).isEqualTo("INVALID_TRANSITION");
    }
    assertThat(LEDGER.update(callee, id, "{\"status\":\"failed\"}").status()).isEqualTo(200);
    assertThat(LEDGER.heartbeat(callee, id).status()).isEqualTo(409);
    JsonNode failed = LEDGER.read(caller, id);
    assertThat(failed.path("error_detail").asString()).isEqualTo("no");
    assertThat(failed.path("error_kind").asString()).isEqualTo("Cancelled");
    JsonNode event = LEDGER.client().events(caller.id(), "DELEGATION_FAILED").path(0);
    assertThat(event.path("payload").toString())
        .isEqualTo(
            "{\"delegation_id\":\"%s\",\"target_id\":\"%s\",\"error\":\"no\",\"error_kind\":\"Cancelled\"}"
                .formatted(id, callee.id()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"status\":\"stuck\"}", "{\"status\":7}", "{\"status\":\"\"}"})
  void namesTheAllowedStatuses(String body) {
    Answer refused = LEDGER.update(callee, dispatched(), body);

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.field("error"))
        .isEqualTo("status must be one of: in_progress, completed, failed");
  }

  @Test
  void isNotVisibleToOthers() {
    String id = dispatched();
    Agent other = LEDGER.polling(team);

    assertThat(LEDGER.update(other, id, "{\"status\":\"completed\"}").status()).isEqualTo(404);
    assertThat(LEDGER.heartbeat(other, id).status()).isEqualTo(404);
    assertThat(LEDGER.heartbeat(caller, id).status()).isEqualTo(404);
    assertThat(LEDGER.update(callee, "none", "{\"status\":\"completed\"}").status()).isEqualTo(404);
    assertThat(
            LEDGER
                .client()
                .post(
                    "/workspaces/" + callee.id() + "/delegations/" + id + "/update",
                    other.token(),
                    "{\"status\":\"completed\"}")
                .status())
        .isEqualTo(403);
  }

  @Test
  void storesAResultThatIsNotAText() {
    String id = dispatched();

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":{\"n\":1.50}}");

    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("{\"n\":1.50}");
  }

  @Test
  void keepsTheWholeOfALongResult() {
    String id = dispatched();
    String text = "ü".repeat(100_000);

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"" + text + "\"}");

    JsonNode done = LEDGER.read(caller, id);
    assertThat(done.path("result").asString()).isEqualTo(text);
    assertThat(done.path("result_preview").asString()).isEqualTo("ü".repeat(2048));
  }

  @Test
  void recordsADelegationThatAnAgentSentItself() {
    String id = "own-" + caller.id();
    assertThat(record(caller, id).status()).isEqualTo(202);
    Answer again = record(caller, id);
    assertThat(again.status()).isEqualTo(202);
    assertThat(again.json().toString())
        .isEqualTo("{\"delegation_id\":\"" + id + "\",\"status\":\"recorded\"}");
    Answer taken = record(LEDGER.polling(team), id);
    assertThat(taken.status()).isEqualTo(409);
    assertThat(taken.field("code")).isEqualTo("DELEGATION_ID_TAKEN");

    assertThat(LEDGER.read(callee, id).path("status").asString()).isEqualTo("dispatched");
    assertThat(LEDGER.inbox(callee).size()).isZero();
    assertThat(LEDGER.events(caller, id)).containsExactly("DELEGATION_SENT");
    LEDGER.update(caller, id, "{\"status\":\"completed\",\"response_preview\":\"Here.\"}");
    assertThat(LEDGER.inbox(caller).at("/0/data/text").asString()).isEqualTo("Here.");
  }

  @Test
  void isNotStuckAnyMoreAfterAHeartbeat() {
    String id = dispatched();
    assertThat(LEDGER.heartbeat(callee, id).field("status")).isEqualTo("in_progress");
    LEDGER.set(
        id, "status = 'stuck', error_detail = 'no heartbeat for 12m4s', last_heartbeat = NULL");

    assertThat(LEDGER.heartbeat(callee, id).field("status")).isEqualTo("in_progress");

    JsonNode back = LEDGER.read(caller, id);
    assertThat(back.path("error_detail").isNull()).isTrue();
    assertThat(back.path("last_heartbeat").isNull()).isFalse();
    LEDGER.update(callee, id, "{\"status\":\"completed\"}");
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("completed");
  }

  @Test
  void isKeptAliveByTheHeartbeatOfItsWorkspace() {
    String own = dispatched();
    Agent other = LEDGER.polling(team);
    String foreign = LEDGER.delegate(caller, other, "Do it.");
    LEDGER.await(caller, foreign, "dispatched");

    Answer heartbeat =
        LEDGER
            .client()
            .heartbeat(callee, "\"delegations\":[\"%s\",\"%s\",\"none\"]".formatted(own, foreign));

    assertThat(heartbeat.status()).isEqualTo(200);
    assertThat(LEDGER.read(caller, own).path("status").asString()).isEqualTo("in_progress");
    assertThat(LEDGER.read(caller, foreign).path("status").asString()).isEqualTo("dispatched");
    assertThat(LEDGER.read(caller, foreign).path("last_heartbeat").isNull()).isTrue();
  }

  @Test
  void isDeliveredAgainByAnOperator() {
    String id = dispatched();
    LEDGER.set(id, "status = 'stuck', last_heartbeat = now(), deadline = now()");

    Answer retried = LEDGER.client().post("/admin/delegations/" + id + "/retry", ADMIN_TOKEN, "");

    assertThat(retried.json().toString())
        .isEqualTo("{\"delegation_id\":\"" + id + "\",\"status\":\"queued\"}");
    JsonNode again = LEDGER.await(caller, id, "dispatched");
    assertThat(again.path("attempt").asInt()).isEqualTo(2);
    assertThat(again.path("retry_count").asInt()).isEqualTo(1);
    assertThat(LEDGER.row(id, "deadline > now() + interval '5 hours' AND last_heartbeat IS NULL"))
        .isEqualTo("t");
    JsonNode inbox = LEDGER.inbox(callee);
    assertThat(inbox.at("/1/data/message_id").asString()).isEqualTo(id + "~1");

    LEDGER.send(callee, caller, "r", "Done.", "{\"reply_to\":\"" + id + "~1\"}");
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("Done.");
  }

  @Test
  void isFailedByAnOperator() {
    String id = dispatched();

    LEDGER
        .client()
        .post("/admin/delegations/" + id + "/fail", ADMIN_TOKEN, "{\"reason\":\"retired\"}");

    assertThat(LEDGER.read(caller, id).path("error_detail").asString()).isEqualTo("retired");
    assertThat(LEDGER.inbox(caller).at("/0/data/text").asString()).isEqualTo("retired");
    for (String route : new String[] {"retry", "fail"}) {
      assertThat(
              LEDGER.client().post("/admin/delegations/none/" + route, ADMIN_TOKEN, "{}").status())
          .isEqualTo(404);
      assertThat(
              LEDGER
                  .client()
                  .post("/admin/delegations/" + id + "/" + route, caller.token(), "{}")
                  .status())
          .isEqualTo(403);
    }
  }

  @Test
  void endsWhenItsCalleeIsRemoved() {
    String id = dispatched();

    LEDGER.client().delete("/workspaces/" + callee.id(), ADMIN_TOKEN);

    assertThat(LEDGER.read(caller, id).path("error_detail").asString()).isEqualTo("callee removed");
    assertThat(LEDGER.inbox(caller).at("/0/data/text").asString()).isEqualTo("callee removed");
  }

  @Test
  void endsWhenItsCallerIsRemovedWithoutANotification() {
    String id = dispatched();

    LEDGER.client().delete("/workspaces/" + caller.id(), ADMIN_TOKEN);

    assertThat(LEDGER.row(id, "status || ' ' || error_detail")).isEqualTo("failed caller removed");
    assertThat(
            LEDGER
                .server()
                .database()
                .value(
                    "SELECT count(*) FROM activity_logs WHERE method = 'delegate_result' AND"
                        + " workspace_id = '"
                        + caller.id()
                        + "'"))
        .isEqualTo("0");
  }
}
