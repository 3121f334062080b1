package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Each notification reaches the receiver, whatever happens to it and to the server. */
@Slow
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class WebhookSendingTest {

  private static final String LOOPBACK = "AGENT_URL_ALLOW=loopback";
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final TestDatabase database = TestDatabases.create();
  private Receiver receiver;

  @BeforeEach
  void listen() throws Exception {
    receiver = Receiver.start(database);
  }

  @AfterEach
  void close() throws Exception {
    receiver.close();
  }

  @Test
  void sendsWhatADeadReceiverMissedUnderTheSameId() throws Exception {
    int port = receiver.peer().port();
    try (TestServer server = receiver.startServer()) {
      receiver.close();
      degrade(server);
      receiver.awaitCollected(1);
      receiver.letAMinutePass();
      awaitAttempts(server, "unreachable");
      String id = database.value("SELECT id FROM webhook_notifications");
      Awaitility.await()
          .untilAsserted(() ->
              assertThat(server.client().get("/admin/liveness", TestServer.ADMIN_TOKEN).text())
                  .contains("did not take a notification (it cannot be reached: ConnectException)")
                  .doesNotContain("of-a-secret-path"));

      try (TestPeer alive = TestPeer.startOn(port).usually(PeerBehavior.answer(200, ""))) {
        receiver.letThePausePass();
        Receiver again = new Receiver(alive, database);
        assertThat(again.await(1).getFirst().path("id").asString()).isEqualTo(id);
        awaitEnd();
      }
    }
  }

  @Test
  void sendsAgainUnderTheSameIdAfterAKillBetweenSendingAndMarking(@TempDir Path home)
      throws Exception {
    receiver.peer().usually(PeerBehavior.silence());
    Map<String, String> settings =
        Map.of(
            "DATABASE_URL",
            database.url(),
            "ADMIN_TOKEN",
            TestServer.ADMIN_TOKEN,
            "AGENT_URL_ALLOW",
            "loopback",
            "WEBHOOK_URL",
            receiver.url());
    JsonNode first;
    try (ServerProcess server = ServerProcess.start(home, settings).awaitReady()) {
      awaitHead();
      Receiver.degrade(server.client(), "quota");
      receiver.awaitCollected(1);
      receiver.letAMinutePass();
      first = receiver.await(1).getFirst();
      server.kill();
    }
    receiver.peer().usually(PeerBehavior.answer(200, ""));
    receiver.letThePausePass();
    try (TestServer next = receiver.startServer()) {
      assertThat(receiver.await(2).get(1)).isEqualTo(first);
      awaitEnd();
      assertThat(next.metrics()).contains("muster_webhook_attempts_total{outcome=\"sent\"} 1.0");
    }
  }

  @Test
  void isSentOnceByTwoReplicas() {
    try (TestServer one = receiver.startServer();
        TestServer other = receiver.startServer()) {
      for (int round = 1; round <= 3; round++) {
        degrade(round % 2 == 0 ? one : other);
        receiver.awaitCollected(1);
        receiver.letAMinutePass();
        receiver.await(round);
      }
      awaitEnd();

      assertThat(sent(one) + sent(other)).isEqualTo(3);
      assertThat(receiver.bodies().stream().map(body -> body.path("id")).distinct()).hasSize(3);
    }
  }

  @Test
  void sendsNothingAboutTheVeryFirstStart() {
    try (TestServer server = receiver.startServer()) {
      database.execute("UPDATE control_plane_uptime SET up_since = up_since + interval '1 minute'");
      Receiver.awaitCollection(server);
      assertThat(receiver.number("SELECT count(*) FROM webhook_notifications")).isZero();
    }
  }

  @Test
  void goesOnWhereItStoppedAfterARestart() {
    try (TestServer _ = receiver.startServer()) {}
    try (TestServer off = TestServer.startOn(database, LOOPBACK)) {
      degrade(off);
    }
    try (TestServer server = receiver.startServer()) {
      assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("degraded");
      assertThat(server.metrics()).contains("muster_webhook_dropped_total 0.0");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"302", "500", "404"})
  void triesAgainWhatIsNotTakenAndFollowsNoRedirect(int status) throws Exception {
    try (TestPeer elsewhere = TestPeer.start();
        TestServer server = receiver.startServer()) {
      receiver
          .peer()
          .then(
              PeerBehavior.answer(
                  status, Map.of("Location", elsewhere.url()), "x".repeat(1 << 20)));
      degrade(server);
      receiver.tell(1);
      awaitAttempts(server, "refused");
      receiver.letThePausePass();

      List<JsonNode> bodies = receiver.await(2);

      assertThat(bodies.get(1)).isEqualTo(bodies.get(0));
      awaitEnd();
      assertThat(elsewhere.connections()).isZero();
    }
  }

  @Test
  void dropsANotificationAfterAnHourAndReportsWhatLasts() {
    receiver.peer().usually(PeerBehavior.answer(503, ""));
    try (TestServer server = receiver.startServer()) {
      degrade(server);
      Agent brief = degrade(server);
      JsonNode dropped = receiver.tell(2);
      awaitAttempts(server, "refused");
      server.client().heartbeat(brief, "\"error_rate\":0");
      receiver.awaitCollected(1);
      database.execute(
          "UPDATE webhook_notifications SET created_at = created_at - interval '1 hour'");
      receiver.letThePausePass();

      Awaitility.await().until(() -> server.metrics().contains("muster_webhook_dropped_total 1.0"));
      receiver.peer().usually(PeerBehavior.answer(200, ""));
      Awaitility.await().atMost(TIMEOUT).until(() -> sent(server) == 1);
      JsonNode anew = receiver.bodies().getLast();
      assertThat(anew.path("id")).isNotEqualTo(dropped.path("id"));
      assertThat(anew.path("count").asInt()).isEqualTo(1);
      awaitEnd();
    }
  }

  @Test
  void delaysNoRequestWhileTheReceiverIsSilent() {
    receiver.peer().usually(PeerBehavior.silence());
    try (TestServer server = receiver.startServer()) {
      Agent agent = degrade(server);
      receiver.tell(1);
      for (int n = 0; n < 20; n++) {
        long start = System.nanoTime();
        assertThat(server.client().heartbeat(agent).status()).isEqualTo(200);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
      }
      awaitAttempts(server, "unreachable");
    }
  }

  /** The name is looked up for each attempt; the address that it then has is refused. */
  @Test
  void sendsNothingToAnAddressThatIsNotAllowed() {
    String byName = receiver.setting().replace("127.0.0.1", "localhost");
    try (TestServer server = receiver.startServer(byName, "AGENT_URL_ALLOW=private")) {
      degrade(server);
      receiver.awaitCollected(1);
      receiver.letAMinutePass();
      awaitAttempts(server, "forbidden");

      assertThat(receiver.peer().connections()).isZero();
    }
  }

  private static Agent degrade(TestServer server) {
    return Receiver.degrade(server.client(), "quota");
  }

  private void awaitHead() {
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(() -> receiver.number("SELECT count(*) FROM webhook_head") == 1);
  }

  private static void awaitAttempts(TestServer server, String outcome) {
    String attempts = "muster_webhook_attempts_total{outcome=\"" + outcome + "\"}";
    Awaitility.await().atMost(TIMEOUT).until(() -> server.client().metric(attempts) > 0);
  }

  private static int sent(TestServer server) {
    return (int) server.client().metric("muster_webhook_attempts_total{outcome=\"sent\"}");
  }

  private void awaitEnd() {
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(() ->
            receiver.number("SELECT count(*) FROM webhook_notifications WHERE ended_at IS NULL")
                == 0);
  }
}
