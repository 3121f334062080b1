package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code pause}, {@code resume} and {@code state} (section 2). */
class PauseAndResumeTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @ParameterizedTest
  @ValueSource(
      strings = {"awaiting_agent", "online", "degraded", "offline", "failed", "provisioning"})
  void pausesFromAnyLiveStatusAndKeepsTheUrl(String status) {
    Agent agent = CLIENT.create("Paused", "\"url\":\"http://127.0.0.1:9/\"");
    put(agent, status);

    Answer answer = call(agent, agent.token(), "pause");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.json().propertyNames()).containsExactlyInAnyOrder("status", "paused_count");
    assertThat(answer.field("status")).isEqualTo("paused");
    assertThat(answer.json().path("paused_count").asInt()).isEqualTo(1);
    assertThat(CLIENT.read(agent).path("url").asString()).isEqualTo("http://127.0.0.1:9/");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("paused");
    JsonNode events = CLIENT.events(agent.id(), "WORKSPACE_PAUSED");
    assertThat(events).hasSize(1);
    JsonNode payload = events.path(0).path("payload");
    assertThat(payload.path("name").asString()).isEqualTo("Paused");
    assertThat(payload.path("status").asString()).isEqualTo("paused");
    assertThat(payload.path("previous_status").asString()).isEqualTo(status);
  }

  @Test
  void resumesToAwaitingAgentUntilTheNextHeartbeat() {
    Agent agent = CLIENT.createOnline("Resumed");
    call(agent, ADMIN_TOKEN, "pause");
    assertThat(CLIENT.heartbeat(agent).field("workspace_status")).isEqualTo("paused");

    Answer answer = call(agent, agent.token(), "resume");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().propertyNames()).containsExactlyInAnyOrder("status", "resumed_count");
    assertThat(answer.field("status")).isEqualTo("awaiting_agent");
    assertThat(answer.json().path("resumed_count").asInt()).isEqualTo(1);
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
    assertThat(CLIENT.heartbeat(agent).field("workspace_status")).isEqualTo("online");
    JsonNode online = CLIENT.events(agent.id(), "WORKSPACE_ONLINE").path(0).path("payload");
    assertThat(online.path("recovered_from").asString()).isEqualTo("awaiting_agent");
    assertThat(online.path("previous_status").asString()).isEqualTo("awaiting_agent");
  }

  @Test
  void refusesTransitionsThatTheStatusDoesNotAllow() {
    Agent agent = CLIENT.create("State");

    assertRefused(call(agent, ADMIN_TOKEN, "resume"), 409);
    assertRefused(call(agent, ADMIN_TOKEN, "resume?cascade=true"), 409);
    call(agent, ADMIN_TOKEN, "pause");
    assertRefused(call(agent, ADMIN_TOKEN, "pause"), 409);
    assertRefused(call(agent, ADMIN_TOKEN, "pause?cascade=true"), 409);
    assertThat(CLIENT.events(agent.id(), "WORKSPACE_PAUSED")).hasSize(1);
    assertThat(CLIENT.events(agent.id(), "WORKSPACE_AWAITING_AGENT")).hasSize(1);
  }

  @Test
  void pausesAndResumesTheWholeBranchAndReturnsTheNumber() {
    Agent root = CLIENT.create("Root");
    Agent middle = child(root, "Middle");
    Agent leaf = child(middle, "Leaf");
    Agent already = child(middle, "Already");
    Agent gone = child(middle, "Gone");
    Agent beside = CLIENT.create("Beside");
    call(already, ADMIN_TOKEN, "pause");
    CLIENT.delete("/workspaces/" + gone.id(), ADMIN_TOKEN);

    Answer refused = call(root, ADMIN_TOKEN, "pause");
    assertRefused(refused, 409);
    assertThat(CLIENT.read(root).path("status").asString()).isEqualTo("awaiting_agent");

    Answer paused = call(root, root.token(), "pause?cascade=true");
    assertThat(paused.json().path("paused_count").asInt()).isEqualTo(3);
    for (Agent one : List.of(root, middle, leaf, already)) {
      assertThat(CLIENT.read(one).path("status").asString()).isEqualTo("paused");
      assertThat(CLIENT.events(one.id(), "WORKSPACE_PAUSED")).hasSize(1);
    }
    assertThat(CLIENT.events(gone.id(), "WORKSPACE_PAUSED")).isEmpty();
    assertThat(CLIENT.read(beside).path("status").asString()).isEqualTo("awaiting_agent");

    Answer resumed = call(root, root.token(), "resume?cascade=true");
    assertThat(resumed.json().path("resumed_count").asInt()).isEqualTo(4);
    for (Agent one : List.of(root, middle, leaf, already)) {
      assertThat(CLIENT.read(one).path("status").asString()).isEqualTo("awaiting_agent");
    }
  }

  @Test
  void pausesAParentWhoseChildrenArePausedOrGone() {
    Agent parent = CLIENT.create("Parent");
    call(child(parent, "Paused"), ADMIN_TOKEN, "pause");
    CLIENT.delete("/workspaces/" + child(parent, "Gone").id(), ADMIN_TOKEN);

    assertThat(call(parent, ADMIN_TOKEN, "pause").json().path("paused_count").asInt()).isEqualTo(1);
  }

  @Test
  void cannotBePausedAfterItsRemoval() {
    Agent agent = CLIENT.create("Removed");
    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    assertRefused(call(agent, ADMIN_TOKEN, "pause"), 410, "WORKSPACE_REMOVED");
    assertRefused(call(agent, ADMIN_TOKEN, "resume"), 410, "WORKSPACE_REMOVED");
  }

  @Test
  void returnsItsStateToAnAgent() {
    Agent agent = CLIENT.createOnline("State");
    assertState(agent, "online", false);
    call(agent, ADMIN_TOKEN, "pause");
    assertState(agent, "paused", true);
    call(agent, ADMIN_TOKEN, "resume");
    assertState(agent, "awaiting_agent", false);
    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    Answer removed = CLIENT.get("/workspaces/" + agent.id() + "/state", ADMIN_TOKEN);
    Answer unknown = CLIENT.get("/workspaces/" + UUID.randomUUID() + "/state", ADMIN_TOKEN);
    for (Answer gone : List.of(removed, unknown)) {
      assertThat(gone.status()).isEqualTo(404);
      assertThat(gone.json().path("deleted").asBoolean()).isTrue();
    }
  }

  @Test
  void hasNoSecrets() {
    Agent agent = CLIENT.create("Secrets");

    Answer answer = CLIENT.get("/workspaces/" + agent.id() + "/secrets/values", agent.token());

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{}");
  }

  private static void assertState(Agent agent, String status, boolean paused) {
    Answer answer = CLIENT.get("/workspaces/" + agent.id() + "/state", agent.token());
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().propertyNames())
        .containsExactlyInAnyOrder("workspace_id", "status", "paused", "deleted");
    assertThat(answer.field("workspace_id")).isEqualTo(agent.id().toString());
    assertThat(answer.field("status")).isEqualTo(status);
    assertThat(answer.json().path("paused").asBoolean()).isEqualTo(paused);
    assertThat(answer.json().path("deleted").asBoolean(true)).isFalse();
  }

  /** Sets the statuses that need time or another protocol in the database. */
  private static void put(Agent agent, String status) {
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET status = '%s' WHERE workspace_id = '%s'"
                .formatted(status, agent.id()));
  }

  private static Agent child(Agent parent, String name) {
    return CLIENT.create(name, "\"parent_id\":\"" + parent.id() + "\"");
  }

  private static Answer call(Agent agent, String token, String what) {
    return CLIENT.post("/workspaces/" + agent.id() + "/" + what, token, "");
  }
}
