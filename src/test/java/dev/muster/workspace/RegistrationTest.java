package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Who may register, and the effects of a registration, with anonymous registration (R3.1). */
class RegistrationTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  @Test
  void answersWithTheCadenceAndWithoutATokenToAKnownCaller() {
    Agent agent = CLIENT.create("Known");

    for (String token : new String[] {agent.token(), ADMIN_TOKEN}) {
      Answer answer = register(agent.id(), token);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.json().propertyNames())
          .containsExactlyInAnyOrder(
              "status",
              "delivery_mode",
              "workspace_status",
              "heartbeat_interval_s",
              "stale_after_s",
              "long_poll_max_s");
      assertThat(answer.field("status")).isEqualTo("registered");
      assertThat(answer.field("delivery_mode")).isEqualTo("poll");
      assertThat(answer.field("workspace_status")).isEqualTo("online");
      assertThat(answer.json().path("heartbeat_interval_s").asInt()).isEqualTo(30);
      assertThat(answer.json().path("stale_after_s").asInt()).isEqualTo(180);
      assertThat(answer.json().path("long_poll_max_s").asInt()).isEqualTo(60);
    }
  }

  @Test
  void createsAWorkspaceOfAnUnknownIdForAnAnonymousCaller() {
    UUID id = UUID.randomUUID();

    Answer answer = register(id, null, "\"agent_card\":{\"name\":\"From the card\"}");

    assertThat(answer.status()).isEqualTo(200);
    Agent agent = new Agent(id, answer.field("auth_token"));
    assertThat(agent.token()).hasSize(43);
    assertThat(CLIENT.read(agent).path("name").asString()).isEqualTo("From the card");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("online");
    assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"name\":\"\"}", "{\"name\":5}", "{\"name\":null}"})
  void namesAWorkspaceAfterItsIdWhenTheCardHasNoName(String card) {
    UUID id = UUID.randomUUID();

    Answer answer = register(id, null, "\"agent_card\":" + card);

    assertThat(CLIENT.get("/workspaces/" + id, answer.field("auth_token")).field("name"))
        .isEqualTo(id.toString());
  }

  @Test
  void letsAnAnonymousCallerClaimAnUnregisteredWorkspaceAndKeepsItsFirstToken() {
    Agent agent = CLIENT.create("Prepared");

    Answer answer = register(agent.id(), null);

    assertThat(answer.status()).isEqualTo(200);
    String minted = answer.field("auth_token");
    assertThat(minted).hasSize(43).isNotEqualTo(agent.token());
    assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(200);
    assertThat(CLIENT.heartbeat(new Agent(agent.id(), minted)).status()).isEqualTo(200);
    assertThat(CLIENT.read(agent).path("name").asString()).isEqualTo("Prepared");
  }

  @Test
  void refusesAnAnonymousCallerForARegisteredWorkspace() {
    Agent agent = CLIENT.create("Mine");
    register(agent.id(), agent.token(), "\"agent_card\":{\"name\":\"mine\"}");
    JsonNode before = CLIENT.read(agent);

    Answer answer = register(agent.id(), null, "\"agent_card\":{\"name\":\"stolen\"}");

    assertRefused(answer, 401, "UNAUTHENTICATED");
    assertThat(answer.text()).doesNotContain("auth_token");
    assertThat(CLIENT.read(agent)).isEqualTo(before);
  }

  @Test
  void refusesAnAnonymousCallerAlsoWhenTheUsedTokenWasRevoked() {
    Agent agent = CLIENT.createOnline("Mine");
    String tokens = "/workspaces/" + agent.id() + "/tokens";
    String id = CLIENT.get(tokens, ADMIN_TOKEN).json().path("tokens").path(0).path("id").asString();
    CLIENT.delete(tokens + "/" + id, ADMIN_TOKEN);

    assertRefused(register(agent.id(), null), 401, "UNAUTHENTICATED");
    assertRefused(register(agent.id(), agent.token()), 401, "UNAUTHENTICATED");
    assertThat(register(agent.id(), ADMIN_TOKEN).status()).isEqualTo(200);
  }

  @Test
  void refusesInvalidCredentialsAlsoWhenOpen() {
    Agent agent = CLIENT.create("Target");
    Agent other = CLIENT.create("Other");
    UUID unknown = UUID.randomUUID();

    for (UUID id : new UUID[] {agent.id(), unknown}) {
      assertRefused(register(id, "x".repeat(43)), 401, "UNAUTHENTICATED");
      assertRefused(register(id, other.token()), 403, "FORBIDDEN");
      String body = "{\"id\":\"" + id + "\",\"agent_card\":{}}";
      assertRefused(
          CLIENT.post("/registry/register", null, body, "Authorization", "Basic eDp5"),
          401,
          "UNAUTHENTICATED");
    }
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
    assertRefused(CLIENT.get("/workspaces/" + unknown, ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
  }

  @Test
  void answersEveryCallerThatARemovedWorkspaceIsGone() {
    Agent agent = CLIENT.create("Removed");
    Agent other = CLIENT.create("Other");
    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    for (String token : new String[] {agent.token(), ADMIN_TOKEN, other.token()}) {
      assertRefused(register(agent.id(), token), 410, "WORKSPACE_REMOVED");
    }
    Answer anonymous = register(agent.id(), null);
    assertRefused(anonymous, 410, "WORKSPACE_REMOVED");
    assertThat(anonymous.field("hint")).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void leavesAPausedWorkspacePaused(boolean withToken) {
    Agent agent = CLIENT.create("Paused");
    CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
    int events = CLIENT.get("/events/" + agent.id(), ADMIN_TOKEN).json().size();

    Answer answer = register(agent.id(), withToken ? agent.token() : null);

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.field("workspace_status")).isEqualTo("paused");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("paused");
    assertThat(CLIENT.get("/events/" + agent.id(), ADMIN_TOKEN).json()).hasSize(events);
  }

  @Test
  void bringsADegradedAgentOnlineAndClearsItsErrors() {
    Agent agent = CLIENT.create("Troubled");
    CLIENT.heartbeat(
        agent,
        "\"runtime_state\":\"wedged\"",
        "\"error_rate\":0.9",
        "\"active_tasks\":3",
        "\"current_task\":\"stuck\"",
        "\"sample_error\":\"no\"");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("degraded");

    Answer answer =
        register(
            agent.id(),
            agent.token(),
            "\"url\":\"http://127.0.0.1:9/a\"",
            "\"delivery_mode\":\"push\"",
            "\"agent_card\":{\"name\":\"new\"}");

    assertThat(answer.field("workspace_status")).isEqualTo("online");
    JsonNode workspace = CLIENT.read(agent);
    assertThat(workspace.path("active_tasks").asInt(-1)).isZero();
    assertThat(workspace.path("current_task").asString("missing")).isEmpty();
    assertThat(workspace.path("last_error_rate").asDouble(-1)).isZero();
    assertThat(workspace.path("degraded_reason").isNull()).isTrue();
    assertThat(workspace.path("url").asString()).isEqualTo("http://127.0.0.1:9/a");
    assertThat(workspace.path("delivery_mode").asString()).isEqualTo("push");
    assertThat(workspace.path("agent_card").path("name").asString()).isEqualTo("new");
    JsonNode events = CLIENT.events(agent.id(), "WORKSPACE_ONLINE");
    assertThat(events).hasSize(1);
    JsonNode payload = events.path(0).path("payload");
    assertThat(payload.path("recovered_from").asString()).isEqualTo("degraded");
    assertThat(payload.path("previous_status").asString()).isEqualTo("degraded");
    assertThat(payload.path("status").asString()).isEqualTo("online");
    assertThat(payload.path("url").asString()).isEqualTo("http://127.0.0.1:9/a");
    assertThat(payload.path("delivery_mode").asString()).isEqualTo("push");
    assertThat(payload.path("agent_card").path("name").asString()).isEqualTo("new");
  }

  @Test
  void publishesNothingWithoutAStatusTransition() {
    Agent agent = CLIENT.create("Again");
    register(agent.id(), agent.token());
    register(agent.id(), agent.token());

    assertThat(CLIENT.events(agent.id(), "WORKSPACE_ONLINE")).hasSize(1);
  }

  @Test
  void countsAsAHeartbeat() {
    Agent agent = CLIENT.create("Beats");
    assertThat(CLIENT.read(agent).path("last_heartbeat_at").isNull()).isTrue();

    register(agent.id(), agent.token());

    assertThat(CLIENT.read(agent).path("last_heartbeat_at").asString()).endsWith("Z");
  }

  @Test
  void replacesAndPublishesACard() {
    Agent agent = CLIENT.create("Card", "\"agent_card\":{\"v\":1}");

    Answer answer =
        CLIENT.post(
            "/registry/update-card",
            agent.token(),
            "{\"workspace_id\":\"" + agent.id() + "\",\"agent_card\":{\"v\":2}}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"status\":\"updated\"}");
    assertThat(CLIENT.read(agent).path("agent_card").toString()).isEqualTo("{\"v\":2}");
    assertThat(CLIENT.events(agent.id(), "AGENT_CARD_UPDATED")).hasSize(1);
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
  }

  private static Answer register(UUID id, @Nullable String token, String... fields) {
    String more = fields.length == 0 ? "\"agent_card\":{}" : String.join(",", fields);
    return CLIENT.post("/registry/register", token, "{\"id\":\"" + id + "\"," + more + "}");
  }
}
