package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends each example of the description to a real server unchanged, and compares status and shape
 * of the answer with the example's.
 */
@Slow
@Execution(ExecutionMode.CONCURRENT)
class RealExamplesTest {

  private static final String LEAD = "3f2c1d5e-7a61-4c58-8f0e-2a9b6c4d1e01";
  private static final String REVIEWER = "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10";

  /** Placeholder in paths for an id that only the server knows. */
  private static final String A_TOKEN = "b7a1c0de-54e1-4a31-8f5a-3d6b7a1c0de5";

  /** Another placeholder. */
  private static final String A_ROLE_TOKEN = "c8b2d1ef-65f2-4b42-9f6b-4e7c8b2d1ef6";

  /** Another placeholder. */
  private static final String A_SESSION = "d9c3e2f0-76a3-4c53-8a7c-5f8d9c3e2f07";

  /** Another placeholder. */
  private static final String A_LINK = "e0d4f3a1-87b4-4d64-9b8d-6a9e0d4f3a18";

  /** The token in the example of a sign-in. */
  private static final String SIGN_IN_TOKEN = "Zk3vQ9pLr0aW1bX2cY3dZ4eA5fB6gC7hD8iE9jF0kG1";

  /** Another placeholder. */
  private static final String A_ROW = "0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2b";

  /** Placeholders of queued messages, which a test inserts: to read, expire and cancel. */
  private static final List<String> QUEUED_MESSAGES =
      List.of(
          "0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2c",
          "0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2d",
          "0193a1b2-c3d4-7e5f-8a6b-7c8d9e0f1a2e");

  /** The operations that must come first; others follow after the agent's first heartbeats. */
  private static final List<String> FIRST =
      List.of(
          "createWorkspace",
          "register",
          "heartbeat",
          "mintToken",
          "listTokens",
          "mintRoleToken",
          "listRoleTokens",
          "makeLink",
          "listLinks",
          "reportActivity",
          "reportRuntimeEvents");

  /** The operations that must come last, in this order. */
  private static final List<String> LAST =
      List.of("workspaceState", "pauseWorkspace", "resumeWorkspace", "removeWorkspace");

  /** Operations of a workspace's own agent; all others are the admin's. */
  private static final Set<String> OF_THE_AGENT =
      Set.of(
          "register", "heartbeat", "updateCard", "workspaceState", "listPeers", "reportActivity");

  /** Objects of a summary whose keys are the words that are counted. */
  private static final Set<String> COUNTS =
      Set.of("/status", "/reason", "/runtime", "/delegations", "/by_status", "/skips");

  private record Operation(String method, String path, JsonNode description) {

    String id() {
      return description.path("operationId").asString("");
    }
  }

  private @Nullable String agentToken;
  private @Nullable String tokenId;
  private @Nullable String roleTokenId;
  private @Nullable String rowId;
  private final Map<String, String> queuedIds = new HashMap<>();

  @Test
  void answerAsTheDescriptionSays() {
    try (TestServer server = TestServer.start("STATUS_HISTORY_DAYS=10000")) {
      TestClient client = server.client();
      beginHistory(server.database());
      client.create("Lead", "\"id\":\"" + LEAD + "\",\"agent_card\":{\"name\":\"Lead\"}");
      enterDelegations(server);
      enterBulkRuns(server);
      JsonNode docs = client.get("/v3/api-docs", null).json();

      Set<String> done = new HashSet<>();
      for (Operation operation : inOrder(docs)) {
        live(client, docs, operation);
        done.add(operation.id());
        if (operation.id().equals("createWorkspace")) {
          queueMessages(server.database());
          awaitStays(server.database(), 2);
        }
      }
      assertThat(done).hasSizeGreaterThan(20);
    }
  }

  /** The history of statuses follows the events within seconds. */
  private static void awaitStays(TestDatabase database, int workspaces) {
    await()
        .until(() ->
            database
                .value("SELECT count(*) FROM open_status_periods")
                .equals(Integer.toString(workspaces)));
  }

  /** The history of statuses has the times of the examples. */
  private static void beginHistory(TestDatabase database) {
    await().until(() -> database.value("SELECT count(*) FROM history_head").equals("1"));
    database.execute(
        "UPDATE history_head SET began_at = '2026-01-01T00:00:00Z', minutes_to = minutes_to -"
            + " interval '5 minutes'");
    await().until(() -> !database.value("SELECT count(*) FROM fleet_minutes").equals("0"));
  }

  /**
   * Inserts the first rows of the agent's feed, from its parent, with a first attempt far in the
   * future.
   */
  private void queueMessages(TestDatabase database) {
    database.execute(
        """
        UPDATE activity_feeds SET version = version + 1, last_seq = %2$d, last_created_at = now() WHERE workspace_id = '%1$s';
        INSERT INTO activity_logs (
            workspace_id, seq, class, activity_type, source, source_id, target_id, method, status, message_id, listed_bytes,
            created_at, feed_bytes)
        SELECT '%1$s', n, 'p', 'a2a_receive', 'peer_agent', '%3$s', '%1$s', 'message/send', 'ok', 'queued-' || n, 500, now(), 0
        FROM generate_series(1, %2$d) AS n;
        INSERT INTO deliveries (
            workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
        SELECT '%1$s', n, '%3$s', 'message', true, n, 50, now(), now() + interval '1 hour', now() + interval '1 day'
        FROM generate_series(1, %2$d) AS n
        """
            .formatted(REVIEWER, QUEUED_MESSAGES.size(), LEAD));
    for (int i = 0; i < QUEUED_MESSAGES.size(); i++) {
      queuedIds.put(
          QUEUED_MESSAGES.get(i), StoredRows.id(database, UUID.fromString(REVIEWER), i + 1));
    }
  }

  /** Inserts delegations in flight: one to work on, one to retry, and one to fail. */
  private static void enterDelegations(TestServer server) {
    server
        .database()
        .execute(
            """
            INSERT INTO delegations (
                delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline, created_at, updated_at)
            SELECT d.delegation_id, gen_random_uuid(), '%s', '%s', 'Please review chapter 3.', d.status, 21600,
                now + interval '6 hours', now, now
            FROM (VALUES ('d-1', 'dispatched'), ('d-stuck', 'stuck'), ('d-lost', 'stuck')) AS d (delegation_id, status),
                clock_timestamp() AS now
            """
                .formatted(LEAD, REVIEWER));
  }

  /** Inserts bulk runs: one that has ended, and one to cancel that is due in an hour. */
  private static void enterBulkRuns(TestServer server) {
    server
        .database()
        .execute(
            """
            INSERT INTO bulk_runs (id, action, filter, cascade, who, targets, total, handled, skipped, created_at, due_at,
                ended_at)
            VALUES ('0b8f3a52-8c1e-4b0c-9a44-1f1b1f6d7a10', 'pause', 'name:review', false, 'admin', '{%1$s}', 1, 1, 1,
                    now(), now(), now()),
                ('0b8f3a52-8c1e-4b0c-9a44-1f1b1f6d7a11', 'pause', 'name:review', false, 'admin', '{%1$s}', 1, 0, 0, now(),
                    now() + interval '1 hour', NULL);
            INSERT INTO bulk_items (run_id, position, workspace_id, outcome, code, detail)
            VALUES ('0b8f3a52-8c1e-4b0c-9a44-1f1b1f6d7a10', 1, '%1$s', 'skipped', 'WRONG_STATE',
                'the workspace is paused already')
            """
                .formatted(REVIEWER));
  }

  private static List<Operation> inOrder(JsonNode docs) {
    List<Operation> all = new ArrayList<>();
    for (String path : docs.path("paths").propertyNames()) {
      JsonNode item = docs.path("paths").path(path);
      for (String method : item.propertyNames()) {
        all.add(new Operation(method.toUpperCase(java.util.Locale.ROOT), path, item.path(method)));
      }
    }
    all.sort(java.util.Comparator.comparing(Operation::id));
    Set<Operation> ordered = new LinkedHashSet<>();
    FIRST.forEach(id -> ordered.add(called(id, all)));
    all.stream().filter(operation -> !LAST.contains(operation.id())).forEach(ordered::add);
    LAST.forEach(id -> ordered.add(called(id, all)));
    return List.copyOf(ordered);
  }

  private static Operation called(String id, List<Operation> all) {
    return all.stream().filter(operation -> operation.id().equals(id)).findFirst().orElseThrow();
  }

  private void live(TestClient client, JsonNode docs, Operation operation) {
    JsonNode examples =
        operation.description().at("/requestBody/content/application~1json/examples");
    if (operation.description().path("responses").has("101")) {
      requireFrameAsDescribed(client, operation);
    } else if (isStream(operation.description().at("/responses/200/content"))) {
      requireStreamAsDescribed(client, operation);
    } else if (examples.isMissingNode()) {
      requireAsDescribed(operation, send(client, docs, operation, null));
    }
    for (JsonNode example : examples) {
      requireAsDescribed(
          operation, send(client, docs, operation, example.path("value").toString()));
    }
  }

  private static boolean isStream(JsonNode content) {
    return content.has("text/event-stream") && !content.has("application/json");
  }

  private Answer send(
      TestClient client, JsonNode docs, Operation operation, @Nullable String body) {
    String path = operation.path();
    StringBuilder query = new StringBuilder();
    List<String> headers = new ArrayList<>();
    for (JsonNode reference : operation.description().path("parameters")) {
      String ref = reference.path("$ref").asString("");
      JsonNode parameter = ref.isEmpty() ? reference : docs.at(ref.substring(1));
      String name = parameter.path("name").asString("");
      String value = parameter.path("example").asString("");
      switch (parameter.path("in").asString("")) {
        case "path" -> path = path.replace("{" + name + "}", value);
        case "query" -> {
          if (!value.isEmpty()) {
            query.append(query.isEmpty() ? '?' : '&').append(name).append('=');
            query.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
          }
        }
        default -> headers.addAll(value.isEmpty() ? List.of() : List.of(name, value));
      }
    }
    path = path.replace(A_TOKEN, tokenId == null ? A_TOKEN : tokenId);
    path = path.replace(A_ROLE_TOKEN, roleTokenId == null ? A_ROLE_TOKEN : roleTokenId);
    if (path.contains(A_SESSION)) {
      String[] session = ConsoleSession.signIn(client, ADMIN_TOKEN).headers();
      path = path.replace(A_SESSION, client.get("/console/session", null, session).field("id"));
    }
    if (path.contains(A_LINK)) {
      JsonNode links = client.get("/console/links", ADMIN_TOKEN).json().path("links");
      path = path.replace(A_LINK, links.get(0).path("id").asString());
    }
    path = path.replace(A_ROW, rowId == null ? A_ROW : rowId);
    for (Map.Entry<String, String> queued : queuedIds.entrySet()) {
      path = path.replace(queued.getKey(), queued.getValue());
    }
    boolean bySession = operation.description().at("/security/0").has("session");
    if (bySession) {
      headers.addAll(List.of(ConsoleSession.signIn(client, ADMIN_TOKEN).headers()));
    }
    String token = OF_THE_AGENT.contains(operation.id()) ? agentToken : ADMIN_TOKEN;
    boolean wantsCredential = operation.description().has("security");
    Answer answer =
        client.send(
            operation.method(),
            path + query,
            wantsCredential && !bySession ? Objects.requireNonNull(token) : null,
            body == null ? null : body.replace(SIGN_IN_TOKEN, ADMIN_TOKEN),
            headers.toArray(String[]::new));
    remember(operation, answer);
    return answer;
  }

  private void remember(Operation operation, Answer answer) {
    if (operation.id().equals("createWorkspace")) {
      agentToken = answer.field("auth_token");
      assertThat(answer.field("id")).isEqualTo(REVIEWER);
    } else if (operation.id().equals("reportActivity")) {
      rowId = answer.field("id");
    } else if (operation.id().equals("mintRoleToken")) {
      roleTokenId = answer.field("id");
    } else if (operation.id().equals("listTokens")) {
      JsonNode tokens = answer.json().path("tokens");
      tokenId = tokens.path(tokens.size() - 1).path("id").asString();
    }
  }

  private static void requireFrameAsDescribed(TestClient client, Operation operation) {
    try (TestSocket socket = TestSocket.open(client, operation.path() + "?after=0", ADMIN_TOKEN)) {
      JsonNode example =
          operation.description().at("/responses/101/content/application~1json/example");
      JsonNode real = socket.await(frame -> frame.path("seq").asLong() == 1);
      requireSameShape(operation.id(), "", example, real);
    }
  }

  private static void requireStreamAsDescribed(TestClient client, Operation operation) {
    String path = operation.path().replace("{id}", REVIEWER) + "?after=0";
    try (TestEventStream stream = TestEventStream.open(client, path, ADMIN_TOKEN)) {
      assertThat(stream.header("Content-Type")).startsWith("text/event-stream");
      String example =
          operation
              .description()
              .at("/responses/200/content/text~1event-stream/example")
              .asString("");
      assertThat(example).startsWith("id: ").endsWith("\n\n");
      JsonNode data =
          JsonMapper.builder().build().readTree(example.substring(example.indexOf("data: ") + 6));
      JsonNode real = stream.await("WORKSPACE_AWAITING_AGENT").data();
      requireSameShape(operation.id(), "/payload", data, real);
      assertThat(List.copyOf(real.propertyNames())).isEqualTo(List.copyOf(data.propertyNames()));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void requireAsDescribed(Operation operation, Answer answer) {
    String name = operation.method() + " " + operation.path() + ": " + answer.text();
    JsonNode answers = operation.description().path("responses");
    String good =
        answers.propertyNames().stream().filter(s -> s.startsWith("2")).findFirst().orElseThrow();
    assertThat(String.valueOf(answer.status())).as(name).isEqualTo(good);
    boolean isJson = answers.path(good).path("content").has("application/json");
    for (String type : answers.path(good).path("content").propertyNames()) {
      if (isJson && !type.equals("application/json")) {
        continue; // the form of some answers
      }
      assertThat(answer.header("Content-Type")).as(name).startsWith(type);
      if (type.equals("application/json")) {
        JsonNode example = answers.path(good).path("content").path(type).path("example");
        requireSameShape(name, "", example, answer.json());
      }
    }
  }

  /** Requires the same keys and types at every depth; null has any type. */
  private static void requireSameShape(String name, String at, JsonNode example, JsonNode real) {
    if (example.isNull() || real.isNull()) {
      return;
    }
    assertThat(real.getNodeType()).as(name + " at " + at).isEqualTo(example.getNodeType());
    if (COUNTS.contains(at) && example.valueStream().anyMatch(JsonNode::isNumber)) {
      assertThat(real).as(name + " at " + at).allMatch(JsonNode::isIntegralNumber);
    } else if (example.isObject() && !at.endsWith("/payload")) {
      assertThat(Set.copyOf(real.propertyNames()))
          .as(name + " at " + at)
          .isEqualTo(Set.copyOf(example.propertyNames()));
      for (String key : example.propertyNames()) {
        requireSameShape(name, at + "/" + key, example.path(key), real.path(key));
      }
    } else if (example.isArray() && !example.isEmpty()) {
      assertThat(real.size()).as(name + " at " + at).isPositive();
      for (JsonNode element : real) {
        requireSameShape(name, at + "/0", example.path(0), element);
      }
    }
  }
}
