package dev.muster.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Each notification reaches the receiver, whatever happens to it; and no other address. */
@Slow
@Timeout(180)
@Execution(ExecutionMode.SAME_THREAD)
class WebhookSendingTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final TestDatabase DATABASE = TestDatabases.create();

  /** Where each test has a receiver of its own. */
  private static final int PORT = FreePorts.next();

  private static TestServer server;
  private Receiver receiver;

  @BeforeAll
  static void start() throws Exception {
    try (Receiver first = startReceiver()) {
      server = first.startServer();
    }
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void listen() throws Exception {
    receiver = startReceiver();
    receiver.clear();
  }

  @AfterEach
  void takeTheRest() throws Exception {
    receiver.peer().usually(PeerBehavior.answer(200, ""));
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(() -> {
          receiver.letThePausePass();
          return waiting() == 0;
        });
    receiver.close();
  }

  @Test
  void sendsWhatADeadReceiverMissedUnderTheSameId() throws Exception {
    double before = attempts(server, "unreachable");
    receiver.close();
    degrade(server);
    receiver.awaitCollected(1);
    receiver.letAMinutePass();
    awaitAttempts(server, "unreachable", before + 1);
    String id = DATABASE.value("SELECT id FROM webhook_notifications");
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(server.client().get("/admin/liveness", TestServer.ADMIN_TOKEN).text())
                .contains("did not take a notification (it cannot be reached: ConnectException)")
                .doesNotContain("of-a-secret-path"));

    receiver = startReceiver();
    receiver.letThePausePass();
    assertThat(receiver.await(1).getFirst().path("id").asString()).isEqualTo(id);
    awaitEnd();
  }

  @Test
  void isSentOnceByTwoReplicas() {
    double before = attempts(server, "sent");
    try (TestServer other = receiver.startServer()) {
      for (int round = 1; round <= 3; round++) {
        degrade(round % 2 == 0 ? server : other);
        receiver.awaitCollected(1);
        receiver.letAMinutePass();
        receiver.await(round);
      }
      awaitEnd();

      assertThat(attempts(server, "sent") - before + attempts(other, "sent")).isEqualTo(3);
      assertThat(receiver.bodies().stream().map(body -> body.path("id")).distinct()).hasSize(3);
    }
  }

  @Test
  void sendsNothingAboutTheVeryFirstStart() throws Exception {
    try (Receiver other = Receiver.start(TestDatabases.create());
        TestServer first = other.startServer()) {
      other
          .database()
          .execute("UPDATE control_plane_uptime SET up_since = up_since + interval '1 minute'");
      Receiver.awaitCollection(first);
      assertThat(other.number("SELECT count(*) FROM webhook_notifications")).isZero();
    }
  }

  @Test
  void goesOnWhereItStoppedAfterARestart() {
    try (TestServer off = receiver.startServer("WEBHOOK_URL=")) {
      server.close();
      degrade(off);
    }
    server = receiver.startServer();
    assertThat(receiver.tell(1).path("kind").asString()).isEqualTo("degraded");
    assertThat(drops()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"302", "500", "404"})
  void triesAgainWhatIsNotTakenAndFollowsNoRedirect(int status) throws Exception {
    double before = attempts(server, "refused");
    try (TestPeer elsewhere = TestPeer.start()) {
      receiver
          .peer()
          .then(
              PeerBehavior.answer(
                  status, Map.of("Location", elsewhere.url()), "x".repeat(1 << 20)));
      degrade(server);
      receiver.tell(1);
      awaitAttempts(server, "refused", before + 1);
      receiver.letThePausePass();

      List<JsonNode> bodies = receiver.await(2);

      assertThat(bodies.get(1)).isEqualTo(bodies.get(0));
      awaitEnd();
      assertThat(elsewhere.connections()).isZero();
    }
  }

  @Test
  void dropsANotificationAfterAnHourAndReportsWhatLasts() {
    double refused = attempts(server, "refused");
    double dropsBefore = drops();
    double sent = attempts(server, "sent");
    receiver.peer().usually(PeerBehavior.answer(503, ""));
    degrade(server);
    Agent brief = degrade(server);
    JsonNode dropped = receiver.tell(2);
    awaitAttempts(server, "refused", refused + 1);
    server.client().heartbeat(brief, "\"error_rate\":0");
    receiver.awaitCollected(1);
    DATABASE.execute(
        "UPDATE webhook_notifications SET created_at = created_at - interval '1 hour'");
    receiver.letThePausePass();

    Awaitility.await().until(() -> drops() == dropsBefore + 1);
    receiver.peer().usually(PeerBehavior.answer(200, ""));
    awaitAttempts(server, "sent", sent + 1);
    JsonNode anew = receiver.bodies().getLast();
    assertThat(anew.path("id")).isNotEqualTo(dropped.path("id"));
    assertThat(anew.path("count").asInt()).isEqualTo(1);
    awaitEnd();
    assertThat(attempts(server, "sent")).isEqualTo(sent + 1);
  }

  /** Old ones are deleted with each new one; one that was not given up yet is not among them. */
  @Test
  void keepsAnOldNotificationUntilItHasEnded() {
    double refused = attempts(server, "refused");
    receiver.peer().usually(PeerBehavior.answer(503, ""));
    degrade(server);
    String old = receiver.tell(1).path("id").asString();
    awaitAttempts(server, "refused", refused + 1);
    // it is counted before its next attempt is stored; while it is being sent, that is later
    Awaitility.await()
        .until(
            () ->
                DATABASE.value(
                    "SELECT count(*) FROM webhook_notifications WHERE next_attempt_at < now() +"
                        + " interval '10 s'"),
            "1"::equals);
    DATABASE.execute(
        "UPDATE webhook_notifications SET created_at = created_at - interval '3 hours',"
            + " next_attempt_at = now() + interval '1 hour'");
    Receiver.degrade(server.client(), "billing");
    receiver.awaitCollected(1);
    receiver.letAMinutePass();

    receiver.await(2);

    assertThat(
            DATABASE.value(
                "SELECT ended_at IS NULL FROM webhook_notifications WHERE id = '" + old + "'"))
        .isEqualTo("t");
    DATABASE.execute("UPDATE webhook_notifications SET ended_at = now() WHERE id = '" + old + "'");
  }

  @Test
  void delaysNoRequestWhileTheReceiverIsSilent() {
    double before = attempts(server, "unreachable");
    receiver.peer().usually(PeerBehavior.silence());
    Agent agent = degrade(server);
    receiver.tell(1);
    // the claim outlasts the attempt, which ends after 10 s; else another replica would send it too
    assertThat(
            receiver.number(
                "SELECT count(*) FROM webhook_notifications WHERE ended_at IS NULL AND"
                    + " next_attempt_at > statement_timestamp() + interval '10 s'"))
        .isEqualTo(1);
    for (int n = 0; n < 20; n++) {
      long start = System.nanoTime();
      assertThat(server.client().heartbeat(agent).status()).isEqualTo(200);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
    }
    awaitAttempts(server, "unreachable", before + 1);
  }

  /** The name is looked up for each attempt; the address that it then has is refused. */
  @Test
  void sendsNothingToAnAddressThatIsNotAllowed() throws Exception {
    try (Receiver other = Receiver.start(TestDatabases.create());
        TestServer refusing =
            other.startServer(
                other.setting().replace("127.0.0.1", "localhost"), "AGENT_URL_ALLOW=private")) {
      degrade(refusing);
      other.awaitCollected(1);
      other.letAMinutePass();
      awaitAttempts(refusing, "forbidden", 1);

      assertThat(other.peer().connections()).isZero();
    }
  }

  private static Receiver startReceiver() throws IOException {
    return new Receiver(TestPeer.startOn(PORT).usually(PeerBehavior.answer(200, "")), DATABASE);
  }

  private static Agent degrade(TestServer at) {
    return Receiver.degrade(at.client(), "quota");
  }

  private static double attempts(TestServer of, String outcome) {
    return of.bean(MeterRegistry.class)
        .get("muster.webhook.attempts")
        .tag("outcome", outcome)
        .counter()
        .count();
  }

  private static double drops() {
    return server.bean(MeterRegistry.class).get("muster.webhook.dropped").counter().count();
  }

  private static void awaitAttempts(TestServer of, String outcome, double count) {
    Awaitility.await().atMost(TIMEOUT).until(() -> attempts(of, outcome) >= count);
  }

  private void awaitEnd() {
    Awaitility.await().atMost(TIMEOUT).until(() -> waiting() == 0);
  }

  private int waiting() {
    return receiver.number("SELECT count(*) FROM webhook_notifications WHERE ended_at IS NULL");
  }
}
