package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What is reported later when the receiver does not take a notification. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.SAME_THREAD)
class WebhookRefusedTest {

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final String REFUSED = "muster_webhook_attempts_total{outcome=\"refused\"}";
  private static final String WAITING =
      "SELECT count(*) FROM webhook_notifications WHERE ended_at IS NULL";

  private static TestServer server;
  private static Receiver receiver;

  @BeforeAll
  static void start() throws Exception {
    receiver = Receiver.start(DATABASE);
    server = receiver.startServer("MASS_OFFLINE_RATIO=1", "LIVENESS_SWEEP_INTERVAL_S=1");
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
    receiver.close();
  }

  @BeforeEach
  void clear() {
    receiver.clear();
    answer(503);
  }

  @Test
  void tellsTheRecoveryFromATakenTroubleWhenALaterOneWasDropped() {
    answer(200);
    Agent agent = server.client().createOnline("Unwell");
    DATABASE.execute(
        "UPDATE workspace_heartbeats SET last_heartbeat_at = now() - interval '10 minutes' WHERE"
            + " workspace_id = '"
            + agent.id()
            + "'");
    assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("offline");
    awaitNothingWaits();
    answer(503);
    server.client().heartbeat(agent, "\"error_rate\":0.9");
    assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("degraded");
    server.client().heartbeat(agent, "\"error_rate\":0");
    receiver.awaitCollected(1);

    DATABASE.execute(
        "UPDATE webhook_notifications SET created_at = created_at - interval '1 hour'");
    receiver.letThePausePass();
    awaitNothingWaits();
    answer(200);

    assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("recovered");
  }

  @Test
  void forgetsATroubleThatEndsWhileItsNotificationIsDropped() throws Exception {
    Agent agent = Receiver.degrade(server.client(), "quota");
    receiver.tell(1);
    UUID id = UUID.fromString(DATABASE.value("SELECT id FROM webhook_notifications"));
    NotificationRepository notifications = server.bean(NotificationRepository.class);
    Thread drop = Thread.ofVirtual().unstarted(() -> notifications.drop(id));

    // as the collector of another replica does
    server
        .bean(TransactionTemplate.class)
        .executeWithoutResult(_ -> {
          server
              .bean(JdbcClient.class)
              .sql("SELECT last_seq FROM webhook_head FOR UPDATE")
              .query()
              .singleRow();
          server.bean(TroubleRepository.class).end(List.of(agent.id().toString()), Instant.now());
          drop.start();
          Awaitility.await().until(() -> DATABASE.lockWaits() > 0);
        });
    drop.join();

    assertThat(receiver.number("SELECT count(*) FROM webhook_troubles")).isZero();
  }

  @Test
  void leavesCausesThatWaitOutOfTheOneOfTheirStatus() {
    Receiver.degrade(server.client(), "waits");
    receiver.tell(1);
    Receiver.degrade(server.client(), "waits");
    for (String error : List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k")) {
      Receiver.degrade(server.client(), error);
    }
    receiver.awaitCollected(12);
    receiver.letAMinutePass();
    receiver.awaitCollected(1);

    JsonNode merged =
        JsonMapper.shared()
            .readTree(DATABASE.value("SELECT body FROM webhook_notifications WHERE reason = ''"));
    assertThat(merged.path("count").asInt()).isEqualTo(11);
    assertThat(merged.path("workspaces").size()).isEqualTo(11);
  }

  @Test
  void failsTheLoopAfterEachFailure() {
    double refusedBefore = server.client().metric(REFUSED);
    int failuresBefore = Receiver.loop(server).path("failures").asInt();
    for (String error : List.of("a", "b", "c")) {
      Receiver.degrade(server.client(), error);
    }
    receiver.awaitCollected(3);
    receiver.letAMinutePass();

    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> server.client().metric(REFUSED) >= refusedBefore + 3);
    assertThat(Receiver.loop(server).path("failures").asInt())
        .isGreaterThanOrEqualTo(failuresBefore + 2);
  }

  private static void answer(int status) {
    receiver.peer().usually(PeerBehavior.answer(status, ""));
  }

  private static void awaitNothingWaits() {
    Awaitility.await().until(() -> receiver.number(WAITING) == 0);
  }
}
