package dev.muster.console.operations;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** How Muster itself is, and how it is set, as operators and viewers read it. */
@Slow
class OperationsTest {

  private static final String SECRET = "kept-from-all-readers";

  private static final TestServer SERVER =
      TestServer.startWithoutSweeps(
          "WEBHOOK_URL=http://127.0.0.1:9/" + SECRET,
          "WEBHOOK_SECRET=" + SECRET + "-of-the-webhook",
          "AGENT_URL_ALLOW=loopback",
          "STALE_AFTER_S=90");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  private static JsonNode operations() {
    return CLIENT.get("/admin/operations", ADMIN_TOKEN).json();
  }

  private static List<JsonNode> replicas() {
    return operations().path("replicas").valueStream().toList();
  }

  @Test
  void showsReplicasWhileTheyAreThereAndSilentOnesAfterwards() {
    await().until(() -> replicas().size() == 1);
    JsonNode own = replicas().getFirst();
    assertThat(own.path("name").asString()).isEqualTo(operations().path("replica").asString());
    assertThat(own.path("connections_max").asInt()).isEqualTo(8);
    assertThat(own.path("silent").asBoolean()).isFalse();
    try (TestServer second = TestServer.startOn(SERVER.database())) {
      await().until(() -> replicas().size() == 2);
      assertThat(second.client().get("/admin/operations", ADMIN_TOKEN).json().path("replicas"))
          .hasSize(2);
    }
    assertThat(replicas()).hasSize(1); // a stop deletes the row

    SERVER
        .database()
        .execute(
            "INSERT INTO replica_reports SELECT 'killed', version, started_at, now() - interval '31"
                + " s', 7, 0, 0, 8 FROM replica_reports");
    assertThat(replicas())
        .filteredOn(one -> one.path("silent").asBoolean())
        .extracting(one -> one.path("name").asString())
        .containsExactly("killed");
    JsonNode all = operations();
    assertThat(all.path("heartbeats_s").asDouble())
        .as("without the heartbeats of a silent one")
        .isEqualTo(own(all).path("heartbeats_s").asDouble());
    SERVER
        .database()
        .execute(
            "UPDATE replica_reports SET seen_at = now() - interval '61 min' WHERE replica ="
                + " 'killed'");
    await().atMost(Duration.ofSeconds(30)).until(() -> replicas().size() == 1);
  }

  private static JsonNode own(JsonNode operations) {
    return operations
        .path("replicas")
        .valueStream()
        .filter(one -> !one.path("silent").asBoolean())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void countsHeartbeatsAndEvents() {
    Agent agent = CLIENT.createOnline("Beating");
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          CLIENT.heartbeat(agent);
          CLIENT.create("Event");
          JsonNode now = operations();
          return now.path("heartbeats_s").asDouble() > 0.5
              && now.path("events_s").asDouble() > 0.5
              && own(now).path("commit_p99_ms").asDouble() > 0;
        });
  }

  @Test
  void showsDatabaseJobsAndUptime() {
    CLIENT.create("Remembered");
    await().until(() -> operations().path("database").path("oldest_event_at").isString());
    JsonNode found = operations();
    assertThat(found.path("database").path("latency_ms").asDouble()).isBetween(0.001, 3000.0);
    assertThat(found.path("database").path("bytes").asLong()).isGreaterThan(1_000_000);
    assertThat(found.path("database").path("history_bytes").asLong()).isPositive();
    assertThat(found.path("jobs").valueStream().map(job -> job.path("job").asString()))
        .contains("liveness-sweep");
    assertThat(found.path("self_preservation").path("suspended").asBoolean()).isFalse();
    SERVER.database().execute("UPDATE control_plane_uptime SET hold_since = now()");
    assertThat(operations().path("self_preservation").path("suspended").asBoolean()).isTrue();
    SERVER.database().execute("UPDATE control_plane_uptime SET hold_since = NULL");
  }

  @Test
  void tellsSettingsAndNoSecret() {
    String viewer =
        CLIENT
            .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Eyes\",\"role\":\"viewer\"}")
            .field("auth_token");
    String settings = CLIENT.get("/admin/settings", viewer).text();
    assertThat(settings)
        .contains(
            "\"name\":\"STALE_AFTER_S\",\"value\":\"90\",\"default\":\"180\",\"source\":\"command"
                + " line\"")
        .contains("\"name\":\"DATABASE_URL\",\"value\":\"postgresql://127.0.0.1:")
        .doesNotContain(SECRET)
        .doesNotContain(ADMIN_TOKEN);
  }
}
