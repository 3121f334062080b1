package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * The agent of a removed workspace learns that its own workspace is removed, and nothing else
 * (R1.5).
 */
@Slow
class RemovedTokenTest {

  private static final TestClient CLIENT = TestServer.shared().client();
  private static final Agent PARENT = CLIENT.create("Parent");
  private static final Agent OTHER = CLIENT.create("Other");
  private static final Agent AGENT =
      CLIENT.createOnline("Removed", "\"parent_id\":\"" + PARENT.id() + "\"");
  private static final Agent NEVER_ONLINE =
      CLIENT.create("Removed before its first word", "\"parent_id\":\"" + PARENT.id() + "\"");
  private static final String REVOKED_BEFORE;

  static {
    REVOKED_BEFORE =
        CLIENT.post("/workspaces/" + AGENT.id() + "/tokens", ADMIN_TOKEN, "").field("auth_token");
    String tokens = "/workspaces/" + AGENT.id() + "/tokens";
    CLIENT
        .get(tokens, ADMIN_TOKEN)
        .json()
        .path("tokens")
        .forEach(token -> {
          if (token.path("prefix").asString().equals(REVOKED_BEFORE.substring(0, 8))) {
            CLIENT.delete(tokens + "/" + token.path("id").asString(), ADMIN_TOKEN);
          }
        });
    CLIENT.delete("/workspaces/" + AGENT.id(), ADMIN_TOKEN);
    CLIENT.delete("/workspaces/" + NEVER_ONLINE.id(), ADMIN_TOKEN);
  }

  @Test
  void getsTheStateDeletedOfItsWorkspace() {
    for (Agent agent : new Agent[] {AGENT, NEVER_ONLINE}) {
      Answer answer = CLIENT.get("/workspaces/" + agent.id() + "/state", agent.token());

      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.json())
          .isEqualTo(
              JsonMapper.shared()
                  .readTree(
                      "{\"workspace_id\":\"%s\",\"status\":\"removed\",\"deleted\":true}"
                          .formatted(agent.id())));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /workspaces/{id}",
        "POST /registry/heartbeat {\"workspace_id\":\"{id}\"}",
        "POST /registry/heartbeat {\"workspace_id\":\"{id}\",\"agent_card\":{\"name\":\"a\"}}",
        "POST /registry/register {\"id\":\"{id}\",\"agent_card\":{}}"
      })
  void getsWorkspaceRemovedForItsWorkspace(String route) {
    for (Agent agent : new Agent[] {AGENT, NEVER_ONLINE}) {
      Answer answer = send(route, agent.id(), agent.token());

      assertRefused(answer, 410, "WORKSPACE_REMOVED");
      assertThat(answer.field("id")).isEqualTo(agent.id().toString());
      assertThat(answer.field("removed_at")).endsWith("Z");
      assertThat(answer.field("hint")).isNotBlank();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PATCH /workspaces/{id} {\"name\":\"a\"}",
        "POST /workspaces/{id}/pause",
        "POST /workspaces/{id}/resume",
        "POST /workspaces/{id}/restart",
        "DELETE /workspaces/{id}/restart",
        "GET /workspaces/{id}/tokens",
        "POST /workspaces/{id}/tokens",
        "DELETE /workspaces/{id}/tokens/{id}",
        "POST /admin/workspaces/{id}/tokens",
        "GET /workspaces/{id}/secrets/values",
        "DELETE /workspaces/{id}",
        "GET /workspaces",
        "POST /workspaces {\"name\":\"a\"}",
        "GET /events",
        "GET /events/{id}",
        "GET /registry/{id}/peers",
        "GET /registry/discover/{id}",
        "POST /registry/update-card {\"workspace_id\":\"{id}\",\"agent_card\":{}}"
      })
  void isUnknownElsewhere(String route) {
    assertRefused(send(route, AGENT.id(), AGENT.token()), 401, "UNAUTHENTICATED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /workspaces/{id}",
        "GET /workspaces/{id}/state",
        "POST /registry/heartbeat {\"workspace_id\":\"{id}\"}",
        "POST /registry/register {\"id\":\"{id}\",\"agent_card\":{}}",
        "GET /registry/discover/{id}"
      })
  void isUnknownForEveryOtherId(String route) {
    for (UUID other : new UUID[] {OTHER.id(), PARENT.id(), NEVER_ONLINE.id(), UUID.randomUUID()}) {
      assertRefused(send(route, other, AGENT.token()), 401, "UNAUTHENTICATED");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /workspaces/{id}",
        "GET /workspaces/{id}/state",
        "POST /registry/heartbeat {\"workspace_id\":\"{id}\"}",
        "POST /registry/register {\"id\":\"{id}\",\"agent_card\":{}}"
      })
  void isUnknownWhenItWasRevokedBeforeTheRemoval(String route) {
    assertRefused(send(route, AGENT.id(), REVOKED_BEFORE), 401, "UNAUTHENTICATED");
  }

  @Test
  void readsItsOwnWorkspaceAmongRemovedOnes() {
    Answer answer =
        CLIENT.get("/workspaces/" + AGENT.id() + "?include_removed=true", AGENT.token());

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.field("status")).isEqualTo("removed");
  }

  private static Answer send(String route, UUID id, String token) {
    String[] parts = route.replace("{id}", id.toString()).split(" ", 3);
    return CLIENT.send(
        parts[0],
        parts[1],
        token,
        parts.length > 2 ? parts[2] : null,
        "X-Workspace-ID",
        AGENT.id().toString());
  }
}
