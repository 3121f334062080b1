package dev.muster.heartbeat;

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

/** The rules of the endpoint: fields, answers, refusals (docs/api.md, section 4). */
class HeartbeatContractTest {

  private final TestServer server = TestServer.shared();
  private final TestClient client = server.client();

  @Test
  void returnsTheStatusAndTheCadence() {
    Agent agent = client.create("a");
    Answer answer = client.heartbeat(agent);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            "{\"status\":\"ok\",\"workspace_status\":\"online\",\"heartbeat_interval_s\":30,\"stale_after_s\":180,"
                + "\"long_poll_max_s\":60}");
    assertThat(answer.header("Content-Type")).isEqualTo("application/json");
  }

  @Test
  void keepsMissingFieldsAndClearsNullFields() {
    Agent agent = client.create("a");
    client.heartbeat(
        agent,
        "\"error_rate\":0.25",
        "\"sample_error\":\"boom\"",
        "\"active_tasks\":3",
        "\"current_task\":\"reviewing #42\"",
        "\"uptime_seconds\":640");
    JsonNode first = client.read(agent);
    assertThat(first.path("last_error_rate").asDouble()).isEqualTo(0.25);
    assertThat(first.path("last_sample_error").asString()).isEqualTo("boom");
    client.heartbeat(agent);
    JsonNode second = client.read(agent);
    assertThat(second.path("last_error_rate").asDouble()).isEqualTo(0.25);
    assertThat(second.path("active_tasks").asInt()).isEqualTo(3);
    assertThat(second.path("current_task").asString()).isEqualTo("reviewing #42");
    assertThat(second.path("uptime_seconds").asLong()).isEqualTo(640);
    assertThat(second.path("last_sample_error").asString()).isEmpty();
    client.heartbeat(agent, "\"current_task\":\"\"");
    assertThat(client.read(agent).path("current_task").asString()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "error_rate":7                                | last_error_rate | 1.0
          "error_rate":-1                               | last_error_rate | 0.0
          "error_rate":1                                | last_error_rate | 1.0
          "active_tasks":-5                             | active_tasks    | 0
          "active_tasks":99999999999999999999           | active_tasks    | 2147483647
          "active_tasks":2.0                            | active_tasks    | 2
          "active_tasks":1.5                            | active_tasks    | 1
          "active_tasks":-0.5                           | active_tasks    | 0
          "active_tasks":1e30                           | active_tasks    | 2147483647
          "uptime_seconds":640.7                        | uptime_seconds  | 640
          "uptime_seconds":99999999999999999999999      | uptime_seconds  | 9223372036854775807
          "uptime_seconds":null                         | uptime_seconds  | 0
          """)
  void clampsNumbersIntoTheirRangeAndCutsFractions(String field, String column, String expected) {
    Agent agent = client.create("a");
    assertThat(client.heartbeat(agent, field).status()).isEqualTo(200);
    assertThat(client.read(agent).path(column).asString()).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"error_rate\":\"0.5\"",
        "\"error_rate\":NaN",
        "\"error_rate\":Infinity",
        "\"error_rate\":1e999",
        "\"error_rate\":-1e999",
        "\"error_rate\":true",
        "\"error_rate\":[0.5]",
        "\"sample_error\":5",
        "\"active_tasks\":\"3\"",
        "\"active_tasks\":1e999",
        "\"current_task\":{}",
        "\"uptime_seconds\":false",
        "\"runtime_state\":1",
        "\"runtime_metadata\":[]",
        "\"runtime_metadata\":\"x\"",
        "\"runtime_metadata\":{\"capabilities\":[]}",
        "\"runtime_metadata\":{\"capabilities\":{\"a\":1}}",
        "\"runtime_metadata\":{\"idle_timeout_seconds\":\"x\"}",
        "\"delegations\":{}",
        "\"delegations\":[1]",
        "\"agent_card\":\"x\"",
        "\"agent_card\":[]"
      })
  void refusesAWrongTypeAndStoresNothing(String field) {
    Agent agent = client.create("a");
    Answer answer = client.heartbeat(agent, field);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.field("code")).isEqualTo("VALIDATION_FAILED");
    assertThat(client.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
  }

  @Test
  void acceptsUnknownDelegations() {
    Agent agent = client.create("a");
    assertThat(client.heartbeat(agent, "\"delegations\":[\"d-1\",\"d-2\"]").status())
        .isEqualTo(200);
  }

  @Test
  void cutsTextsOnCodePointsAndCleansThem() {
    Agent agent = client.create("a");
    client.heartbeat(
        agent,
        "\"current_task\":\"" + "😀".repeat(1001) + "\"",
        "\"sample_error\":\"a\\u0000b\\ud800c\"");
    JsonNode stored = client.read(agent);
    assertThat(stored.path("current_task").asString()).isEqualTo("😀".repeat(1000));
    assertThat(stored.path("last_sample_error").asString()).isEqualTo("a\uFFFDb\uFFFDc");
  }

  @Test
  void redactsSecretsBeforeItCuts() {
    Agent agent = client.create("a");
    String secret = "sk-ant-api03-" + "Zx9".repeat(20);
    client.heartbeat(agent, "\"sample_error\":\"" + "x ".repeat(2040) + secret + "\"");
    assertThat(client.read(agent).path("last_sample_error").asString())
        .doesNotContain("sk-ant")
        .hasSizeLessThan(4097);
  }

  @Test
  void keepsTheOldErrorWhileDegradedAndClearsItAtRecovery() {
    Agent agent = client.createOnline("a");
    client.heartbeat(agent, "\"error_rate\":0.9", "\"sample_error\":\"first\"");
    client.heartbeat(agent, "\"error_rate\":0.8");
    assertThat(client.read(agent).path("last_sample_error").asString()).isEqualTo("first");
    client.heartbeat(agent, "\"error_rate\":0.7", "\"sample_error\":\"second\"");
    assertThat(client.read(agent).path("last_sample_error").asString()).isEqualTo("second");
    client.heartbeat(agent, "\"error_rate\":0", "\"sample_error\":\"third\"");
    JsonNode recovered = client.read(agent);
    assertThat(recovered.path("status").asString()).isEqualTo("online");
    assertThat(recovered.path("last_sample_error").asString()).isEmpty();
    assertThat(recovered.path("degraded_reason").isNull()).isTrue();
    assertThat(recovered.path("hint").isNull()).isTrue();
  }

  @Test
  void letsANativeAgentManageItsOwnStatusUntilItStops() {
    Agent agent = client.createOnline("a");
    String itself = "\"runtime_metadata\":{\"capabilities\":{\"status_mgmt\":true}}";
    assertThat(client.heartbeat(agent, itself, "\"error_rate\":1").field("workspace_status"))
        .isEqualTo("online");
    assertThat(client.heartbeat(agent, "\"error_rate\":1").field("workspace_status"))
        .isEqualTo("online");
    String cleared = "\"runtime_metadata\":{\"capabilities\":null}";
    assertThat(client.heartbeat(agent, cleared).field("workspace_status")).isEqualTo("degraded");
  }

  @Test
  void publishesATransitionOnceWithBothStatuses() {
    Agent agent = client.createOnline("a");
    for (int i = 0; i < 3; i++) {
      client.heartbeat(agent, "\"error_rate\":0.9", "\"sample_error\":\"e\"");
    }
    JsonNode events = client.events(agent.id(), "WORKSPACE_DEGRADED");
    assertThat(events).hasSize(1);
    JsonNode payload = events.get(0).path("payload");
    assertThat(payload.path("error_rate").asDouble()).isEqualTo(0.9);
    assertThat(payload.path("sample_error").asString()).isEqualTo("e");
    assertThat(payload.path("status").asString()).isEqualTo("degraded");
    assertThat(payload.path("previous_status").asString()).isEqualTo("online");
  }

  @Test
  void bringsAnAgentOnlineFromOtherStatuses() {
    Agent agent = client.createOnline("a");
    server
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET status = 'offline' WHERE workspace_id = '"
                + agent.id()
                + "'");
    assertThat(client.heartbeat(agent).field("workspace_status")).isEqualTo("online");
    JsonNode event = client.events(agent.id(), "WORKSPACE_ONLINE").get(0);
    assertThat(event.path("payload").path("recovered_from").asString()).isEqualTo("offline");
  }

  @Test
  void storesHeartbeatsOfAPausedAgentWithoutResumingIt() {
    Agent agent = client.createOnline("a");
    client.post("/workspaces/" + agent.id() + "/pause", agent.token(), "");
    assertThat(
            client
                .heartbeat(agent, "\"active_tasks\":2", "\"runtime_state\":\"wedged\"")
                .field("workspace_status"))
        .isEqualTo("paused");
    assertThat(client.read(agent).path("active_tasks").asInt()).isEqualTo(2);
    assertThat(client.events(agent.id(), "WORKSPACE_DEGRADED")).isEmpty();
  }

  @Test
  void storesTheCardOfAHeartbeatAndPublishesItOnce() {
    Agent agent = client.createOnline("a");
    String card = "\"agent_card\":{\"name\":\"x\",  \"nul\":\"\\u0000\"}";
    client.heartbeat(agent, card);
    client.heartbeat(agent, card);
    assertThat(client.get("/workspaces/" + agent.id(), ADMIN_TOKEN).text())
        .contains("\"agent_card\":{\"name\":\"x\",  \"nul\":\"\\u0000\"}");
    assertThat(client.events(agent.id(), "AGENT_CARD_UPDATED")).hasSize(1);
  }

  @Test
  void answersByCallerAndWorkspace() {
    Agent agent = client.createOnline("a");
    Agent other = client.createOnline("b");
    String own = "{\"workspace_id\":\"" + agent.id() + "\"}";
    String unknown = "{\"workspace_id\":\"" + UUID.randomUUID() + "\"}";
    assertThat(client.post("/registry/heartbeat", null, own).status()).isEqualTo(401);
    assertThat(client.post("/registry/heartbeat", "x".repeat(43), own).status()).isEqualTo(401);
    assertThat(client.post("/registry/heartbeat", null, "{").status()).isEqualTo(401);
    assertThat(client.post("/registry/heartbeat", other.token(), own).status()).isEqualTo(403);
    assertThat(client.post("/registry/heartbeat", ADMIN_TOKEN, own).status()).isEqualTo(200);
    Answer missing = client.post("/registry/heartbeat", agent.token(), unknown);
    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.field("code")).isEqualTo("WORKSPACE_NOT_FOUND");
    client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    Answer gone = client.post("/registry/heartbeat", agent.token(), own);
    assertThat(gone.status()).isEqualTo(410);
    assertThat(gone.field("code")).isEqualTo("WORKSPACE_REMOVED");
    assertThat(gone.field("id")).isEqualTo(agent.id().toString());
    assertThat(gone.field("removed_at")).isNotEmpty();
    assertThat(gone.field("hint")).isNotEmpty();
    assertThat(client.post("/registry/heartbeat", other.token(), own).status()).isEqualTo(410);
  }

  @Test
  void refusesABodyOverItsLimit() {
    Agent agent = client.create("a");
    Answer answer = client.heartbeat(agent, "\"sample_error\":\"" + "x".repeat(65 * 1024) + "\"");
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.json().path("max_bytes").asInt()).isEqualTo(64 * 1024);
  }

  @Test
  void refusesOtherMethods() {
    Answer answer = client.get("/registry/heartbeat", ADMIN_TOKEN);
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo("POST");
  }
}
