package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import tools.jackson.databind.JsonNode;

/** A new workspace has an event for the canvas, on every replica (R10.1). */
@Timeout(60)
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of ProvisioningEventsTest")
class ProvisioningEventsTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE);
  private static final TestServer OTHER = TestServer.startOn(DATABASE);

  @AfterAll
  static void stop() {
    OTHER.close();
    ONE.close();
  }

  @Test
  void publishesANewWorkspaceOnEveryReplica() {
    Agent parent = ONE.client().create("parent");
    try (TestSocket here = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN);
        TestSocket there = TestSocket.open(OTHER.client(), "/ws", ADMIN_TOKEN)) {
      Answer created =
          ONE.client()
              .post(
                  "/workspaces",
                  ADMIN_TOKEN,
                  """
                  {"name":"new","tier":2,"runtime":"claude","parent_id":"%s","canvas":{"x":4.5,"y":-1}}\
                  """
                      .formatted(parent.id()));

      assertThat(created.field("name")).isEqualTo("new");
      for (TestSocket canvas : List.of(here, there)) {
        JsonNode frame =
            canvas.await(one ->
                one.path("event").asString().equals("WORKSPACE_PROVISIONING")
                    && one.path("workspace_id").asString().equals(created.field("id")));
        assertThat(frame.has("seq")).isFalse();
        assertThat(frame.path("payload"))
            .hasToString(
                """
                {"name":"new","tier":2,"runtime":"claude","parent_id":"%s","x":4.5,"y":-1.0}\
                """
                    .formatted(parent.id()));
      }
    }
    assertThat(ONE.client().get("/events?type=WORKSPACE_PROVISIONING", ADMIN_TOKEN).json())
        .isEmpty();
  }

  /** A resumed workspace awaits its agent as a new one does, but is on the canvas already. */
  @Test
  void publishesOnlyCreationsEachOnce() {
    try (TestSocket canvas = TestSocket.open(ONE.client(), "/ws", ADMIN_TOKEN)) {
      Agent old = ONE.client().createOnline("old");
      await(canvas, "WORKSPACE_PROVISIONING", old);
      try (TestSocket peer = TestSocket.open(ONE.client(), "/ws", old.token())) {
        ONE.client().post("/workspaces/" + old.id() + "/pause", ADMIN_TOKEN, "{}");
        ONE.client().post("/workspaces/" + old.id() + "/resume", ADMIN_TOKEN, "{}");
        Agent child = ONE.client().create("child", "\"parent_id\":\"" + old.id() + "\"");
        ONE.client().heartbeat(child);

        await(canvas, "WORKSPACE_ONLINE", child);
        await(peer, "WORKSPACE_ONLINE", child);
        await(canvas, "WORKSPACE_PROVISIONING", child);

        assertThat(provisioned(canvas)).containsExactly(old.id().toString(), child.id().toString());
        assertThat(provisioned(peer)).isEmpty();
      }
    }
  }

  private static void await(TestSocket socket, String event, Agent of) {
    socket.await(frame ->
        frame.path("event").asString().equals(event)
            && frame.path("workspace_id").asString().equals(of.id().toString()));
  }

  private static List<String> provisioned(TestSocket socket) {
    return socket.frames().stream()
        .filter(frame -> frame.path("event").asString().equals("WORKSPACE_PROVISIONING"))
        .map(frame -> frame.path("workspace_id").asString())
        .toList();
  }
}
