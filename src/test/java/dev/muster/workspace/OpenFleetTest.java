package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What {@code ROOTS_ARE_SIBLINGS}, {@code PUBLIC_WORKSPACE_READ}, {@code PUBLIC_URL} and {@code
 * AGENT_URL_ALLOW=private} allow, and what they do not (R3.3, R3.4, sections 2 and 12).
 */
class OpenFleetTest {

  private static final TestServer SERVER =
      TestServer.start(
          "ROOTS_ARE_SIBLINGS=true",
          "PUBLIC_WORKSPACE_READ=true",
          "PUBLIC_URL=https://muster.example/base/",
          "AGENT_URL_ALLOW=private",
          "HEARTBEAT_INTERVAL_S=7",
          "STALE_AFTER_S=50");
  private static final TestClient CLIENT = SERVER.client();
  private static final SmallTree TREE = new SmallTree(CLIENT);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource({
    "grandparent, otherRoot, true",
    "self, sibling, true",
    "self, grandparent, true",
    "self, otherRoot, false",
    "self, cousin, false",
    "self, uncle, false"
  })
  void makesOnlyRootsSiblings(String one, String other, boolean allowed) {
    for (String[] pair : new String[][] {{one, other}, {other, one}}) {
      Answer check =
          CLIENT.post(
              "/registry/check-access",
              null,
              "{\"caller_id\":\"%s\",\"target_id\":\"%s\"}"
                  .formatted(TREE.id(pair[0]), TREE.id(pair[1])));
      assertThat(check.json().path("allowed").asBoolean(!allowed)).isEqualTo(allowed);
      Answer found =
          CLIENT.get(
              "/registry/discover/" + TREE.id(pair[1]),
              TREE.agent(pair[0]).token(),
              "X-Workspace-ID",
              TREE.id(pair[0]).toString());
      assertThat(found.status()).isEqualTo(allowed ? 200 : 403);
    }
  }

  @Test
  void listsOtherRootsAsPeersOfARoot() {
    assertThat(names("otherRoot")).contains("grandparent").doesNotContain("otherRoot", "parent");
    assertThat(names("grandparent")).contains("otherRoot", "parent", "uncle");
    assertThat(names("self")).containsExactlyInAnyOrder("parent", "sibling", "child");
  }

  @Test
  void showsAWorkspaceWithoutItsTaskToAnonymousCallers() {
    Agent agent = CLIENT.create("Public");
    CLIENT.heartbeat(agent, "\"current_task\":\"a secret\"");

    for (Answer answer :
        List.of(
            CLIENT.get("/workspaces/" + agent.id(), null),
            CLIENT.get("/workspaces/" + agent.id(), TREE.agent("child").token()))) {
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.field("name")).isEqualTo("Public");
      assertThat(answer.json().has("current_task")).isFalse();
      assertThat(answer.text()).doesNotContain("a secret");
    }
    assertThat(CLIENT.get("/workspaces/" + agent.id(), agent.token()).field("current_task"))
        .isEqualTo("a secret");
  }

  @Test
  void showsNothingElseToAnonymousCallers() {
    String path = "/workspaces/" + TREE.id("self");

    assertRefused(CLIENT.get("/workspaces", null), 401, "UNAUTHENTICATED");
    assertRefused(CLIENT.get(path + "/state", null), 401, "UNAUTHENTICATED");
    assertRefused(CLIENT.get(path + "/tokens", null), 401, "UNAUTHENTICATED");
    assertRefused(CLIENT.get(path, "x".repeat(43)), 401, "UNAUTHENTICATED");
    assertRefused(CLIENT.patch(path, null, "{\"name\":\"a\"}"), 401, "UNAUTHENTICATED");
    assertRefused(CLIENT.get("/workspaces/" + TREE.id("removed"), null), 410, "WORKSPACE_REMOVED");
    assertRefused(CLIENT.get("/workspaces/" + UUID.randomUUID(), null), 404, "WORKSPACE_NOT_FOUND");
  }

  @Test
  void namesItsPublicAddressToNewAgents() {
    Answer answer = CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Address\"}");

    var connection = answer.json().path("connection");
    assertThat(connection.path("platform_url").asString())
        .startsWith("https://muster.example/base");
    assertThat(connection.path("registry_endpoint").asString())
        .isEqualTo("https://muster.example/base/registry/register");
    assertThat(connection.path("heartbeat_endpoint").asString())
        .isEqualTo("https://muster.example/base/registry/heartbeat");
  }

  @ParameterizedTest
  @CsvSource({
    "http://10.0.0.1/, 201",
    "http://192.168.7.7/, 201",
    "http://[fd12::1]/, 201",
    "http://127.0.0.1/, 400",
    "http://169.254.169.254/, 400",
    "http://100.64.0.1/, 400",
    "http://0.0.0.0/, 400"
  })
  void allowsTheConfiguredClassesOfAddresses(String url, int status) {
    Answer answer =
        CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Url\",\"url\":\"" + url + "\"}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
  }

  @Test
  void returnsTheConfiguredCadenceToAgents() {
    Answer heartbeat = CLIENT.heartbeat(TREE.agent("self"));

    assertThat(heartbeat.json().path("heartbeat_interval_s").asInt()).isEqualTo(7);
    assertThat(heartbeat.json().path("stale_after_s").asInt()).isEqualTo(50);
  }

  private static List<String> names(String of) {
    Agent agent = TREE.agent(of);
    return CLIENT
        .get("/registry/" + agent.id() + "/peers", agent.token())
        .json()
        .valueStream()
        .map(peer -> peer.path("name").asString())
        .collect(toList());
  }
}
