package dev.muster.console.timeline;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A delegation with what caused it and with all that it caused. */
class TraceTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  private final Agent lead = CLIENT.createOnline("Lead");
  private final Agent middle = under(lead, "Middle");
  private final Agent tester = under(middle, "Tester");

  @Test
  void followsThreeWorkspacesByTheParentsOfDelegations() {
    String first = delegate(lead, middle, "ship it", "");
    String second = delegate(middle, tester, "test it", first);
    String third = delegate(middle, tester, "test it again", first);
    CLIENT.post(
        "/workspaces/" + tester.id() + "/runtime-events",
        tester.token(),
        new RuntimeStart(second, "py", "python").encode());
    CLIENT.post(
        "/workspaces/" + tester.id() + "/runtime-events",
        tester.token(),
        "["
            + new RuntimeStart(third, "py", "python").encode()
            + ","
            + new RuntimeEnd(third, 0, BigInteger.valueOf(3_600_000)).encode()
            + "]");
    report(tester, second, "all green");

    await().until(() -> kinds(trace(first), "message").size() >= 4);
    JsonNode trace = trace(first);
    assertThat(kinds(trace, "delegation")).containsExactly(first, second, third);
    assertThat(trace.path("is_whole").asBoolean()).isTrue();
    JsonNode child = node(trace, second);
    assertThat(child.path("parent_id").asString()).isEqualTo(first);
    assertThat(child.path("from_name").asString()).isEqualTo("Middle");
    assertThat(child.path("to_name").asString()).isEqualTo("Tester");
    assertThat(child.path("status").asString()).isEqualTo("completed");
    assertThat(child.path("text").asString()).isEqualTo("test it");
    assertThat(child.path("result").asString()).isEqualTo("all green");
    assertThat(child.path("ended_at").asString()).isNotEmpty();
    assertThat(messagesOf(trace, second)).containsExactly("test it", "all green");
    JsonNode run = node(trace, kinds(trace, "run").getFirst());
    assertThat(run.path("parent_id").asString()).isEqualTo(second);
    assertThat(run.path("status").asString()).isEqualTo("running");
    assertThat(run.path("duration_ms").isNull()).isTrue();
    JsonNode whole = node(trace, kinds(trace, "run").getLast());
    assertThat(whole.path("duration_ms").asLong()).isEqualTo(3_600_000);
    assertThat(whole.path("at").asString())
        .as("not before its delegation")
        .isEqualTo(node(trace, third).path("at").asString());

    assertThat(kinds(trace(third), "delegation")).containsExactly(first, third);
  }

  @Test
  void showsAnAgentTheTextsOfItsOwnAlone() {
    String first = delegate(lead, middle, "ship it", "");
    String second = delegate(middle, tester, "test it", first);

    JsonNode seen = CLIENT.get("/console/trace/" + second, tester.token()).json();
    assertThat(node(seen, first).path("text").isNull()).isTrue();
    assertThat(node(seen, first).path("status").asString()).isNotEmpty();
    assertThat(node(seen, second).path("text").asString()).isEqualTo("test it");
    assertRefused(CLIENT.get("/console/trace/" + first, tester.token()), 404, "NOT_FOUND");
    assertRefused(CLIENT.get("/console/trace/no-such", ADMIN_TOKEN), 404, "NOT_FOUND");
  }

  @Test
  void endsAtAThousandNodes() {
    String first = delegate(lead, middle, "many", "");
    SERVER
        .database()
        .execute(
            """
            INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
                parent_delegation_id, created_at, updated_at)
            SELECT '%1$s-' || n, gen_random_uuid(), caller_id, callee_id, 'part', 'queued', 60, now(),
                CASE WHEN n < 500 THEN '%1$s' ELSE '%1$s-' || (n - 499) END, now(), now()
            FROM delegations, generate_series(1, 1500) AS n WHERE delegation_id = '%1$s'
            """
                .formatted(first));

    JsonNode trace = trace(first);
    SERVER.database().execute("DELETE FROM delegations WHERE delegation_id LIKE '" + first + "-%'");

    assertThat(trace.path("nodes").size()).isEqualTo(1000);
    assertThat(trace.path("is_whole").asBoolean()).isFalse();
  }

  /** A parent that an agent takes no part in would let it see that delegation. */
  @Test
  void takesNoParentThatTheCallerIsNoSideOf() {
    String first = delegate(lead, middle, "secret", "");
    String foreign = delegate(tester, middle, "mine", first);
    String unknown = delegate(tester, middle, "mine", "x".repeat(300));

    assertThat(kinds(trace(foreign), "delegation")).containsExactly(foreign);
    assertThat(kinds(trace(unknown), "delegation")).containsExactly(unknown);
    assertThat(kinds(trace(first), "delegation")).containsExactly(first);
    JsonNode whole =
        CLIENT.get("/workspaces/" + tester.id() + "/delegations/" + foreign, tester.token()).json();
    assertThat(whole.path("parent_delegation_id").isNull()).isTrue();
  }

  @Test
  void followsDelegationsThatAgentsRecorded() {
    String first = delegate(lead, middle, "ship it", "");
    String own = "own-" + first;
    Answer recorded =
        CLIENT.post(
            "/workspaces/" + middle.id() + "/delegations/record",
            middle.token(),
            "{\"target_id\":\"%s\",\"task\":\"t\",\"delegation_id\":\"%s\",\"parent_delegation_id\":\"%s\"}"
                .formatted(tester.id(), own, first));
    assertThat(recorded.status()).isEqualTo(202);

    assertThat(kinds(trace(own), "delegation")).containsExactly(first, own);
  }

  private static Agent under(Agent parent, String name) {
    return CLIENT.createOnline(name, "\"parent_id\":\"" + parent.id() + "\"");
  }

  private static String delegate(Agent caller, Agent callee, String task, String parent) {
    Answer answer =
        CLIENT.post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"%s\",\"task\":\"%s\",\"parent_delegation_id\":\"%s\"}"
                .formatted(callee.id(), task, parent));
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("delegation_id");
  }

  private static void report(Agent callee, String delegation, String result) {
    Answer answer =
        CLIENT.post(
            "/workspaces/" + callee.id() + "/delegations/" + delegation + "/update",
            callee.token(),
            "{\"status\":\"completed\",\"result\":\"" + result + "\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private static JsonNode trace(String delegation) {
    Answer answer = CLIENT.get("/console/trace/" + delegation, ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static List<String> kinds(JsonNode trace, String kind) {
    return trace
        .path("nodes")
        .valueStream()
        .filter(node -> node.path("kind").asString().equals(kind))
        .map(node -> node.path("id").asString())
        .toList();
  }

  private static JsonNode node(JsonNode trace, String id) {
    return trace
        .path("nodes")
        .valueStream()
        .filter(node -> node.path("id").asString().equals(id))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> messagesOf(JsonNode trace, String delegation) {
    return trace
        .path("nodes")
        .valueStream()
        .filter(node -> node.path("kind").asString().equals("message"))
        .filter(node -> node.path("parent_id").asString().equals(delegation))
        .map(node -> node.path("text").asString())
        .toList();
  }
}
