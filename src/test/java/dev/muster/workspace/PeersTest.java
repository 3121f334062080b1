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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Which workspaces may talk to each other, and how agents find each other (R3.4 to R3.6). */
class PeersTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final SmallTree TREE = new SmallTree(CLIENT);

  @ParameterizedTest(name = "{0} and {1}: {2}")
  @CsvSource({
    "self, self, true",
    "self, sibling, true",
    "self, parent, true",
    "self, grandparent, true",
    "self, child, true",
    "parent, child, true",
    "grandparent, child, true",
    "self, uncle, false",
    "self, cousin, false",
    "sibling, child, false",
    "uncle, parent, true",
    "uncle, cousin, true",
    "child, cousin, false",
    "grandparent, otherRoot, false",
    "self, otherRoot, false",
    "self, removed, false",
    "removed, removed, false",
    "parent, removed, false",
    "self, unknown, false",
    "unknown, unknown, false"
  })
  void mayTalkToRelativesOnly(String one, String other, boolean allowed) {
    TREE.assertMayTalk(one, other, allowed);
    TREE.assertMayTalk(other, one, allowed);
  }

  @Test
  void exemptsTheAdmin() {
    for (String name : List.of("self", "otherRoot", "cousin")) {
      Answer answer =
          CLIENT.get(
              "/registry/discover/" + TREE.id(name),
              ADMIN_TOKEN,
              "X-Workspace-ID",
              TREE.id("child").toString());
      assertThat(answer.status()).isEqualTo(200);
    }
  }

  @Test
  void findsAPollPeerWithoutItsUrl() {
    Agent push =
        CLIENT.createOnline("Push", "\"url\":\"http://127.0.0.1:9/a\"", TREE.under("parent"));

    Answer found = discover(TREE.agent("self"), push.id());
    assertThat(found.json().propertyNames())
        .containsExactlyInAnyOrder("id", "name", "url", "delivery_mode", "status");
    assertThat(found.field("id")).isEqualTo(push.id().toString());
    assertThat(found.field("name")).isEqualTo("Push");
    assertThat(found.field("url")).isEqualTo("http://127.0.0.1:9/a");
    assertThat(found.field("delivery_mode")).isEqualTo("push");
    assertThat(found.field("status")).isEqualTo("online");
    Answer polls = discover(TREE.agent("self"), TREE.id("sibling"));
    assertThat(polls.json().path("url").asString("missing")).isEmpty();
    assertThat(polls.field("delivery_mode")).isEqualTo("poll");
    CLIENT.delete("/workspaces/" + push.id(), ADMIN_TOKEN);
  }

  @Test
  void requiresTheWorkspaceOfTheCaller() {
    Answer answer =
        CLIENT.get("/registry/discover/" + TREE.id("sibling"), TREE.agent("self").token());

    assertRefused(answer, 400);
    assertThat(answer.field("error")).contains("X-Workspace-ID");
  }

  @Test
  void refusesAnAgentInTheNameOfAnother() {
    Answer answer =
        CLIENT.get(
            "/registry/discover/" + TREE.id("otherRoot"),
            TREE.agent("self").token(),
            "X-Workspace-ID",
            TREE.id("otherRoot").toString());

    assertThat(answer.status()).isIn(401, 403);
  }

  @Test
  void listsSiblingsChildrenAndParent() {
    assertThat(names(TREE.agent("self"), ""))
        .containsExactlyInAnyOrder("parent", "sibling", "child");
    assertThat(names(TREE.agent("child"), "")).containsExactly("self");
    assertThat(names(TREE.agent("grandparent"), "")).containsExactlyInAnyOrder("parent", "uncle");
    assertThat(names(TREE.agent("parent"), ""))
        .containsExactlyInAnyOrder("grandparent", "uncle", "self", "sibling");
    assertThat(names(TREE.agent("otherRoot"), "")).isEmpty();
    assertThat(peers(TREE.agent("otherRoot"), "").text()).isEqualTo("[]");
  }

  @Test
  void filtersByAPartOfNameOrRoleInAnyCase() {
    assertThat(names(TREE.agent("self"), "?q=SIBL")).containsExactly("sibling");
    assertThat(names(TREE.agent("self"), "?q=ole%20of%20the%20C")).containsExactly("child");
    assertThat(names(TREE.agent("self"), "?q=")).hasSize(3);
    assertThat(names(TREE.agent("self"), "?q=nobody")).isEmpty();
    assertThat(names(TREE.agent("self"), "?q=%25")).isEmpty();
    assertThat(names(TREE.agent("self"), "?q=_")).isEmpty();
  }

  @Test
  void describesAPeer() {
    CLIENT.heartbeat(TREE.agent("child"), "\"active_tasks\":2", "\"agent_card\":{\"a\":1}");

    JsonNode child = peers(TREE.agent("self"), "?q=child").json().path(0);
    JsonNode parent = peers(TREE.agent("self"), "?q=parent").json().path(0);

    assertThat(child.propertyNames())
        .containsExactlyInAnyOrder(
            "id",
            "name",
            "role",
            "tier",
            "status",
            "url",
            "delivery_mode",
            "parent_id",
            "active_tasks",
            "agent_card");
    assertThat(child.path("id").asString()).isEqualTo(TREE.id("child").toString());
    assertThat(child.path("role").asString()).isEqualTo("role of the child");
    assertThat(child.path("tier").asInt()).isEqualTo(3);
    assertThat(child.path("status").asString()).isEqualTo("online");
    assertThat(child.path("url").asString("missing")).isEmpty();
    assertThat(child.path("delivery_mode").asString()).isEqualTo("poll");
    assertThat(child.path("parent_id").asString()).isEqualTo(TREE.id("self").toString());
    assertThat(child.path("active_tasks").asInt()).isEqualTo(2);
    assertThat(child.path("agent_card").toString()).isEqualTo("{\"a\":1}");
    assertThat(parent.path("role").asString("missing")).isEmpty();
    assertThat(parent.path("agent_card").isNull()).isTrue();
  }

  @Test
  void toleratesACycleInTheData() {
    Agent one = CLIENT.create("One");
    Agent two = CLIENT.create("Two", "\"parent_id\":\"" + one.id() + "\"");
    SERVER
        .database()
        .execute(
            "UPDATE workspaces SET parent_id = '%s' WHERE id = '%s'".formatted(two.id(), one.id()));

    assertThat(discover(one, two.id()).status()).isEqualTo(200);
    assertThat(discover(one, TREE.id("self")).status()).isEqualTo(403);
    assertThat(names(one, "")).containsExactly("Two");
    assertThat(CLIENT.delete("/workspaces/" + one.id() + "?confirm=true", ADMIN_TOKEN).status())
        .isEqualTo(200);
  }

  private static Answer discover(Agent from, UUID target) {
    return CLIENT.get(
        "/registry/discover/" + target, from.token(), "X-Workspace-ID", from.id().toString());
  }

  private static Answer peers(Agent of, String query) {
    return CLIENT.get("/registry/" + of.id() + "/peers" + query, of.token());
  }

  private static List<String> names(Agent of, String query) {
    return peers(of, query)
        .json()
        .valueStream()
        .map(peer -> peer.path("name").asString())
        .collect(toList());
  }
}
