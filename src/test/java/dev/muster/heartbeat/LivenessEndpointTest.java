package dev.muster.heartbeat;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** GET /admin/liveness (docs/api.md, section 11). */
class LivenessEndpointTest {

  private final TestClient client = TestServer.shared().client();

  @Test
  void requiresTheAdmin() {
    assertThat(client.get("/admin/liveness", null).status()).isEqualTo(401);
    String agent = client.create("curious").token();
    assertThat(client.get("/admin/liveness", agent).status()).isEqualTo(403);
    assertThat(client.get("/admin/liveness", ADMIN_TOKEN).status()).isEqualTo(200);
  }

  @Test
  void showsEveryLoopWithItsLastRun() {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> {
          Map<String, JsonNode> loops = loops();
          for (String job :
              new String[] {
                "liveness-sweep", "stall-sweep", "activity-retention", "delivery-sweep"
              }) {
            assertRan(loop(loops, job), "cluster");
            assertThat(Instant.parse(loop(loops, job).path("next_run_at").asString())).isNotNull();
          }
          for (String loop :
              new String[] {
                "event-publisher",
                "token-revocations",
                "token-last-used",
                "heartbeat-watch",
                "database-clock",
                "uptime-ticks",
                "heartbeat-event-relay",
                "replica-notifier",
                "replica-notification-reader",
                "streams",
                "queue-worker",
                "replica-lease",
                "delivery-takeover",
                "feed-wake-ups"
              }) {
            assertRan(loop(loops, loop), "replica");
          }
        });
    JsonNode nightly = loop(loops(), "event-retention");
    assertThat(Instant.parse(nightly.path("next_run_at").asString())).isAfter(Instant.now());
    assertThat(nightly.path("overdue").asBoolean()).isFalse();
    assertThat(loop(loops(), "liveness-sweep").path("interval_s").asInt()).isEqualTo(15);
    assertThat(loop(loops(), "heartbeat-watch").path("interval_s").asDouble()).isEqualTo(0.1);
  }

  @Test
  void showsTheStartOfTheUptimeAndNoHold() {
    JsonNode liveness;
    try (TestServer fresh = TestServer.start()) { // others may leave a hold
      liveness = fresh.client().get("/admin/liveness", ADMIN_TOKEN).json();
    }
    JsonNode uptime = liveness.path("control_plane");

    assertThat(Instant.parse(uptime.path("up_since").asString()))
        .isBeforeOrEqualTo(Instant.parse(uptime.path("alive_until").asString()));
    assertThat(liveness.path("self_preservation").toString())
        .isEqualTo("{\"suspended\":false,\"since\":null,\"until\":null}");
  }

  private static void assertRan(JsonNode loop, String scope) {
    assertThat(loop.path("scope").asString()).isEqualTo(scope);
    assertThat(loop.path("runs").asInt()).as(loop.toString()).isPositive();
    assertThat(Instant.parse(loop.path("last_run_at").asString())).isNotNull();
    assertThat(loop.path("last_duration_ms").isNumber()).isTrue();
    assertThat(loop.path("replica").asString()).isNotEmpty();
    assertThat(loop.path("overdue").asBoolean()).isFalse();
  }

  private static JsonNode loop(Map<String, JsonNode> loops, String name) {
    return Objects.requireNonNull(loops.get(name), name);
  }

  private Map<String, JsonNode> loops() {
    Map<String, JsonNode> loops = new HashMap<>();
    for (JsonNode loop : client.get("/admin/liveness", ADMIN_TOKEN).json().path("loops")) {
      loops.put(loop.path("name").asString(), loop);
    }
    return loops;
  }
}
