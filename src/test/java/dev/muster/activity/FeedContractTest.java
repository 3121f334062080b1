package dev.muster.activity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Reports, and the reading of feeds with every parameter of R6.2. */
class FeedContractTest {

  private final TestClient client = TestServer.shared().client();
  private final Agent agent = client.create("reporter");

  @Test
  void storesAReportAndReadsItBackInOneRecord() {
    Answer answer =
        report(
            "\"activity_type\":\"agent_log\",\"summary\":\"thought\",\"method\":\"think\","
                + "\"duration_ms\":17,\"request_body\":{ \"a\":1.50 },\"tool_trace\":[1,2]");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.field("status")).isEqualTo("logged");
    assertThat(answer.json().path("seq").asLong()).isEqualTo(1);

    JsonNode row = feed("").path(0);
    assertThat(List.copyOf(row.propertyNames()))
        .containsExactly(
            "id",
            "workspace_id",
            "seq",
            "activity_type",
            "type",
            "source",
            "source_id",
            "target_id",
            "method",
            "summary",
            "request_body",
            "tool_trace",
            "data",
            "duration_ms",
            "status",
            "error_detail",
            "created_at");
    assertThat(row.path("id").asString()).isEqualTo(answer.field("id"));
    assertThat(row.path("type").asString()).isEqualTo("agent_log");
    assertThat(row.path("source").asString()).isEqualTo("self");
    assertThat(row.path("source_id").asString()).isEqualTo(agent.id().toString());
    assertThat(row.path("status").asString()).isEqualTo("ok");
    assertThat(row.path("created_at").asString()).endsWith("Z");
    assertThat(UUID.fromString(answer.field("id")).version()).isEqualTo(7);
    assertThat(client.get(path(""), agent.token()).text()).contains("{ \"a\":1.50 }");
  }

  @Test
  void readsFromACursorOldestFirst() {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ids.add(report("\"activity_type\":\"agent_log\",\"summary\":\"" + i + "\"").field("id"));
    }
    assertThat(seqs(feed("?since_id=" + ids.get(1)))).containsExactly(3L, 4L, 5L);
    assertThat(seqs(feed(""))).containsExactly(5L, 4L, 3L, 2L, 1L);
    assertThat(seqs(feed("?limit=2"))).containsExactly(5L, 4L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"not-an-id", "00000000-0000-4000-8000-000000000000", "%00", "1"})
  void tellsAPollerWhoseCursorIsLost(String cursor) {
    report("\"activity_type\":\"agent_log\"");
    Answer answer = client.get(path("?since_id=" + cursor), agent.token());
    assertRefused(answer, 410, "CURSOR_GONE");
    assertThat(answer.field("error")).contains("omit since_id to reset");
  }

  @Test
  void waitsForARow() {
    Agent other = client.create("waiting");
    var waiting =
        java.util.concurrent.CompletableFuture.supplyAsync(() ->
            client.get(
                "/workspaces/" + other.id() + "/activity?wait=20&type=agent_log", other.token()));
    client.post(
        "/workspaces/" + other.id() + "/activity",
        other.token(),
        "{\"activity_type\":\"agent_log\"}");
    assertThat(waiting.join().json()).hasSize(1);
    assertThat(client.get("/workspaces/" + other.id() + "/activity", ADMIN_TOKEN).json())
        .hasSize(1);
  }

  private Answer report(String fields) {
    return client.post(path(""), agent.token(), "{" + fields + "}");
  }

  private JsonNode feed(String query) {
    Answer answer = client.get(path(query), agent.token());
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  private String path(String query) {
    return "/workspaces/" + agent.id() + "/activity" + query;
  }

  private static List<Long> seqs(JsonNode rows) {
    List<Long> seqs = new ArrayList<>();
    rows.forEach(row -> seqs.add(row.path("seq").asLong()));
    return seqs;
  }
}
