package dev.muster.console.fleet;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.muster.console.fleet.MatchingFleet.FleetRow;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.Refusals;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The server's reader of filters decides every case as the file says that both readers do. */
class FilterCasesTest {

  private static final JsonNode FILE = file();
  private static final Instant NOW = Instant.parse(FILE.path("now").asString());
  private static final TestServer SERVER = TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400");
  private static final FleetAudience ALL = new FleetAudience(null);

  private static JsonNode file() {
    try (InputStream in = FilterCasesTest.class.getResourceAsStream("/console/filter-cases.json")) {
      return JsonMapper.builder().build().readTree(in);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  static Stream<JsonNode> cases() {
    return FILE.path("cases").valueStream();
  }

  @BeforeAll
  static void storeTheFleet() {
    Map<String, String> ids =
        FILE.path("workspaces")
            .valueStream()
            .collect(Collectors.toMap(w -> w.path("key").asString(), w -> w.path("id").asString()));
    int place = 0;
    for (JsonNode w : FILE.path("workspaces").valueStream().toList()) {
      store(w, ids, place++);
    }
  }

  private static void store(JsonNode w, Map<String, String> ids, int place) {
    JdbcClient db = SERVER.bean(JdbcClient.class);
    UUID id = UUID.fromString(w.path("id").asString());
    db.sql(
            """
            INSERT INTO workspaces (id, name, role, tier, parent_id, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                created_at, updated_at)
            VALUES (:id, :name, :role, :tier, :parent::uuid, :runtime, '', :mode, 1, 0, 0,
                '2026-11-24T00:00:00Z'::timestamptz + :place * interval '1 s', now())
            """)
        .param("id", id)
        .param("name", w.path("name").asString())
        .param("role", w.path("role").stringValueOpt().orElse(null))
        .param("tier", w.path("tier").asInt())
        .param("parent", w.path("parent").stringValueOpt().map(ids::get).orElse(null))
        .param("runtime", w.path("runtime").asString())
        .param("mode", w.path("mode").asString())
        .param("place", place)
        .update();
    db.sql(
            """
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since, degraded_reason, last_heartbeat_at,
                sample_error, active_tasks, current_task, stalled, stalled_since, busy_since)
            VALUES (:id, :status, :since::timestamptz, :reason, :heard::timestamptz, :error, :tasks, :task, :stalled_since::timestamptz IS NOT NULL,
                :stalled_since::timestamptz, CASE WHEN :stalled_since::timestamptz IS NOT NULL THEN '2026-11-25T01:00:00Z'::timestamptz END)
            """)
        .param("id", id)
        .param("status", w.path("status").asString())
        .param("since", w.path("since").asString())
        .param("reason", w.path("reason").stringValueOpt().orElse(null))
        .param("heard", w.path("heard").stringValueOpt().orElse(null))
        .param("error", w.path("error").asString())
        .param("tasks", w.path("tasks").asInt())
        .param("task", w.path("task").asString())
        .param("stalled_since", w.path("stalled").stringValueOpt().orElse(null))
        .update();
    if (w.path("queued").asBoolean()) {
      db.sql(
              """
              INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
              VALUES (:id, 1, 'message', true, 1, 0, now(), '2100-01-01', '2100-01-01')
              """)
          .param("id", id)
          .update();
    }
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isDecidedAsTheFileSays(JsonNode one) {
    String query = one.path("query").asString();
    if (one.has("error")) {
      ProblemException refusal =
          catchThrowableOfType(ProblemException.class, () -> FleetFilter.read(query, NOW));
      assertThat(refusal.code()).isEqualTo(ErrorCode.VALIDATION_FAILED);
      assertThat(refusal.extras().get("word")).isEqualTo(one.path("error").path("word").asString());
      assertThat(refusal.extras().get("words"))
          .isEqualTo(
              one.path("error").path("words").valueStream().map(JsonNode::asString).toList());
      assertThat(refusal.detail()).startsWith("q: ").contains("expected: ");
    } else {
      assertThat(matches(query)).isEqualTo(keys(one.path("matches")));
    }
  }

  @Test
  void hasEnoughCases() {
    assertThat(cases().count()).isGreaterThanOrEqualTo(60);
  }

  @Test
  void findsThroughHttpWhatItFindsByItself() {
    TestClient client = SERVER.client();
    JsonNode found = summary(client, "under:\"Team North\" is:queued").json();
    assertThat(found.path("total").asInt()).isEqualTo(2);
    assertThat(found.path("worst").valueStream().map(w -> w.path("name").asString()))
        .containsExactly("Reviewer 4711", "night: builder");
    TestClient.Answer refused = summary(client, "colour:red");
    Refusals.assertRefused(refused, 400, "VALIDATION_FAILED");
    assertThat(refused.field("word")).isEqualTo("colour");
    assertThat(refused.json().path("words").valueStream().map(JsonNode::asString))
        .contains("status", "since");
    Refusals.assertRefused(summary(client, "x".repeat(501)), 400, "VALIDATION_FAILED");
    assertThat(summary(client, "\u0000 \"\ud83d").status()).isEqualTo(200);
  }

  private static TestClient.Answer summary(TestClient client, String query) {
    return client.get(
        "/console/summary?q=" + URLEncoder.encode(query, StandardCharsets.UTF_8), ADMIN_TOKEN);
  }

  private static Set<String> matches(String query) {
    List<FleetRow> rows =
        SERVER.bean(MatchingFleet.class).find(FleetFilter.read(query, NOW), ALL).worst();
    return FILE.path("workspaces")
        .valueStream()
        .filter(
            w -> rows.stream().anyMatch(row -> row.id().toString().equals(w.path("id").asString())))
        .map(w -> w.path("key").asString())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> keys(JsonNode names) {
    return names
        .valueStream()
        .map(JsonNode::asString)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
