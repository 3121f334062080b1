package dev.muster.workspace;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import org.junit.jupiter.api.Test;

/** Who may talk is remembered for one version of the hierarchy only (R3.4). */
class AllowedPairsTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void forgetsAPairThatAMoveSeparates() {
    Hierarchy hierarchy = SERVER.bean(Hierarchy.class);
    Agent parent = CLIENT.create("Parent");
    Agent other = CLIENT.create("Other");
    Agent child = CLIENT.create("Child", "\"parent_id\":\"" + parent.id() + "\"");
    Agent below = CLIENT.create("Below", "\"parent_id\":\"" + child.id() + "\"");
    assertThat(hierarchy.mayTalk(parent.id(), below.id(), version())).isTrue();

    CLIENT.patch(
        "/workspaces/" + child.id(), ADMIN_TOKEN, "{\"parent_id\":\"" + other.id() + "\"}");

    assertThat(hierarchy.mayTalk(parent.id(), below.id(), version())).isFalse();
    assertThat(hierarchy.mayTalk(other.id(), below.id(), version())).isTrue();
  }

  private static long version() {
    return Long.parseLong(SERVER.database().value("SELECT version FROM workspace_tree"));
  }
}
