package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events that end the wait of a sender before an answer exists, on every replica (R1.6, R7.11). */
@Slow
@Timeout(120)
class SenderWaitsTest {

  /** Less than any of the waits, and more than the 5 s of R1.6, for a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(10);

  private static final String WAIT = "?wait=" + Math.min(60, 28 * FastPace.PACE.factor());
  private static final int SHARE = 256;
  private static final int CROWD = 300;

  /** Those that wait before the others come at once. */
  private static final int BEFORE = 200;

  private static final int WAVE = 50;

  private static final TestServer HERE = start(TestDatabases.create());
  private static final TestServer THERE = start(HERE.database());
  private static final TestClient CLIENT = HERE.client();
  private static final ProxyClient PROXY = new ProxyClient(HERE);

  private Agent lead;
  private Agent sender;
  private Agent polling;

  private static TestServer start(TestDatabase database) {
    return TestServer.startWith(database, List.of(FastPace.class), "AGENT_URL_ALLOW=loopback");
  }

  @AfterAll
  static void stop() {
    THERE.close();
    HERE.close();
  }

  @BeforeEach
  void create() {
    Awaitility.await().atMost(Duration.ofSeconds(40)).until(() -> waiting() == 0);
    lead = CLIENT.create("Lead");
    sender = CLIENT.create("Sender", child());
    polling = CLIENT.create("Polling", child());
  }

  private String child() {
    return "\"parent_id\":\"" + lead.id() + "\"";
  }

  @Test
  void endsWhenItsTokenIsRevoked() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(sender.token());

    revokeTokenOf(sender);

    assertAllRefused(waits, 401, "UNAUTHENTICATED");
  }

  @Test
  void givesNoAnswerToARevokedToken() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(sender.token());
    revokeTokenOf(sender);
    Awaitility.await().atMost(SOON).until(() -> waiting() == 0);

    assertThat(PROXY.send(sender, polling.token(), replyTo("m-1")).status()).isEqualTo(200);

    assertAllRefused(waits, 401, "UNAUTHENTICATED");
  }

  /** The answer itself triggers the check of the token, before the periodic check. */
  @Test
  void checksTheTokenBeforeItAnswers() {
    CompletableFuture<Answer> wait = sendAsync(HERE, sender.token(), WAIT);
    awaitWaiting(1);
    revokeTokenOf(sender);

    assertThat(PROXY.send(sender, polling.token(), replyTo("m-1")).status()).isEqualTo(200);

    assertAllRefused(List.of(wait), 401, "UNAUTHENTICATED");
  }

  @Test
  void endsWhenTheSenderIsRemoved() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(sender.token());

    remove(sender, "");

    assertAllRefused(waits, 401, "UNAUTHENTICATED");
  }

  @Test
  void endsWhenTheTargetIsRemoved() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(sender.token());

    remove(polling, "");

    assertAllRefused(waits, 410, "WORKSPACE_REMOVED");
  }

  @Test
  void endsWhenTheTargetIsRemovedWithItsBranch() {
    List<CompletableFuture<Answer>> waits = waitOnBoth(ADMIN_TOKEN);

    remove(lead, "?confirm=true");

    assertAllRefused(waits, 410, "WORKSPACE_REMOVED");
    assertThat(waits.getFirst().join().field("id")).isEqualTo(polling.id().toString());
  }

  @Test
  void endsForADuplicateOfAMessageInProgress() throws IOException {
    CountDownLatch latch = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PushAgents.answerAfter(latch, PushAgents.ANSWER));
      Agent called = new PushAgents(HERE).at(peer.url(), child());
      CompletableFuture<Answer> first = sendAsync(HERE, called, sender.token(), "");
      peer.awaitDeliveries(1);
      List<CompletableFuture<Answer>> repeats =
          Stream.of(HERE, THERE)
              .map(server -> sendAsync(server, called, sender.token(), ""))
              .toList();
      awaitWaiting(2);

      revokeTokenOf(sender);

      assertAllRefused(repeats, 401, "UNAUTHENTICATED");
      latch.countDown();
      first.join();
    }
  }

  @Test
  void endsForADuplicateWhoseTargetIsRemoved() throws IOException {
    CountDownLatch latch = new CountDownLatch(1);
    try (TestPeer peer = TestPeer.start()) {
      peer.usually(PushAgents.answerAfter(latch, PushAgents.ANSWER));
      Agent called = new PushAgents(HERE).at(peer.url(), child());
      CompletableFuture<Answer> first = sendAsync(HERE, called, sender.token(), "");
      peer.awaitDeliveries(1);
      List<CompletableFuture<Answer>> repeats =
          Stream.of(HERE, THERE)
              .map(server -> sendAsync(server, called, sender.token(), ""))
              .toList();
      awaitWaiting(2);

      remove(called, "");

      assertAllRefused(repeats, 410, "WORKSPACE_REMOVED");
      latch.countDown();
      assertThat(first.join().text()).isEqualTo(PushAgents.ANSWER);
    }
  }

  /**
   * The wait slot is reserved before the message is stored: no sender gets "queued" at once
   * (R6.7a).
   *
   * <p>The server keeps the real pace, so that no wait ends before the last one begins.
   */
  @Test
  void refusesWaitsBeyondTheShareOfAWorkspace() {
    try (TestServer server = TestServer.startOn(HERE.database())) {
      List<CompletableFuture<Answer>> waits = new ArrayList<>();
      while (waits.size() < BEFORE) { // a busy machine could not store all at once in time
        waits.add(waitFor(server, "m-" + waits.size()));
        if (waits.size() % WAVE == 0) {
          Awaitility.await().atMost(SOON).until(() -> waiting(server) == waits.size());
        }
      }
      while (waits.size() < CROWD) {
        waits.add(waitFor(server, "m-" + waits.size()));
      }
      Awaitility.await()
          .atMost(Duration.ofSeconds(50))
          .until(() ->
              waits.stream().filter(CompletableFuture::isDone).count() == CROWD - SHARE
                  && waiting(server) == SHARE);

      assertThat(waits.stream().filter(CompletableFuture::isDone).map(CompletableFuture::join))
          .allSatisfy(one -> {
            assertRefused(one, 429, "RATE_LIMITED");
            assertThat(one.header("Retry-After")).isEqualTo("5");
          });
      assertThat(PROXY.rows(polling)).as("what is refused is not stored").isEqualTo(SHARE);
      revokeTokenOf(sender);
      CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new)).join();
    }
  }

  private CompletableFuture<Answer> waitFor(TestServer server, String messageId) {
    String body = ProxyClient.message(messageId, "please");
    String path = ProxyClient.path(polling.id()) + "?wait=60";
    return CompletableFuture.supplyAsync(
        () -> server.client().patient().post(path, sender.token(), body),
        Thread::startVirtualThread);
  }

  private List<CompletableFuture<Answer>> waitOnBoth(String token) {
    List<CompletableFuture<Answer>> waits =
        Stream.of(HERE, THERE).map(server -> sendAsync(server, token, WAIT)).toList();
    awaitWaiting(2);
    return waits;
  }

  private CompletableFuture<Answer> sendAsync(TestServer server, String token, String query) {
    return sendAsync(server, polling, token, query);
  }

  private static CompletableFuture<Answer> sendAsync(
      TestServer server, Agent target, String token, String query) {
    String path = ProxyClient.path(target.id()) + query;
    return CompletableFuture.supplyAsync(
        () -> server.client().post(path, token, ProxyClient.message("m-1", "please")),
        Thread::startVirtualThread);
  }

  private static String replyTo(String id) {
    return ProxyClient.sending(
        "{'messageId':'r-1','parts':[{'kind':'text','text':'done'}],'metadata':{'reply_to':'%s'}}"
            .formatted(id));
  }

  private static void revokeTokenOf(Agent agent) {
    String tokens = "/workspaces/" + agent.id() + "/tokens";
    String id = CLIENT.get(tokens, ADMIN_TOKEN).json().at("/tokens/0/id").asString();
    assertThat(CLIENT.delete(tokens + "/" + id, ADMIN_TOKEN).status()).isEqualTo(200);
  }

  private static void remove(Agent agent, String query) {
    Answer answer = CLIENT.delete("/workspaces/" + agent.id() + query, ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private static void assertAllRefused(
      List<CompletableFuture<Answer>> waits, int status, String code) {
    CompletableFuture.allOf(waits.toArray(CompletableFuture[]::new))
        .orTimeout(SOON.toSeconds(), TimeUnit.SECONDS)
        .join();
    waits.forEach(wait -> assertRefused(wait.join(), status, code));
  }

  private static void awaitWaiting(int requests) {
    Awaitility.await().atMost(SOON).until(() -> waiting() == requests);
  }

  private static double waiting() {
    return waiting(HERE) + waiting(THERE);
  }

  private static double waiting(TestServer server) {
    return server.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value();
  }
}
