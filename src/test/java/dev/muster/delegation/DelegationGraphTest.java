package dev.muster.delegation;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Who delegates to whom, and the ledger of one workspace, for operators (R8.9). */
class DelegationGraphTest {

  private static final TestServer SERVER = TestServer.start("DELEGATION_SWEEPER_ENABLED=false");
  private static final TestClient CLIENT = SERVER.client();

  private final Agent lead = CLIENT.create("Lead");
  private final Agent one = CLIENT.create("One", "\"parent_id\":\"" + lead.id() + "\"");
  private final Agent two = CLIENT.create("Two", "\"parent_id\":\"" + lead.id() + "\"");
  private final Agent other = CLIENT.create("Other");

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void fill() {
    SERVER.database().execute("DELETE FROM delegations");
    enter(lead, one, "in_progress", "10 minutes");
    enter(lead, one, "stuck", "2 days");
    enter(lead, one, "completed", "30 minutes");
    enter(lead, one, "completed", "3 hours");
    enter(one, two, "failed", "30 minutes");
    enter(other, other, "completed", "30 minutes");
    enter(other, other, "queued", "1 minute");
  }

  @Test
  void countsByCallerAndCalleeWithinTheWindow() {
    JsonNode hour = graph("?window=1h");

    assertThat(hour.path("left_out").asInt()).isZero();
    assertThat(hour.path("is_whole").asBoolean()).isTrue();
    assertThat(hour.path("edges").valueStream().map(DelegationGraphTest::shown))
        .containsExactly(
            names(lead, one) + " 2 1 0 1",
            names(one, two) + " 0 0 1 0",
            names(other, other) + " 1 0 0 1");
    assertThat(hour.path("edges").path(0).path("oldest_s").asLong())
        .isBetween(2 * 86_400L, 2 * 86_400L + 60);
    assertThat(hour.path("edges").path(1).path("oldest_s").isNull()).isTrue();
    assertThat(graph("?window=7d").path("edges").path(0).path("completed").asInt()).isEqualTo(2);
    assertThat(graph("?window=5m").path("edges").path(0).path("completed").asInt()).isZero();
    assertThat(graph("?window=5m").path("edges").path(0).path("in_flight").asInt()).isEqualTo(2);
  }

  @Test
  void showsTheEdgesOfOneBranch() {
    assertThat(graph("?under=" + two.id()).path("edges").valueStream().map(edge -> shown(edge)))
        .containsExactly(names(one, two) + " 0 0 1 0");
    assertThat(graph("?under=" + lead.id()).path("edges").size()).isEqualTo(2);
    assertRefused(
        CLIENT.get("/admin/delegations/graph?under=" + UUID.randomUUID(), ADMIN_TOKEN),
        404,
        "WORKSPACE_NOT_FOUND");
  }

  @Test
  void leavesOutWhatHasLessToTell() {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
                created_at, updated_at)
            SELECT 'flood-' || n, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 't', 'completed', 60, now(), now(),
                now() FROM generate_series(1, 600) AS n
            """);

    JsonNode graph = graph("");
    assertThat(graph.path("edges").size()).isEqualTo(500);
    assertThat(graph.path("left_out").asInt()).isEqualTo(103);
    assertThat(shown(graph.path("edges").path(0))).startsWith(names(lead, one));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0h", "31d", "99999d"})
  void clampsTheWindow(String window) {
    assertThat(CLIENT.get("/admin/delegations/graph?window=" + window, ADMIN_TOKEN).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "h", "-1h", "1w", "999999d", "1h1m"})
  void refusesAnotherWindow(String window) {
    Answer answer = CLIENT.get("/admin/delegations/graph?window=" + window, ADMIN_TOKEN);
    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(answer.field("error")).contains("such as 15m, 1h or 7d");
  }

  @Test
  void listsTheDelegationsOfOneWorkspace() {
    assertThat(statuses("workspace_id=" + one.id())).containsExactly("in_progress", "stuck");
    assertThat(statuses("workspace_id=" + one.id() + "&status=stuck")).containsExactly("stuck");
    assertThat(statuses("workspace_id=" + one.id() + "&status=failed")).containsExactly("failed");
    assertThat(statuses("workspace_id=" + one.id() + "&status=completed"))
        .containsExactly("completed", "completed");
    assertThat(statuses("workspace_id=" + two.id())).isEmpty();
    Answer first =
        CLIENT.get(
            "/admin/delegations?limit=1&status=completed&workspace_id=" + one.id(), ADMIN_TOKEN);
    String link = first.header("Link");
    Answer second = CLIENT.get(link.substring(1, link.indexOf('>')), ADMIN_TOKEN);
    assertThat(second.json().size()).isEqualTo(1);
    assertThat(second.json().path(0).path("delegation_id"))
        .isNotEqualTo(first.json().path(0).path("delegation_id"));
    assertThat(second.header("Link")).isEmpty();
    assertRefused(CLIENT.get("/admin/delegations?workspace_id=7", ADMIN_TOKEN), 400, "INVALID_ID");
  }

  private static List<String> statuses(String query) {
    Answer answer = CLIENT.get("/admin/delegations?" + query, ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json().valueStream().map(one -> one.path("status").asString()).toList();
  }

  private static JsonNode graph(String query) {
    Answer answer = CLIENT.get("/admin/delegations/graph" + query, ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private static String names(Agent from, Agent to) {
    return from.id() + " " + to.id();
  }

  private static String shown(JsonNode edge) {
    return "%s %s %d %d %d %d"
        .formatted(
            edge.path("from").asString(),
            edge.path("to").asString(),
            edge.path("in_flight").asInt(),
            edge.path("stuck").asInt(),
            edge.path("failed").asInt(),
            edge.path("completed").asInt());
  }

  private static void enter(Agent caller, Agent callee, String status, String age) {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
                created_at, updated_at)
            VALUES ('%s', gen_random_uuid(), '%s', '%s', 'task', '%s', 60, now() + interval '1 day', now() - interval '%s', now())
            """
                .formatted(UUID.randomUUID(), caller.id(), callee.id(), status, age));
  }
}
