package dev.muster.webhook;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** What has one cause is told in one notification. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.SAME_THREAD)
class WebhookGroupingTest {

  private static final TestDatabase DATABASE = TestDatabases.create();

  private static TestServer server;
  private static Receiver receiver;

  @BeforeAll
  static void start() throws Exception {
    receiver = Receiver.start(DATABASE);
    server =
        receiver.startServer(
            "PUBLIC_URL=https://muster.example",
            "MASS_OFFLINE_RATIO=1",
            "LIVENESS_SWEEP_INTERVAL_S=1");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    receiver.close();
  }

  @BeforeEach
  void clear() {
    receiver.clear();
  }

  @Test
  void tellsFourHundredSilentAgentsOnceAndHowManyAreWellAgain() {
    DATABASE.execute(
        """
        CREATE TEMPORARY TABLE new_ones AS SELECT gen_random_uuid() AS id FROM generate_series(1, 400);
        INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
            created_at, updated_at)
        SELECT id, 'Silent', 3, 'external', '', 'poll', 1, 0, 0, now(), now() FROM new_ones;
        INSERT INTO activity_feeds (workspace_id) SELECT id FROM new_ones;
        INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
        SELECT id, 'online', now(), now() - interval '10 minutes' FROM new_ones
        """);

    JsonNode report = receiver.tell(400);

    assertThat(report.path("kind").asString()).isEqualTo("offline");
    assertThat(report.path("count").asInt()).isEqualTo(400);
    assertThat(report.path("workspaces").size()).isEqualTo(20);
    assertThat(report.path("text").asString()).startsWith("400 workspaces are offline, ");
    assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(1);

    recordOnline("SELECT subject FROM webhook_troubles ORDER BY subject LIMIT 380");
    JsonNode some = receiver.tell(380);
    assertThat(some.path("kind").asString()).isEqualTo("recovered");
    assertThat(some.path("cause")).isEqualTo(report.path("cause"));
    assertThat(List.of(some.path("count").asInt(), some.path("of").asInt()))
        .containsExactly(380, 400);

    recordOnline("SELECT subject FROM webhook_troubles WHERE well_at IS NULL");
    JsonNode all = receiver.tell(20);
    assertThat(all.path("text").asString())
        .isEqualTo(
            "All 400 workspaces that were offline are well again. https://muster.example/ui/fleet");
    assertThat(receiver.number("SELECT count(*) FROM webhook_troubles")).isZero();
  }

  @Test
  void tellsACauseThatGrowsOnceAMinute() {
    degrade(2, "quota of %d");
    JsonNode first = receiver.tell(2);
    assertThat(first.path("new").asInt()).isEqualTo(2);
    assertThat(first.path("url").asString())
        .isEqualTo("https://muster.example/ui/fleet?q=status%3Adegraded+reason%3Aerror_rate");
    degrade(3, "quota of %d");
    receiver.awaitCollected(3);
    DATABASE.execute("UPDATE webhook_troubles SET noticed_at = noticed_at - interval '1 minute'");
    Receiver.awaitCollection(server);
    assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(1);

    JsonNode report = receiver.tell(3);

    assertThat(List.of(report.path("new").asInt(), report.path("count").asInt()))
        .containsExactly(3, 5);
    assertThat(report.path("text").asString())
        .startsWith("3 more, 5 workspaces in all are degraded");
  }

  @Test
  void waitsWithACauseUntilTheReceiverHasTakenItsLastNotification() {
    receiver.peer().usually(PeerBehavior.answer(503, ""));
    try {
      degrade(1, "waits");
      receiver.tell(1);
      degrade(1, "waits");
      receiver.awaitCollected(1);
      receiver.letAMinutePass();
      Receiver.awaitCollection(server);
      assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(1);
    } finally {
      receiver.peer().usually(PeerBehavior.answer(200, ""));
    }
    Awaitility.await()
        .until(() -> {
          receiver.letThePausePass(); // each, since the last refusal may begin another
          return receiver.bodies().getLast().path("count").asInt() == 2;
        });
    assertThat(receiver.bodies().getLast().path("new").asInt()).isEqualTo(1);
  }

  @Test
  void tellsACauseThatComesAndGoesEveryTenMinutesAfterFiveReports() {
    Agent flapping = degrade(1, "flapping").getFirst();
    receiver.tell(1);
    for (int round = 1; round < NotificationWriter.OFTEN; round++) {
      server.client().heartbeat(flapping, "\"error_rate\":0");
      assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("recovered");
      degradeAgain(flapping);
      assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("degraded");
    }
    server.client().heartbeat(flapping, "\"error_rate\":0");
    receiver.tell(1);
    degradeAgain(flapping);
    receiver.awaitCollected(1);
    int before = receiver.number("SELECT count(*) FROM webhook_notifications");
    for (int minute = 0; minute < 8; minute++) {
      receiver.letAMinutePass();
    }
    Receiver.awaitCollection(server);
    assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(before);

    int sent = receiver.bodies().size();
    receiver.letAMinutePass();
    assertThat(receiver.await(sent + 1).getLast().path("kind").asString()).isEqualTo("degraded");
  }

  @Test
  void tellsManyCausesAtOnceAsOne() {
    for (String error : List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")) {
      degrade(1, error);
    }

    JsonNode report = receiver.tell(11);

    assertThat(report.path("cause").toString())
        .isEqualTo("{\"status\":\"degraded\",\"reason\":null,\"pattern\":null}");
    assertThat(report.path("count").asInt()).isEqualTo(11);
    assertThat(report.path("text").asString()).contains(": for several reasons, “a”. ");
  }

  @Test
  void sendsNothingAboutTroubleThatEndsBeforeItIsReported() {
    Agent brief = degrade(1, "brief").getFirst();
    receiver.awaitCollected(1);
    server.client().heartbeat(brief, "\"error_rate\":0");
    receiver.awaitCollected(0);
    Agent paused = degrade(1, "paused").getFirst();
    receiver.tell(1);
    server.client().post("/workspaces/" + paused.id() + "/pause", ADMIN_TOKEN, "");

    Awaitility.await().until(() -> receiver.number("SELECT count(*) FROM webhook_troubles") == 0);
    assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(1);
  }

  @Test
  void tellsNoRecoveryOfAStalledAgentThatIsPaused() {
    Agent agent = receiver.stall(server.client(), "\"error_rate\":0");
    receiver.tell(1);
    int before = receiver.number("SELECT count(*) FROM webhook_notifications");

    server.client().post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");

    Awaitility.await().until(() -> receiver.number("SELECT count(*) FROM webhook_troubles") == 0);
    assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isEqualTo(before);
  }

  /** Heartbeats of so many agents would need their tokens. */
  private static void recordOnline(String ids) {
    DATABASE.execute(
        """
        INSERT INTO events (id, event_type, workspace_id, payload, created_at)
        SELECT gen_random_uuid(), 'WORKSPACE_ONLINE', subject::uuid, '{"status":"online"}', now() FROM (%s) AS one
        """
            .formatted(ids));
  }

  private static void degradeAgain(Agent agent) {
    server.client().heartbeat(agent, "\"error_rate\":0.9", "\"sample_error\":\"flapping\"");
  }

  /** {@code error} may hold a {@code %d}. */
  private static List<Agent> degrade(int count, String error) {
    return IntStream.range(0, count)
        .mapToObj(n -> Receiver.degrade(server.client(), error.replace("%d", Integer.toString(n))))
        .toList();
  }
}
