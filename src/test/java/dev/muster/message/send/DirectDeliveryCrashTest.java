package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.PacedServer;
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
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server that dies, or is stopped, while an agent works on its delivery (R7.3, R7.4). */
@Slow
@Timeout(240)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DirectDeliveryCrashTest {

  /** Much longer than a lease, for a busy machine. */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private static final String FIRST = PushAgents.ANSWER.replace("message", "first");
  private static final String SECOND = PushAgents.ANSWER.replace("message", "second");
  private static final String MESSAGE = ProxyClient.message("m", "hi");

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer WITH_RETRIES = startFast("A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final TestServer WITHOUT_RETRIES = startFast("A2A_RETRY_AMBIGUOUS=false");

  @TempDir static Path folder;

  /** The two servers, and the sender. */
  private static final String REPLICAS = "3";

  /** Stopped and continued by one test after another, and killed by the last one. */
  private static ServerProcess sender;

  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final CountDownLatch firstAnswers = new CountDownLatch(1);
  private final TestPeer peer;
  private final Agent target;

  DirectDeliveryCrashTest() throws IOException {
    peer =
        TestPeer.start()
            .then(PushAgents.answerAfter(firstAnswers, FIRST))
            .usually(PeerBehavior.answer(200, SECOND));
    target = new PushAgents(WITH_RETRIES).at(peer.url());
  }

  private static TestServer startFast(String setting) {
    return TestServer.startWith(
        DATABASE, List.of(FastPace.class), "AGENT_URL_ALLOW=loopback", setting);
  }

  private static ServerProcess startSender() throws IOException {
    return ServerProcess.start(
        PacedServer.class,
        folder.resolve("home"),
        ServerProcess.settings(DATABASE.url(), "A2A_DELEGATE_MAX_ATTEMPTS=1"));
  }

  @BeforeAll
  static void startFirstSender() throws IOException {
    sender = startSender();
  }

  @BeforeEach
  void awaitSender() throws IOException {
    if (!sender.isAlive()) {
      sender.close();
      sender = startSender();
    }
    sender.awaitReady();
    // a test before may have let its lease lapse in the database, which it learns at its renewal
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(
            () ->
                DATABASE.value(
                    "SELECT count(*) FROM replicas WHERE alive_until > clock_timestamp()"),
            REPLICAS::equals);
  }

  @AfterEach
  void end() throws IOException {
    firstAnswers.countDown();
    peer.close();
  }

  @AfterAll
  static void close() throws IOException {
    HTTP.close();
    sender.kill();
    sender.close();
    WITHOUT_RETRIES.close();
    WITH_RETRIES.close();
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void isRecordedAsUncertainAndDeliveredAgainUnderTheSameId() {
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
        new ProxyClient(WITHOUT_RETRIES).send(target, ADMIN_TOKEN, MESSAGE), 504, "AGENT_TIMEOUT");
    assertThat(peer.deliveries()).hasSize(1);

    Answer again = new ProxyClient(WITH_RETRIES).send(target, ADMIN_TOKEN, MESSAGE);

    assertThat(again.text()).isEqualTo(SECOND);
    assertEndedBySecond();
  }

  @Test
  void endsOnceWhenItsFirstOwnerResumes() throws Exception {
    CompletableFuture<HttpResponse<String>> slow = send();
    peer.awaitDeliveries(1);
    sender.signal("STOP");
    Answer takenOver;
    String deliveries;
    try {
      Awaitility.await().atMost(TIMEOUT).until(() -> stored("m.state").equals("uncertain"));
      takenOver = new ProxyClient(WITH_RETRIES).send(target, ADMIN_TOKEN, MESSAGE);
      deliveries = endedDeliveries();
    } finally {
      sender.signal("CONT");
    }
    firstAnswers.countDown();

    assertThat(takenOver.text()).isEqualTo(SECOND);
    assertThat(slow.join().body()).isEqualTo(SECOND);
    assertThat(endedDeliveries()).isEqualTo(deliveries);
    assertEndedBySecond();
    assertThat(new ProxyClient(WITHOUT_RETRIES).send(target, ADMIN_TOKEN, MESSAGE).text())
        .isEqualTo(SECOND);
    assertThat(peer.deliveries()).hasSize(2);
  }

  /** The stopped server gets its answer first, while the delivery of the new owner still runs. */
  @Test
  void belongsToTheNewOwnerThoughTheFirstOwnerIsAnsweredSooner() throws Exception {
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
              () -> new ProxyClient(WITH_RETRIES).send(target, ADMIN_TOKEN, MESSAGE),
              Thread::startVirtualThread);
      peer.awaitDeliveries(2);
    } finally {
      sender.signal("CONT");
    }
    firstAnswers.countDown();
    // this replica has its answer by the time that its next delivery is answered
    Agent other = new PushAgents(WITH_RETRIES).at(peer.url());
    Awaitility.await() // refused until it has renewed its lease
        .atMost(TIMEOUT)
        .until(
            () -> sender.client().post(ProxyClient.path(other.id()), ADMIN_TOKEN, MESSAGE).text(),
            SECOND::equals);
    assertThat(stored("m.state")).isEqualTo("sending");
    secondAnswers.countDown();

    assertThat(takesOver.join().text()).isEqualTo(SECOND);
    assertThat(slow.join().body()).isEqualTo(SECOND);
    assertThat(stored("m.state || ' ' || m.deliveries")).isEqualTo("answered 2");
    assertThat(stored("l.response_body")).isEqualTo(SECOND);
  }

  /** Waits longer than a lease, which the clients of other tests do not. */
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

  private String endedDeliveries() {
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
