package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Each change by the admin or an operator is one row, in the same transaction (R1.7). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of AuditTest")
class AuditTest {

  private static final int AT_ONCE = 24;

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @Test
  void recordsActorActionTargetTimeAndRequest() {
    Agent parent = CLIENT.create("Parent");
    Agent child = CLIENT.create("Child", "\"parent_id\":\"" + parent.id() + "\"");
    String operator = operator();

    Answer paused =
        CLIENT.post(
            "/workspaces/" + parent.id() + "/pause?cascade=true",
            operator,
            "",
            "X-Request-ID",
            "audited-1");

    assertThat(paused.status()).isEqualTo(200);
    JsonNode row = audit().getFirst();
    assertThat(row.propertyNames())
        .containsExactlyInAnyOrder(
            "at", "who", "role", "action", "targets", "outcome", "request_id", "detail");
    assertThat(row.path("who").asString()).isEqualTo("Hands");
    assertThat(row.path("role").asString()).isEqualTo("operator");
    assertThat(row.path("action").asString()).isEqualTo("POST /workspaces/{id}/pause");
    assertThat(row.path("targets").valueStream().map(JsonNode::asString))
        .containsExactlyInAnyOrder(parent.id().toString(), child.id().toString());
    assertThat(row.path("outcome").asString()).isEqualTo("done");
    assertThat(row.path("request_id").asString()).isEqualTo("audited-1");
    assertThat(Instant.parse(row.path("at").asString()))
        .isBetween(Instant.now().minusSeconds(60), Instant.now().plusSeconds(60));
  }

  @Test
  void namesTheCreatedWorkspace() {
    Agent agent = CLIENT.create("Created");

    JsonNode row = audit().getFirst();

    assertThat(row.path("who").asString()).isEqualTo("admin");
    assertThat(row.path("role").asString()).isEqualTo("admin");
    assertThat(row.path("action").asString()).isEqualTo("POST /workspaces");
    assertThat(row.path("targets").valueStream().map(JsonNode::asString))
        .contains(agent.id().toString());
    assertThat(row.toString()).doesNotContain(agent.token());
  }

  @Test
  void recordsNoReadsNoFailuresAndNoChangesOfAgents() {
    Agent agent = CLIENT.create("Quiet");
    int before = audit().size();

    CLIENT.heartbeat(agent);
    CLIENT.post("/workspaces/" + agent.id() + "/pause", agent.token(), "");
    CLIENT.read(agent);
    String taken = "{\"name\":\"Taken\",\"id\":\"" + agent.id() + "\"}";
    assertRefused(CLIENT.post("/workspaces", ADMIN_TOKEN, taken), 409, "ID_TAKEN");

    assertThat(audit()).hasSize(before);
  }

  @Test
  void recordsThatAChangeWasRefused() {
    String delegation = delegation();
    String path = "/admin/delegations/" + delegation;
    assertThat(CLIENT.post(path + "/fail", ADMIN_TOKEN, "{}").status()).isEqualTo(200);

    assertRefused(CLIENT.post(path + "/retry", ADMIN_TOKEN, ""), 409, "INVALID_TRANSITION");

    assertThat(audit().getFirst().path("outcome").asString()).isEqualTo("refused");
    assertThat(audit().get(1).path("outcome").asString()).isEqualTo("done");
  }

  @Test
  void changesNothingWhenItsRowCannotBeStored() {
    Agent agent = CLIENT.create("Unaudited");
    String delegation = delegation();
    execute(
        "CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION"
            + " ''no audit''; END'");
    execute(
        "CREATE TRIGGER no_audit BEFORE INSERT ON operator_actions FOR EACH ROW EXECUTE FUNCTION"
            + " no_audit()");
    try {
      UUID id = UUID.randomUUID();
      String body = "{\"name\":\"Unaudited\",\"id\":\"" + id + "\"}";
      assertThat(CLIENT.post("/workspaces", ADMIN_TOKEN, body).status())
          .isGreaterThanOrEqualTo(500);
      assertThat(CLIENT.get("/workspaces/" + id, ADMIN_TOKEN).status()).isEqualTo(404);
      CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"name\":\"Changed\"}");
      assertThat(CLIENT.read(agent).path("name").asString()).isEqualTo("Unaudited");
      assertThat(CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN).status())
          .isGreaterThanOrEqualTo(500);
      assertThat(CLIENT.read(agent).path("status").asString()).isEqualTo("awaiting_agent");
      // also in a group commit, where it affects no other caller
      String fail = "/admin/delegations/" + delegation + "/fail";
      assertThat(CLIENT.post(fail, ADMIN_TOKEN, "{}").status()).isGreaterThanOrEqualTo(500);
      assertThat(CLIENT.get("/admin/delegations", ADMIN_TOKEN).text()).contains(delegation);
      assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(200);
    } finally {
      execute("DROP TRIGGER no_audit ON operator_actions");
      execute("DROP FUNCTION no_audit()");
    }
  }

  @Test
  void losesNoRowInAGroupCommit() {
    List<String> delegations = Stream.generate(AuditTest::delegation).limit(AT_ONCE).toList();
    long before = failures();

    List<Integer> statuses =
        Race.run(
            AT_ONCE,
            i ->
                CLIENT
                    .post("/admin/delegations/" + delegations.get(i) + "/fail", ADMIN_TOKEN, "{}")
                    .status());

    assertThat(statuses).containsOnly(200);
    assertThat(failures() - before).isEqualTo(AT_ONCE);
  }

  /** A check of the database refuses one message, or its row here, so that its batch is split. */
  @ParameterizedTest
  @ValueSource(strings = {"activity_logs: message_id", "operator_actions: request_id"})
  void isOneRowForEachMessageOfABatchThatIsSplit(String column) {
    Agent target = CLIENT.create("Target", "\"delivery_mode\":\"poll\"");
    String table = column.substring(0, column.indexOf(':'));
    List<String> ids =
        IntStream.range(0, AT_ONCE)
            .mapToObj(i -> i == 7 ? "bad" : target.id().toString() + i)
            .toList();
    execute(
        "ALTER TABLE %s ADD CONSTRAINT no_bad CHECK (%s <> 'bad') NOT VALID"
            .formatted(table, column.substring(table.length() + 2)));
    List<Integer> statuses;
    try {
      statuses =
          Race.run(
              AT_ONCE,
              i ->
                  CLIENT
                      .patient()
                      .post(
                          "/workspaces/" + target.id() + "/a2a",
                          ADMIN_TOKEN,
                          message(ids.get(i)),
                          "X-Request-ID",
                          ids.get(i))
                      .status());
    } finally {
      execute("ALTER TABLE " + table + " DROP CONSTRAINT no_bad");
    }

    List<String> audited = audit().stream().map(row -> row.path("request_id").asString()).toList();
    for (int i = 0; i < AT_ONCE; i++) {
      String id = ids.get(i);
      assertThat(audited.stream().filter(id::equals)).as(id).hasSize(i == 7 ? 0 : 1);
      assertThat(statuses.get(i)).as(id).isEqualTo(i == 7 ? 500 : 200);
    }
  }

  private static String message(String id) {
    return "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"parts\":[{\"kind\":\"text\",\"text\":\"Hello\"}]}}}"
        .formatted(id);
  }

  private static long failures() {
    return audit().stream().filter(row -> row.path("action").asString().endsWith("/fail")).count();
  }

  @Test
  void givesPagesNewestFirst() {
    for (int i = 0; i < 5; i++) {
      CLIENT.create("Paged " + i);
    }

    Answer first = CLIENT.get("/admin/audit?limit=2", ADMIN_TOKEN);
    Answer second = CLIENT.get(first.next(), ADMIN_TOKEN);

    assertThat(first.json()).hasSize(2);
    assertThat(second.json()).hasSize(2);
    List<Instant> instants =
        Stream.of(first, second)
            .flatMap(page -> page.json().valueStream())
            .map(row -> Instant.parse(row.path("at").asString()))
            .toList();
    assertThat(instants).doesNotHaveDuplicates().isSortedAccordingTo((a, b) -> b.compareTo(a));
  }

  /** What an operator changes by the pages of the console, with the target that its row names. */
  @Test
  void namesWhoDidWhatForEachActionOfTheConsole() {
    ConsoleSession session =
        ConsoleSession.of(
            CLIENT.post(
                "/console/session",
                null,
                "{\"token\":\"" + ADMIN_TOKEN + "\",\"name\":\"night shift\"}"));
    Agent agent = CLIENT.createOnline("Walked");
    Agent pushed =
        CLIENT.create("Pushed", "\"delivery_mode\":\"push\",\"url\":\"http://127.0.0.1:9/\"");
    String own = "/workspaces/" + agent.id();
    String id = agent.id().toString();
    String delegation = delegation();
    String token =
        CLIENT.get(own + "/tokens", ADMIN_TOKEN).json().path("tokens").get(0).path("id").asString();
    String viewer =
        CLIENT
            .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Eyes\",\"role\":\"viewer\"}")
            .field("id");
    String other =
        CLIENT
            .get("/console/session", null, ConsoleSession.signIn(CLIENT, ADMIN_TOKEN).headers())
            .field("id");

    Walk walk = new Walk(session);
    walk.change("POST", "/workspaces", "{\"name\":\"Made\"}", "");
    walk.change("POST", own + "/pause", "", id);
    walk.change("POST", own + "/resume", "", id);
    walk.change("POST", own + "/restart", "", id);
    walk.change("DELETE", own + "/restart", "", id);
    walk.change("POST", own + "/a2a", MESSAGE, id);
    for (String verb : List.of("retry", "expire", "cancel")) {
      CLIENT.post("/workspaces/" + pushed.id() + "/a2a", ADMIN_TOKEN, MESSAGE);
      String queued =
          CLIENT
              .get("/admin/a2a-queue?target_id=" + pushed.id(), ADMIN_TOKEN)
              .json()
              .get(0)
              .path("queue_id")
              .asString();
      walk.change("POST", "/admin/a2a-queue/" + queued + "/" + verb, "", queued);
    }
    walk.change("POST", "/admin/delegations/" + delegation + "/fail", "{}", delegation);
    walk.change("POST", "/admin" + own + "/tokens", "", id);
    walk.change("DELETE", own + "/tokens/" + token, "", token);
    assertThat(audit().getFirst().path("targets").valueStream().map(JsonNode::asString))
        .as("in the order of the route")
        .containsExactly(id, token);
    walk.change("POST", "/admin/tokens", "{\"name\":\"Eyes\",\"role\":\"viewer\"}", "");
    walk.change("DELETE", "/admin/tokens/" + viewer, "", viewer);
    walk.change("POST", "/console/links", "{\"name\":\"Eyes\",\"role\":\"viewer\"}", "");
    walk.change("DELETE", "/console/sessions/" + other, "", other);
    walk.change("DELETE", own, "", id);
    walk.change("DELETE", "/console/session", "", "");

    assertThat(walk.changes).isEqualTo(18);
  }

  private static final String MESSAGE =
      "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}";

  /** Changes by one session, each of which leaves one row that says everything about it. */
  private static final class Walk {

    private final ConsoleSession session;
    private int changes;

    Walk(ConsoleSession session) {
      this.session = session;
    }

    void change(String method, String path, String body, String target) {
      String request = "walk-" + ++changes;
      List<String> headers = new ArrayList<>(List.of(session.headers()));
      headers.addAll(List.of("X-Request-ID", request));
      Answer answer = CLIENT.send(method, path, null, body, headers.toArray(String[]::new));
      assertThat(answer.status()).as(method + " " + path + " " + answer.text()).isLessThan(300);
      List<JsonNode> rows =
          audit().stream()
              .filter(row -> row.path("request_id").asString().equals(request))
              .toList();
      assertThat(rows).as(method + " " + path).hasSize(1);
      JsonNode row = rows.getFirst();
      assertThat(row.path("who").asString()).isEqualTo("night shift");
      assertThat(row.path("role").asString()).isEqualTo("operator");
      assertThat(row.path("outcome").asString()).isEqualTo("done");
      assertThat(row.path("action").asString()).startsWith(method + " /");
      List<String> targets = row.path("targets").valueStream().map(JsonNode::asString).toList();
      assertThat(targets).as(method + " " + path).isNotEmpty();
      if (!target.isEmpty()) {
        assertThat(targets).as(method + " " + path).contains(target);
      }
      assertThat(row.toString()).doesNotContain(session.pageKey());
    }
  }

  @Test
  void findsRowsByWhoWhatWhomAndWhen() {
    Agent one = CLIENT.create("One");
    Agent two = CLIENT.create("Two");
    String operator = operator();
    String pause = "/workspaces/" + one.id() + "/pause";
    CLIENT.post(pause, operator, "", "X-Request-ID", "sought");
    CLIENT.post("/workspaces/" + two.id() + "/pause", ADMIN_TOKEN, "");
    Instant at = Instant.parse(found("target=" + one.id()).getFirst().path("at").asString());

    assertThat(requests("who=hANDs&target=" + one.id())).containsExactly("sought");
    assertThat(requests("who=Hands&target=" + two.id())).isEmpty();
    assertThat(requests("action=/pause&target=" + one.id())).containsExactly("sought");
    assertThat(requests("action=resume&target=" + one.id())).isEmpty();
    assertThat(requests("outcome=done&action=pause&target=" + one.id())).containsExactly("sought");
    assertThat(requests("outcome=refused&target=" + one.id())).isEmpty();
    assertThat(requests("who=%00&action=%00&target=%00")).isEmpty();
    assertThat(requests("target=" + one.id() + "&after=" + at)).containsExactly("sought");
    assertThat(requests("target=" + one.id() + "&after=" + at.plusMillis(1))).isEmpty();
    assertThat(requests("target=" + one.id() + "&before=" + at)).hasSize(1); // its creation
  }

  @Test
  void refusesFiltersThatItCannotRead() {
    for (String bad :
        List.of("after=yesterday", "before=1", "outcome=maybe", "who=" + "x".repeat(301))) {
      assertRefused(CLIENT.get("/admin/audit?" + bad, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
    }
  }

  /** A page of rare rows looks at a bounded number of them, and says where to go on. */
  @Test
  void goesOnWhereAScanEnded() {
    String rare = UUID.randomUUID().toString();
    execute(
        """
        INSERT INTO operator_actions (id, at, who, role, action, targets, outcome, request_id)
        SELECT gen_random_uuid(), '2026-01-01Z'::timestamptz + n * interval '1 s', 'load', 'admin', 'POST /load',
            CASE WHEN n IN (1, 5000) THEN ARRAY['%s'] ELSE '{}' END, 'done', 'load-' || n
        FROM generate_series(1, 12000) AS n
        """
            .formatted(rare));
    List<String> found = new ArrayList<>();
    String next = "/admin/audit?limit=2&before=2026-02-01T00:00:00Z&target=" + rare;
    int pages = 0;
    while (!next.isEmpty()) {
      Answer page = CLIENT.get(next, ADMIN_TOKEN);
      page.json().forEach(row -> found.add(row.path("request_id").asString()));
      next = page.next();
      pages++;
    }
    execute("DELETE FROM operator_actions WHERE who = 'load'");

    assertThat(found).containsExactly("load-5000", "load-1");
    assertThat(pages).isEqualTo(3);
  }

  private static List<JsonNode> found(String filter) {
    return CLIENT
        .get("/admin/audit?limit=1000&" + filter, ADMIN_TOKEN)
        .json()
        .valueStream()
        .toList();
  }

  private static List<String> requests(String filter) {
    return found(filter).stream().map(row -> row.path("request_id").asString()).toList();
  }

  private static List<JsonNode> audit() {
    return CLIENT.get("/admin/audit?limit=1000", ADMIN_TOKEN).json().valueStream().toList();
  }

  private static String operator() {
    return CLIENT
        .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Hands\",\"role\":\"operator\"}")
        .field("auth_token");
  }

  private static String delegation() {
    Agent parent = CLIENT.createOnline("Caller");
    Agent child = CLIENT.createOnline("Callee", "\"parent_id\":\"" + parent.id() + "\"");
    String body = "{\"target_id\":\"" + child.id() + "\",\"task\":\"Do it.\"}";
    return CLIENT
        .post("/workspaces/" + parent.id() + "/delegate", parent.token(), body)
        .field("delegation_id");
  }

  private static void execute(String sql) {
    SERVER.bean(JdbcClient.class).sql(sql).update();
  }
}
