package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
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
import tools.jackson.databind.json.JsonMapper;

/** {@code PATCH /workspaces/{id}} (section 2). */
class ChangeWorkspaceTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "name | 'Other'",
        "role | 'writes'",
        "role | null",
        "collapsed | true",
        "x | 12.5",
        "y | -7.25"
      })
  void letsAnAgentChangeItsDisplayFields(String field, String value) {
    Agent agent = CLIENT.create("Own", "\"role\":\"before\"");

    Answer answer = patch(agent, agent.token(), field, value);

    assertUpdated(agent, answer, field, value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "name | 'Other'",
        "role | 'writes'",
        "collapsed | true",
        "x | 12.5",
        "y | -7.25",
        "tier | 1",
        "runtime | 'python'",
        "max_concurrent_tasks | 9",
        "agent_card | {'name':'Other'}",
        "agent_card | null",
        "url | 'http://127.0.0.1:9/other'",
        "url | ''",
        "delivery_mode | 'push'"
      })
  void letsTheAdminChangeEverything(String field, String value) {
    boolean turnsToPush = field.equals("delivery_mode");
    Agent agent =
        CLIENT.create(
            "Any",
            turnsToPush ? "\"delivery_mode\":\"poll\"" : "\"url\":\"http://127.0.0.1:9/\"",
            "\"agent_card\":{\"name\":\"Any\"}");

    Answer answer = patch(agent, ADMIN_TOKEN, field, value);

    assertUpdated(agent, answer, field, value);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "tier | 1",
        "runtime | 'python'",
        "max_concurrent_tasks | 9",
        "agent_card | {'name':'Other'}",
        "url | 'http://127.0.0.1:9/other'",
        "delivery_mode | 'push'",
        "parent_id | null",
        "parent_id | '{other}'"
      })
  void changesNothingWhenOneFieldIsForbidden(String field, String value) {
    Agent parent = CLIENT.create("Parent");
    Agent agent = CLIENT.create("Own", "\"parent_id\":\"" + parent.id() + "\"");
    JsonNode before = CLIENT.read(agent);
    String body =
        "{'name':'Other','%s':%s,'x':5}"
            .formatted(field, value.replace("{other}", parent.id().toString()))
            .replace('\'', '"');

    assertRefused(CLIENT.patch("/workspaces/" + agent.id(), agent.token(), body), 403, "FORBIDDEN");

    assertThat(CLIENT.read(agent)).isEqualTo(before);
    assertThat(CLIENT.events(agent.id(), "WORKSPACE_UPDATED")).isEmpty();
  }

  @Test
  void doesNotLetAPeerChangeIt() {
    Agent parent = CLIENT.create("Parent");
    Agent child = CLIENT.create("Child", "\"parent_id\":\"" + parent.id() + "\"");

    assertRefused(
        CLIENT.patch("/workspaces/" + child.id(), parent.token(), "{\"name\":\"Taken\"}"),
        403,
        "FORBIDDEN");
    assertThat(CLIENT.read(child).path("name").asString()).isEqualTo("Child");
  }

  @Test
  void movesInTheHierarchyAndToItsRoot() {
    Agent one = CLIENT.create("One");
    Agent other = CLIENT.create("Other", "\"parent_id\":\"" + one.id() + "\"");
    Agent moved = CLIENT.create("Moved", "\"parent_id\":\"" + one.id() + "\"");

    assertUpdated(
        moved,
        patch(moved, ADMIN_TOKEN, "parent_id", "'" + other.id() + "'"),
        "parent_id",
        "'" + other.id() + "'");
    assertUpdated(moved, patch(moved, ADMIN_TOKEN, "parent_id", "null"), "parent_id", "null");
  }

  @Test
  void neverBecomesItsOwnAncestor() {
    Agent top = CLIENT.create("Top");
    Agent middle = CLIENT.create("Middle", "\"parent_id\":\"" + top.id() + "\"");
    Agent bottom = CLIENT.create("Bottom", "\"parent_id\":\"" + middle.id() + "\"");

    for (Agent parent : new Agent[] {top, middle, bottom}) {
      Answer answer = patch(top, ADMIN_TOKEN, "parent_id", "'" + parent.id() + "'");
      assertRefused(answer, 422, "PARENT_CYCLE");
    }
    assertRefused(
        patch(middle, ADMIN_TOKEN, "parent_id", "'" + bottom.id() + "'"), 422, "PARENT_CYCLE");
    assertThat(CLIENT.read(top).path("parent_id").isNull()).isTrue();
    assertThat(CLIENT.events(top.id(), "WORKSPACE_UPDATED")).isEmpty();
  }

  @Test
  void requiresAnExistingParent() {
    Agent agent = CLIENT.create("Agent");
    Agent removed = CLIENT.create("Removed");
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    for (UUID parent : new UUID[] {UUID.randomUUID(), removed.id()}) {
      String body = "{\"name\":\"Changed\",\"parent_id\":\"" + parent + "\"}";
      assertRefused(
          CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, body), 422, "PARENT_NOT_FOUND");
    }
    assertThat(CLIENT.read(agent).path("name").asString()).isEqualTo("Agent");
  }

  @Test
  void publishesAChangeOnceAndNothingWithoutAChange() {
    Agent agent = CLIENT.create("Told");

    patch(agent, agent.token(), "name", "'Retold'");
    CLIENT.patch("/workspaces/" + agent.id(), agent.token(), "{\"nobody_knows\":1}");

    JsonNode events = CLIENT.events(agent.id(), "WORKSPACE_UPDATED");
    assertThat(events).hasSize(1);
    assertThat(events.path(0).path("payload").path("name").asString()).isEqualTo("Retold");
  }

  @Test
  void keepsMissingFields() {
    Agent agent =
        CLIENT.create(
            "Same",
            "\"role\":\"a role\"",
            "\"tier\":1",
            "\"url\":\"http://127.0.0.1:9/\"",
            "\"agent_card\":{\"a\":1}",
            "\"canvas\":{\"x\":1,\"y\":2}");
    JsonNode before = CLIENT.read(agent);

    patch(agent, ADMIN_TOKEN, "collapsed", "true");

    JsonNode after = CLIENT.read(agent);
    for (String name : before.propertyNames()) {
      if (!name.equals("collapsed") && !name.equals("updated_at")) {
        assertThat(after.path(name)).as(name).isEqualTo(before.path(name));
      }
    }
    assertThat(after.path("collapsed").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "name",
        "tier",
        "runtime",
        "delivery_mode",
        "max_concurrent_tasks",
        "x",
        "y",
        "collapsed"
      })
  void takesNullForAMissingField(String field) {
    Agent agent = CLIENT.create("Same", "\"tier\":1", "\"canvas\":{\"x\":1,\"y\":2}");
    JsonNode before = CLIENT.read(agent);

    Answer answer = patch(agent, agent.token(), field, "null");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(CLIENT.read(agent)).isEqualTo(before);
  }

  @Test
  void clearsTheUrlAtAChangeToPoll() {
    Agent agent = CLIENT.create("Poll", "\"url\":\"http://127.0.0.1:9/\"");

    patch(agent, ADMIN_TOKEN, "delivery_mode", "'poll'");

    assertThat(CLIENT.read(agent).path("url").asString("missing")).isEmpty();
  }

  @Test
  void cannotBeChangedAfterItsRemoval() {
    Agent agent = CLIENT.create("Removed");
    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    assertRefused(patch(agent, ADMIN_TOKEN, "name", "'Back'"), 410, "WORKSPACE_REMOVED");
    assertThat(CLIENT.events(agent.id(), "WORKSPACE_UPDATED")).isEmpty();
  }

  private static Answer patch(Agent agent, String token, String field, String value) {
    String body = "{'%s':%s}".formatted(field, value).replace('\'', '"');
    return CLIENT.patch("/workspaces/" + agent.id(), token, body);
  }

  private static void assertUpdated(Agent agent, Answer answer, String field, String value) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"status\":\"updated\"}");
    JsonNode wanted = JsonMapper.shared().readTree(value.replace('\'', '"'));
    assertThat(CLIENT.read(agent).path(field)).isEqualTo(wanted);
    JsonNode updated = CLIENT.events(agent.id(), "WORKSPACE_UPDATED").path(0);
    assertThat(updated.path("payload").path(field)).isEqualTo(wanted);
  }
}
