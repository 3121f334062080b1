package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
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

/** {@code DELETE /workspaces/{id}} (section 2). */
class RemoveWorkspaceTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void removesAWorkspaceAndItsTokens() {
    Agent agent = CLIENT.createOnline("Alone");

    Answer answer = delete(agent, "");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().propertyNames())
        .containsExactlyInAnyOrder("status", "cascade_deleted");
    assertThat(answer.field("status")).isEqualTo("removed");
    assertThat(answer.json().path("cascade_deleted").asInt(-1)).isZero();
    assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(410);
    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT count(*) FROM workspace_tokens WHERE revoked_at IS NULL AND"
                        + " workspace_id = '"
                        + agent.id()
                        + "'"))
        .isEqualTo("0");
    JsonNode events = CLIENT.events(agent.id(), "WORKSPACE_REMOVED");
    assertThat(events).hasSize(1);
    JsonNode payload = events.path(0).path("payload");
    assertThat(payload.path("cascade_deleted").asInt(-1)).isZero();
    assertThat(payload.path("status").asString()).isEqualTo("removed");
    assertThat(payload.path("previous_status").asString()).isEqualTo("online");
  }

  @Test
  void isGoneAtTheSecondRemoval() {
    Agent agent = CLIENT.create("Twice");
    delete(agent, "");

    assertRefused(delete(agent, ""), 410, "WORKSPACE_REMOVED");
    assertRefused(delete(agent, "?confirm=true"), 410, "WORKSPACE_REMOVED");
    assertRefused(
        CLIENT.delete("/workspaces/" + UUID.randomUUID(), ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
    assertThat(CLIENT.events(agent.id(), "WORKSPACE_REMOVED")).hasSize(1);
  }

  @Test
  void requiresConfirmationWithChildren() {
    Agent parent = CLIENT.create("Parent");
    Agent child = child(parent, "Child");
    Agent paused = child(parent, "Paused");
    CLIENT.post("/workspaces/" + paused.id() + "/pause", ADMIN_TOKEN, "");

    for (String query : List.of("", "?confirm=false", "?confirm=")) {
      Answer answer = delete(parent, query);
      assertRefused(answer, 409, "CONFIRMATION_REQUIRED");
      assertThat(answer.field("detail"))
          .isEqualTo(
              "the workspace has children (2), which are removed with it; confirm this"
                  + " (?confirm=true)");
      assertThat(answer.json().path("children")).hasSize(2);
      assertThat(answer.text()).contains(child.id().toString(), paused.id().toString());
    }
    assertThat(CLIENT.read(parent).path("status").asString()).isEqualTo("awaiting_agent");
    assertThat(CLIENT.events(parent.id(), "WORKSPACE_REMOVED")).isEmpty();
  }

  @Test
  void removesTheWholeBranchWhenConfirmed() {
    Agent root = CLIENT.create("Root");
    Agent middle = child(root, "Middle");
    Agent leaf = child(middle, "Leaf");
    Agent gone = child(middle, "Gone before");
    Agent beside = CLIENT.create("Beside");
    delete(gone, "");

    Answer answer = delete(root, "?confirm=true");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json().path("cascade_deleted").asInt()).isEqualTo(2);
    for (Agent one : List.of(root, middle, leaf)) {
      assertRefused(CLIENT.get("/workspaces/" + one.id(), ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
      assertThat(CLIENT.heartbeat(one).status()).isEqualTo(410);
      assertThat(CLIENT.events(one.id(), "WORKSPACE_REMOVED")).hasSize(1);
    }
    assertThat(
            CLIENT
                .events(root.id(), "WORKSPACE_REMOVED")
                .path(0)
                .path("payload")
                .path("cascade_deleted")
                .asInt())
        .isEqualTo(2);
    assertThat(CLIENT.events(gone.id(), "WORKSPACE_REMOVED")).hasSize(1);
    assertThat(CLIENT.read(beside).path("status").asString()).isEqualTo("awaiting_agent");
  }

  @Test
  void needsNoConfirmationForRemovedChildren() {
    Agent parent = CLIENT.create("Parent");
    delete(child(parent, "Gone"), "");

    assertThat(delete(parent, "").json().path("cascade_deleted").asInt(-1)).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Reviewer", "Prüferin Ä", "審査員", "a: b, c", "Müller \uD83D\uDE00", "x%20y"})
  void comparesTheNameOfTheConfirmation(String name) {
    Agent agent = CLIENT.create(name);
    Agent other = CLIENT.create(name + " 2");

    assertRefused(deleteNamed(agent, name + "x"), 400, "CONFIRMATION_MISMATCH");
    assertRefused(deleteNamed(other, name), 400, "CONFIRMATION_MISMATCH");
    assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");

    assertThat(deleteNamed(agent, name).status()).isEqualTo(200);
  }

  @Test
  void comparesTheNameExactly() {
    Agent agent = CLIENT.create("Reviewer");

    assertThat(
            RawHttp.statusesOnOneConnection(
                SERVER.port(),
                "GET /workspaces/" + agent.id(),
                List.of("X-Confirm-Name: Reviewer\r\nAuthorization: Bearer " + ADMIN_TOKEN)))
        .containsExactly(200);
    assertRefused(deleteNamed(agent, "reviewer"), 400, "CONFIRMATION_MISMATCH");
    assertRefused(deleteNamed(agent, "Reviewer Reviewer"), 400, "CONFIRMATION_MISMATCH");
  }

  @Test
  void requiresConfirmationAlsoWithTheRightName() {
    Agent parent = CLIENT.create("Named");
    child(parent, "Child");

    assertRefused(deleteNamed(parent, "Named"), 409, "CONFIRMATION_REQUIRED");
  }

  private static Agent child(Agent parent, String name) {
    return CLIENT.create(name, "\"parent_id\":\"" + parent.id() + "\"");
  }

  private static Answer delete(Agent agent, String query) {
    return CLIENT.delete("/workspaces/" + agent.id() + query, ADMIN_TOKEN);
  }

  /** Sends the name in UTF-8, which Java's HTTP client does not do. */
  private static Answer deleteNamed(Agent agent, String name) {
    return RawHttp.send(
        SERVER.port(),
        "DELETE /workspaces/" + agent.id(),
        List.of("Authorization: Bearer " + ADMIN_TOKEN, "X-Confirm-Name: " + name));
  }
}
