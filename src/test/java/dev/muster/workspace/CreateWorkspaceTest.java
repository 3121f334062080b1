package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code POST /workspaces} (section 2). */
class CreateWorkspaceTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  @Test
  void answersWithEverythingAnAgentNeeds() {
    Answer answer = post("{\"name\":\"Reviewer\"}");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json().propertyNames())
        .containsExactlyInAnyOrder(
            "id", "name", "status", "delivery_mode", "auth_token", "connection");
    assertThat(answer.field("name")).isEqualTo("Reviewer");
    assertThat(answer.field("status")).isEqualTo("awaiting_agent");
    assertThat(answer.field("delivery_mode")).isEqualTo("poll");
    JsonNode connection = answer.json().path("connection");
    assertThat(connection.propertyNames())
        .containsExactlyInAnyOrder(
            "workspace_id",
            "platform_url",
            "auth_token",
            "registry_endpoint",
            "heartbeat_endpoint",
            "activity_endpoint",
            "curl_register_template");
    String id = answer.field("id");
    assertThat(connection.path("workspace_id").asString()).isEqualTo(id);
    assertThat(connection.path("auth_token").asString()).isEqualTo(answer.field("auth_token"));
    assertThat(connection.path("platform_url").asString()).isEqualTo(CLIENT.baseUrl());
    assertThat(connection.path("registry_endpoint").asString())
        .isEqualTo(CLIENT.baseUrl() + "/registry/register");
    assertThat(connection.path("heartbeat_endpoint").asString())
        .isEqualTo(CLIENT.baseUrl() + "/registry/heartbeat");
    assertThat(connection.path("activity_endpoint").asString())
        .isEqualTo(CLIENT.baseUrl() + "/workspaces/" + id + "/activity");
    assertThat(connection.path("curl_register_template").asString())
        .startsWith("curl ")
        .contains(id, CLIENT.baseUrl() + "/registry/register");
  }

  @Test
  void fillsInMissingFields() {
    JsonNode workspace = CLIENT.read(CLIENT.create("Plain"));

    assertThat(workspace.path("name").asString()).isEqualTo("Plain");
    assertThat(workspace.path("tier").asInt()).isEqualTo(3);
    assertThat(workspace.path("runtime").asString()).isEqualTo("external");
    assertThat(workspace.path("max_concurrent_tasks").asInt()).isEqualTo(1);
    assertThat(workspace.path("status").asString()).isEqualTo("awaiting_agent");
    assertThat(workspace.path("x").asDouble(-1)).isZero();
    assertThat(workspace.path("y").asDouble(-1)).isZero();
    assertThat(workspace.path("collapsed").asBoolean(true)).isFalse();
  }

  @Test
  void storesTheGivenFields() {
    Agent parent = CLIENT.create("Parent");
    UUID id = UUID.randomUUID();
    Answer answer =
        post(
            """
            {"name":"Full","id":"%s","role":"code review","tier":2,"parent_id":"%s",
             "url":"http://127.0.0.1:9/a2a","delivery_mode":"push","runtime":"python","external":true,
             "max_concurrent_tasks":4,"agent_card":{"name":"Full"},"canvas":{"x":12.5,"y":-3}}
            """
                .formatted(id, parent.id()));

    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    assertThat(answer.field("id")).isEqualTo(id.toString());
    assertThat(answer.field("delivery_mode")).isEqualTo("push");
    JsonNode workspace = CLIENT.read(new Agent(id, answer.field("auth_token")));
    assertThat(workspace.path("role").asString()).isEqualTo("code review");
    assertThat(workspace.path("tier").asInt()).isEqualTo(2);
    assertThat(workspace.path("parent_id").asString()).isEqualTo(parent.id().toString());
    assertThat(workspace.path("url").asString()).isEqualTo("http://127.0.0.1:9/a2a");
    assertThat(workspace.path("runtime").asString()).isEqualTo("python");
    assertThat(workspace.path("max_concurrent_tasks").asInt()).isEqualTo(4);
    assertThat(workspace.path("agent_card").toString()).isEqualTo("{\"name\":\"Full\"}");
    assertThat(workspace.path("x").asDouble()).isEqualTo(12.5);
    assertThat(workspace.path("y").asDouble()).isEqualTo(-3);
  }

  @ParameterizedTest
  @CsvSource({"alive", "removed"})
  void refusesAnExistingId(String state) {
    Agent first = CLIENT.create("First");
    if (state.equals("removed")) {
      CLIENT.delete("/workspaces/" + first.id(), ADMIN_TOKEN);
    }
    int events = CLIENT.events(first.id(), "WORKSPACE_AWAITING_AGENT").size();

    Answer answer = post("{\"name\":\"Second\",\"id\":\"" + first.id() + "\"}");

    assertRefused(answer, 409, "ID_TAKEN");
    assertThat(
            CLIENT
                .get("/workspaces/" + first.id() + "?include_removed=true", ADMIN_TOKEN)
                .field("name"))
        .isEqualTo("First");
    assertThat(CLIENT.events(first.id(), "WORKSPACE_AWAITING_AGENT")).hasSize(events);
  }

  @Test
  void requiresAnExistingParent() {
    Agent removed = CLIENT.create("Removed parent");
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    for (UUID parent : new UUID[] {UUID.randomUUID(), removed.id()}) {
      UUID id = UUID.randomUUID();
      String body =
          "{\"name\":\"Orphan\",\"id\":\"%s\",\"parent_id\":\"%s\"}".formatted(id, parent);
      assertRefused(post(body), 422, "PARENT_NOT_FOUND");
      assertRefused(CLIENT.get("/workspaces/" + id, ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
      assertThat(CLIENT.get("/events/" + id, ADMIN_TOKEN).text()).isEqualTo("[]");
    }
  }

  @Test
  void publishesTheNewWorkspaceOnce() {
    Agent agent = CLIENT.create("Told");

    JsonNode events = CLIENT.get("/events/" + agent.id(), ADMIN_TOKEN).json();

    assertThat(events).hasSize(1);
    assertThat(events.path(0).path("event_type").asString()).isEqualTo("WORKSPACE_AWAITING_AGENT");
    JsonNode payload = events.path(0).path("payload");
    assertThat(payload.path("name").asString()).isEqualTo("Told");
    assertThat(payload.path("status").asString()).isEqualTo("awaiting_agent");
    assertThat(payload.has("previous_status")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://127.0.0.1:9/", "", "remote:agent"})
  void acceptsAPushWorkspaceWithoutAUrl(String url) {
    Answer answer =
        post("{\"name\":\"Push\",\"delivery_mode\":\"push\",\"url\":\"%s\"}".formatted(url));

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.field("delivery_mode")).isEqualTo("push");
  }

  @Test
  void truncatesALongNameOnACodePoint() {
    String name = "a" + "\uD83D\uDE00".repeat(300);

    Agent agent = CLIENT.create(name);

    assertThat(CLIENT.read(agent).path("name").asString())
        .isEqualTo("a" + "\uD83D\uDE00".repeat(254));
    Agent fits = CLIENT.create("\uD83D\uDE00".repeat(255));
    assertThat(CLIENT.read(fits).path("name").asString()).isEqualTo("\uD83D\uDE00".repeat(255));
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "-5, 1", "-99999999999999999999999, 1"})
  void clampsTheNumberOfTasks(String sent, int stored) {
    Agent agent = CLIENT.create("Clamped", "\"max_concurrent_tasks\":" + sent);

    assertThat(CLIENT.read(agent).path("max_concurrent_tasks").asInt(-1)).isEqualTo(stored);
  }

  @ParameterizedTest
  @ValueSource(strings = {"99999999999999999999999", "-99999999999999999999999", "1e300", "-1e300"})
  void clampsHugeNumbers(String number) {
    Agent agent =
        CLIENT.create(
            "Clamped",
            "\"tier\":" + number,
            "\"max_concurrent_tasks\":" + number,
            "\"canvas\":{\"x\":%s,\"y\":%s}".formatted(number, number));

    JsonNode workspace = CLIENT.read(agent);
    assertThat(workspace.path("tier").canConvertToInt()).isTrue();
    assertThat(workspace.path("max_concurrent_tasks").asInt(0)).isPositive();
    assertThat(workspace.path("x").asDouble()).isFinite();
  }

  private static Answer post(String body) {
    return CLIENT.post("/workspaces", ADMIN_TOKEN, body);
  }
}
