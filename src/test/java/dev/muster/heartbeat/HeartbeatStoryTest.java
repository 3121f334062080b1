package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A wedged agent over HTTP, from its first heartbeat to its recovery (seed 000, R4.1 to R4.3). */
class HeartbeatStoryTest {

  private static final String REASON = "SDK init timeout — restart workspace";

  private final TestClient client = TestServer.shared().client();

  @Test
  void showsAWedgedAgentAsDegradedWithItsReasonAndAsOnlineAgainAfterItsRecovery() {
    Agent agent = client.create("Reviewer");
    String card = "{\"id\":\"%s\",\"agent_card\":{\"name\":\"Reviewer\"}}".formatted(agent.id());
    assertThat(client.post("/registry/register", agent.token(), card).field("workspace_status"))
        .isEqualTo("online");

    Answer wedged =
        client.heartbeat(
            agent, "\"runtime_state\":\"wedged\"", "\"sample_error\":\"" + REASON + "\"");
    assertThat(wedged.field("workspace_status")).isEqualTo("degraded");
    JsonNode degraded = client.read(agent);
    assertThat(degraded.path("status").asString()).isEqualTo("degraded");
    assertThat(degraded.path("degraded_reason").asString()).isEqualTo("runtime_wedged");
    assertThat(degraded.path("last_sample_error").asString()).isEqualTo(REASON);
    assertThat(client.events(agent.id(), "WORKSPACE_DEGRADED")).hasSize(1);

    assertThat(client.heartbeat(agent).field("workspace_status")).isEqualTo("online");
    assertThat(client.heartbeat(agent, "\"error_rate\":0.5").field("workspace_status"))
        .isEqualTo("degraded");
    assertThat(client.heartbeat(agent, "\"error_rate\":0.1").field("workspace_status"))
        .isEqualTo("degraded");
    assertThat(client.heartbeat(agent, "\"error_rate\":0.09").field("workspace_status"))
        .isEqualTo("online");

    assertThat(client.post("/registry/register", null, card).status()).isEqualTo(401);
    assertThat(client.delete("/workspaces/" + agent.id(), TestServer.ADMIN_TOKEN).status())
        .isEqualTo(200);
    assertThat(client.heartbeat(agent).status()).isEqualTo(410);
    Answer state = client.get("/workspaces/" + agent.id() + "/state", agent.token());
    assertThat(state.status()).isEqualTo(404);
    assertThat(state.json().path("deleted").asBoolean()).isTrue();
  }
}
