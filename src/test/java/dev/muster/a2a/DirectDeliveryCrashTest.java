package dev.muster.a2a;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A server that dies, or stands still, while an agent works for it (R7.3, R7.4). */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class DirectDeliveryCrashTest {

  /** A lease of 30 s, a sweep every 15 s, and a machine that does other things. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final String FIRST = PushAgents.ANSWER.replace("message", "first");
  private static final String SECOND = PushAgents.ANSWER.replace("message", "second");
  private static final String MESSAGE = ProxyClient.message("m", "hi");

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer BOLD =
      TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback", "A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final TestServer CAUTIOUS =
      TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback", "A2A_RETRY_AMBIGUOUS=false");
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final CountDownLatch firstAnswers = new CountDownLatch(1);
  private final TestPeer peer;
  private final Agent target;

  @TempDir Path folder;
  private ServerProcess sender;

  DirectDeliveryCrashTest() throws IOException {
    peer =
        TestPeer.start()
            .then(PushAgents.answerAfter(firstAnswers, FIRST))
            .usually(PeerBehavior.answer(200, SECOND));
    target = new PushAgents(BOLD).at(peer.url());
  }

  @BeforeEach
  void startSender() throws IOException {
    sender =
        ServerProcess.start(
                folder.resolve("home"),
                Map.of(
                    "ADMIN_TOKEN",
                    ADMIN_TOKEN,
                    "DATABASE_URL",
                    DATABASE.url(),
                    "AGENT_URL_ALLOW",
                    "loopback",
                    "A2A_DELEGATE_MAX_ATTEMPTS",
                    "1"))
            .awaitReady();
  }

  @AfterEach
  void end() throws IOException {
    firstAnswers.countDown();
    peer.close();
    sender.kill();
    sender.close();
  }

  @AfterAll
  static void close() {
    HTTP.close();
    CAUTIOUS.close();
    BOLD.close();
  }

  @Test
  void isToldOnTheRowAndDoneAgainUnderTheSameId() {
    CompletableFuture<HttpResponse<String>> lost = send();
    peer.awaitDeliveries(1);
    assertThat(stored("m.state")).isEqualTo("sending");

    sender.kill();

    Awaitility.await().atMost(TIMEOUT).until(() -> stored("m.state").equals("uncertain"));
    assertThat(lost).isCompletedExceptionally();
    assertThat(stored("l.status")).isEqualTo("error");
    assertThat(stored("l.error_detail")).contains("ServerLost");
    assertThat(stored("concat_ws(' ', m.deliveries, m.answer_status, m.owner)")).isEqualTo("1 504");

    assertRefused(
        new ProxyClient(CAUTIOUS).send(target, ADMIN_TOKEN, MESSAGE), 504, "AGENT_TIMEOUT");
    assertThat(peer.deliveries()).hasSize(1);

    Answer again = new ProxyClient(BOLD).send(target, ADMIN_TOKEN, MESSAGE);

    assertThat(again.text()).isEqualTo(SECOND);
    assertEndedBySecond();
  }

  @Test
  void endsOnceThoughTheFirstToSendComesBack() throws Exception {
    CompletableFuture<HttpResponse<String>> slow = send();
    peer.awaitDeliveries(1);
    sender.signal("STOP");
    Answer takenOver;
    String turns;
    try {
      Awaitility.await().atMost(TIMEOUT).until(() -> stored("m.state").equals("uncertain"));
      takenOver = new ProxyClient(BOLD).send(target, ADMIN_TOKEN, MESSAGE);
      turns = endedTurns();
    } finally {
      sender.signal("CONT");
    }
    firstAnswers.countDown();

    assertThat(takenOver.text()).isEqualTo(SECOND);
    assertThat(slow.join().body()).isEqualTo(SECOND);
    assertThat(endedTurns()).isEqualTo(turns);
    assertEndedBySecond();
    assertThat(new ProxyClient(CAUTIOUS).send(target, ADMIN_TOKEN, MESSAGE).text())
        .isEqualTo(SECOND);
    assertThat(peer.deliveries()).hasSize(2);
  }

  /**
   * The server that stood still has its answer first, and the one that took over is still at it.
   */
  @Test
  void belongsToWhoeverTookItOverThoughTheFirstIsAnsweredSooner() throws Exception {
    CountDownLatch secondAnswers = new CountDownLatch(1);
    peer.then(PushAgents.answerAfter(secondAnswers, SECOND));
    CompletableFuture<HttpResponse<String>> slow = send();
    peer.awaitDeliveries(1);
    sender.signal("STOP");
    CompletableFuture<Answer> takesOver;
    try {
      lapse();
      takesOver =
          CompletableFuture.supplyAsync(
              () -> new ProxyClient(BOLD).send(target, ADMIN_TOKEN, MESSAGE),
              Thread::startVirtualThread);
      peer.awaitDeliveries(2);
    } finally {
      sender.signal("CONT");
    }
    firstAnswers.countDown();
    // its answer has come when the next one of that server has
    Agent other = new PushAgents(BOLD).at(peer.url());
    assertThat(sender.client().post(ProxyClient.path(other.id()), ADMIN_TOKEN, MESSAGE).text())
        .isEqualTo(SECOND);
    assertThat(stored("m.state")).isEqualTo("sending");
    secondAnswers.countDown();

    assertThat(takesOver.join().text()).isEqualTo(SECOND);
    assertThat(slow.join().body()).isEqualTo(SECOND);
    assertThat(stored("m.state || ' ' || m.deliveries")).isEqualTo("answered 2");
    assertThat(stored("l.response_body")).isEqualTo(SECOND);
  }

  /** Lives longer than a lease, as the other clients of tests do not. */
  private CompletableFuture<HttpResponse<String>> send() {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(sender.client().baseUrl() + ProxyClient.path(target.id())))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .timeout(Duration.ofSeconds(150))
            .POST(BodyPublishers.ofString(MESSAGE))
            .build();
    return HTTP.sendAsync(request, BodyHandlers.ofString());
  }

  private void assertEndedBySecond() {
    assertThat(stored("m.state || ' ' || m.deliveries")).isEqualTo("answered 2");
    assertThat(stored("concat(l.status, l.error_detail)")).isEqualTo("ok");
    assertThat(stored("l.response_body")).isEqualTo(SECOND);
    assertThat(peer.deliveries()).hasSize(2);
    assertThat(peer.deliveries().get(1).text()).isEqualTo(peer.deliveries().get(0).text());
  }

  private String endedTurns() {
    return DATABASE.value(
        "SELECT ended_at FROM delivery_outcomes WHERE workspace_id = '" + target.id() + "'");
  }

  private void lapse() {
    DATABASE.execute(
        "UPDATE replicas SET alive_until = clock_timestamp() - interval '1 second' WHERE id = '"
            + stored("m.owner")
            + "'");
  }

  private String stored(String expression) {
    return PushAgents.stored(DATABASE, target, "m", expression);
  }
}
