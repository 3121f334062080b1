package dev.muster.canvas;

import static dev.muster.canvas.CanvasClient.pathOf;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * The calls of an existing canvas, in its order and with its bodies and headers, and the events
 * that it waits for. {@code src/test/canvas/run} tests a canvas itself.
 */
@Slow
@Timeout(60)
class CanvasCallsTest {

  private static final TestServer SERVER =
      TestServer.start("CORS_ORIGINS=" + CanvasClient.ORIGIN, "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  private final CanvasClient canvas = new CanvasClient(CLIENT);

  @AfterEach
  void disconnect() {
    canvas.close();
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @Test
  void opensWithTheFleetTheViewportAndTheStream() {
    Agent agent = CLIENT.createOnline("Reviewer", "\"role\":\"reviews\"");
    JsonNode fleet = canvas.get("/workspaces");
    JsonNode record =
        fleet
            .valueStream()
            .filter(w -> w.path("id").asString().equals(agent.id().toString()))
            .findFirst()
            .orElseThrow();
    assertThat(record.propertyNames())
        .contains(
            "id", "name", "role", "tier", "status", "agent_card", "url", "parent_id", "runtime")
        .contains("active_tasks", "last_error_rate", "last_sample_error", "uptime_seconds")
        .contains("current_task", "x", "y", "collapsed");
    assertThat(record.path("url").isString()).isTrue();
    assertThat(record.path("current_task").isString()).isTrue();
    assertThat(record.path("last_sample_error").isString()).isTrue();
    assertThat(canvas.get("/canvas/viewport").propertyNames()).containsExactly("x", "y", "zoom");
    assertThat(canvas.socket().protocol()).isEqualTo("molecule-ws");
    assertThat(canvas.get(pathOf(agent) + "/chat-history?limit=10").path("reached_end").asBoolean())
        .isTrue();
    for (String feed :
        List.of("source=agent&limit=50", "limit=12", "type=delegation&limit=500&source=agent")) {
      assertThat(canvas.get(pathOf(agent) + "/activity?" + feed).isArray()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/cp/auth/me",
        "/org/identity",
        "/templates",
        "/settings/secrets",
        "/approvals/pending",
        "/requests/pending?kind=task",
        "/compute/metadata"
      })
  void hearsThatThereIsNothingBeyondTheContract(String path) {
    Answer answer = canvas.call("GET", path, null);
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.field("code")).isEqualTo("NOT_FOUND");
    assertThat(answer.field("error")).isNotEmpty();
  }

  @Test
  void drawsAWorkspaceThatWasMadeElsewhere() {
    Agent team = CLIENT.create("Team");
    Agent agent =
        CLIENT.create(
            "Made elsewhere",
            "\"parent_id\":\"%s\",\"tier\":1,\"canvas\":{\"x\":40,\"y\":60}".formatted(team.id()));
    JsonNode made = canvas.awaitEvent(agent, "WORKSPACE_PROVISIONING");
    assertThat(made.path("name").asString()).isEqualTo("Made elsewhere");
    assertThat(made.path("parent_id").asString()).isEqualTo(team.id().toString());
    assertThat(made.path("tier").asInt()).isEqualTo(1);
    assertThat(made.path("x").asDouble()).isEqualTo(40);
    assertThat(made.path("y").asDouble()).isEqualTo(60);
    CLIENT.heartbeat(agent, "\"active_tasks\":2,\"current_task\":\"#42\"");
    canvas.awaitEvent(agent, "WORKSPACE_ONLINE");
    assertThat(canvas.awaitEvent(agent, "TASK_UPDATED").path("current_task").asString())
        .isEqualTo("#42");
    assertThat(canvas.eventsOf(agent)).startsWith("WORKSPACE_PROVISIONING");
  }

  @Test
  void createsAWorkspaceAndShowsHowToConnectIt() {
    JsonNode made =
        canvas.done(
            "POST",
            "/workspaces",
            """
            {"name":"Made here","tier":3,"budget_limit":null,"canvas":{"x":312.5,"y":188.25},"runtime":"external"}\
            """);
    assertThat(made.path("name").asString()).isEqualTo("Made here");
    JsonNode connection = made.path("connection");
    assertThat(connection.path("workspace_id").asString()).isEqualTo(made.path("id").asString());
    for (String field :
        List.of("platform_url", "auth_token", "registry_endpoint", "heartbeat_endpoint")) {
      assertThat(connection.path(field).asString("")).as(field).isNotEmpty();
    }
    assertThat(connection.path("curl_register_template").asString()).startsWith("curl");
  }

  @Test
  void storesWhatIsDraggedNestedFoldedAndShown() {
    Agent team = CLIENT.create("Team");
    Agent agent = CLIENT.create("Dragged");
    canvas.done("PATCH", pathOf(agent), "{\"x\":140.40946166394,\"y\":-273.5}");
    assertThat(canvas.get(pathOf(agent)).path("x").asDouble()).isEqualTo(140.40946166394);
    canvas.done(
        "PATCH", pathOf(agent), "{\"parent_id\":\"%s\",\"x\":150,\"y\":250}".formatted(team.id()));
    assertThat(canvas.get(pathOf(agent)).path("parent_id").asString())
        .isEqualTo(team.id().toString());
    canvas.done("PATCH", pathOf(agent), "{\"parent_id\":null,\"x\":900,\"y\":100}");
    assertThat(canvas.get(pathOf(agent)).path("parent_id").isNull()).isTrue();
    canvas.done("PATCH", pathOf(team), "{\"collapsed\":true}");
    assertThat(canvas.get(pathOf(team)).path("collapsed").asBoolean()).isTrue();
    canvas.done("PUT", "/canvas/viewport", "{\"x\":-50.45,\"y\":123.3,\"zoom\":1.11}");
    assertThat(canvas.get("/canvas/viewport").path("zoom").asDouble()).isEqualTo(1.11);
  }

  @Test
  void readsAndChangesWhatThePanelShows() {
    Agent team = CLIENT.createOnline("Team");
    Agent agent = CLIENT.createOnline("Panel", "\"parent_id\":\"" + team.id() + "\"");
    assertThat(canvas.get("/registry/" + agent.id() + "/peers").findValuesAsString("name"))
        .contains("Team");
    canvas.done("PATCH", pathOf(agent), "{\"name\":\"Critic\",\"role\":null,\"tier\":1}");
    assertThat(canvas.get(pathOf(agent)).path("name").asString()).isEqualTo("Critic");
    assertThat(canvas.get("/events/" + agent.id()).get(0).propertyNames())
        .contains("id", "event_type", "workspace_id", "payload", "created_at");
    assertThat(canvas.get(pathOf(agent) + "/activity?type=error").isEmpty()).isTrue();
    canvas.done(
        "POST",
        "/registry/update-card",
        "{\"workspace_id\":\"%s\",\"agent_card\":{\"name\":\"x\"}}".formatted(agent.id()));
    assertThat(
            canvas
                .awaitEvent(agent, "AGENT_CARD_UPDATED")
                .path("agent_card")
                .path("name")
                .asString())
        .isEqualTo("x");
    assertThat(canvas.call("POST", pathOf(agent) + "/tokens", null).status()).isEqualTo(201);
    JsonNode tokens = canvas.get(pathOf(agent) + "/tokens");
    assertThat(tokens.path("count").asInt()).isEqualTo(2);
    String one = tokens.path("tokens").get(1).path("id").asString();
    canvas.done("DELETE", pathOf(agent) + "/tokens/" + one, null);
  }

  /** One place sends an empty object, one a field of its own, one nothing but its content type. */
  @ParameterizedTest
  @ValueSource(strings = {"{}", "{\"apply_template\":true}", ""})
  void restartsAnAgentAndHearsThatItIsBack(String body) {
    Agent agent = CLIENT.create("Wedged");
    CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\",\"sample_error\":\"init timeout\"");
    JsonNode degraded = canvas.awaitEvent(agent, "WORKSPACE_DEGRADED");
    assertThat(degraded.path("sample_error").asString()).isEqualTo("init timeout");
    assertThat(canvas.done("POST", pathOf(agent) + "/restart", body).path("status").asString())
        .isEqualTo("requested");
    JsonNode answer = CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\"").json();
    assertThat(answer.hasNonNull("restart_requested_at")).isTrue();
    CLIENT.post(
        "/registry/register",
        agent.token(),
        "{\"id\":\"%s\",\"agent_card\":{\"name\":\"Wedged\"}}".formatted(agent.id()));
    canvas.awaitEvent(agent, "WORKSPACE_ONLINE");
    assertThat(CLIENT.heartbeat(agent).json().has("restart_requested_at")).isFalse();
  }

  @Test
  void pausesAndResumesABranch() {
    Agent team = CLIENT.createOnline("Team");
    Agent member = CLIENT.createOnline("Member", "\"parent_id\":\"" + team.id() + "\"");
    canvas.done("POST", pathOf(team) + "/pause?cascade=true", "{}");
    canvas.awaitEvent(team, "WORKSPACE_PAUSED");
    canvas.awaitEvent(member, "WORKSPACE_PAUSED");
    canvas.done("POST", pathOf(team) + "/resume?cascade=true", "{}");
    canvas.awaitEvent(
        member, "WORKSPACE_AWAITING_AGENT", payload -> payload.hasNonNull("previous_status"));
  }

  @Test
  void removesABranchWhoseNameIsConfirmed() {
    Agent team = CLIENT.createOnline("Zoe's team");
    Agent member = CLIENT.createOnline("Member", "\"parent_id\":\"" + team.id() + "\"");
    String path = pathOf(team) + "?confirm=true&erase_data=true";
    assertThat(canvas.call("DELETE", path, null, "X-Confirm-Name", "Zoe").status()).isEqualTo(400);
    JsonNode removed = canvas.done("DELETE", path, null, "X-Confirm-Name", "Zoe's team");
    assertThat(removed.path("status").asString()).isEqualTo("removed");
    canvas.awaitEvent(team, "WORKSPACE_REMOVED");
    canvas.awaitEvent(member, "WORKSPACE_REMOVED");
  }

  /** A proxy may add the token for canvases whose WebSocket sends none, whatever page asks. */
  @Test
  void takesTheTokenOfAWebSocketFromAProxy() {
    List<String> headers =
        List.of("Origin", "http://elsewhere.example", "Authorization", "Bearer " + ADMIN_TOKEN);
    try (TestSocket behindAProxy = TestSocket.open(CLIENT, "/ws", headers, List.of())) {
      Agent agent = CLIENT.create("Told");
      behindAProxy.await(
          frame -> frame.path("workspace_id").asString().equals(agent.id().toString()));
    }
  }
}
