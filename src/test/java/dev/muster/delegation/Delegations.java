package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/** Workspaces that may talk to each other, and the delegations between them. */
record Delegations(TestServer server) {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  TestClient client() {
    return server.client();
  }

  /** A workspace under which the others are siblings. */
  Agent team() {
    return client().create("Team");
  }

  /** A poll agent; {@code fields} as in {@link TestClient#create}. */
  Agent polling(Agent team, String... fields) {
    return create(team, "\"delivery_mode\":\"poll\"", fields);
  }

  /** A push agent that is called at {@code url}, and is online. */
  Agent called(Agent team, String url, String... fields) {
    Agent agent = create(team, "\"delivery_mode\":\"push\",\"url\":\"" + url + "\"", fields);
    client().heartbeat(agent);
    return agent;
  }

  private Agent create(Agent team, String field, String... more) {
    List<String> fields = new ArrayList<>(List.of(more));
    fields.add("\"parent_id\":\"" + team.id() + "\"");
    fields.add(field);
    return client().createOnline("Member", fields.toArray(String[]::new));
  }

  /** Delegates and returns the new delegation's id. */
  String delegate(Agent caller, Agent callee, String task, String... fields) {
    Answer answer = tryToDelegate(caller, callee.id(), task, fields);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("delegation_id");
  }

  Answer tryToDelegate(Agent caller, UUID callee, String task, String... fields) {
    StringBuilder body =
        new StringBuilder("{\"target_id\":\"" + callee + "\",\"task\":\"" + task + "\"");
    for (String field : fields) {
      body.append(',').append(field);
    }
    boolean mayBeRepeated = body.indexOf("\"idempotency_key\"") >= 0;
    return (mayBeRepeated ? client().patient() : client())
        .post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            body.append('}').toString());
  }

  JsonNode read(Agent reader, String delegationId) {
    Answer answer =
        client()
            .patient()
            .get("/workspaces/" + reader.id() + "/delegations/" + delegationId, reader.token());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  /** Waits until it has this status, and reads it. */
  JsonNode await(Agent reader, String delegationId, String status) {
    return Awaitility.await()
        .atMost(TIMEOUT)
        .until(
            () -> read(reader, delegationId), one -> one.path("status").asString().equals(status));
  }

  Answer update(Agent by, String delegationId, String body) {
    return client()
        .post(
            "/workspaces/" + by.id() + "/delegations/" + delegationId + "/update",
            by.token(),
            body);
  }

  Answer heartbeat(Agent by, String delegationId) {
    return client()
        .post(
            "/workspaces/" + by.id() + "/delegations/" + delegationId + "/heartbeat",
            by.token(),
            "");
  }

  /** The rows of its inbox, oldest first. */
  JsonNode inbox(Agent agent) {
    return client()
        .patient()
        .get("/workspaces/" + agent.id() + "/activity?type=a2a_receive&order=asc", ADMIN_TOKEN)
        .json();
  }

  /** Sends a message through the proxy in the agent's name. */
  Answer send(Agent from, Agent to, String messageId, String text, String metadata) {
    return client()
        .post(
            "/workspaces/" + to.id() + "/a2a",
            from.token(),
            """
            {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"%s","role":"agent",
            "parts":[{"kind":"text","text":"%s"}],"metadata":%s}}}
            """
                .formatted(messageId, text, metadata));
  }

  /** Types of the recorded events about one delegation, oldest first, each with its status. */
  List<String> events(Agent caller, String delegationId) {
    List<String> types = new ArrayList<>();
    JsonNode events =
        client()
            .patient()
            .get("/events/" + caller.id() + "?after=0&limit=1000", ADMIN_TOKEN)
            .json();
    for (JsonNode event : events) {
      JsonNode payload = event.path("payload");
      if (payload.path("delegation_id").asString("").equals(delegationId)) {
        String status = payload.path("status").asString("");
        types.add(event.path("event_type").asString() + (status.isEmpty() ? "" : " " + status));
      }
    }
    return types;
  }

  /** Evaluates an SQL expression on the ledger's row. */
  String row(String delegationId, String expression) {
    return server
        .database()
        .value(
            "SELECT "
                + expression
                + " FROM delegations WHERE delegation_id = '"
                + delegationId
                + "'");
  }

  /** Changes the ledger's row in the database. */
  void set(String delegationId, String assignments) {
    server
        .database()
        .execute(
            "UPDATE delegations SET "
                + assignments
                + " WHERE delegation_id = '"
                + delegationId
                + "'");
  }

  /** Sends the path unchanged, also one that no HTTP client would send. */
  Answer raw(String method, String path, String token, String body) {
    return RawHttp.send(
        server.port(),
        method + " " + path,
        List.of("Authorization: Bearer " + token, "Content-Type: application/json"),
        body.getBytes(StandardCharsets.UTF_8));
  }

  /** Asserts a refusal by the server's own rules: a problem with a code, and no 500. */
  static void assertRefused(Answer answer, String what) {
    assertThat(answer.status()).as(what + ": " + answer.text()).isBetween(400, 499);
    assertThat(answer.header("Content-Type")).as(what).startsWith("application/problem+json");
    assertThat(answer.field("error")).as(what).isNotBlank();
    assertThat(answer.field("code")).as(what).isNotBlank();
  }
}
