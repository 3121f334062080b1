package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A message to a push agent that is sent again, to any replica (R7.3). One test at a time: a crowd
 * of senders takes all connections to the database, and the others would get 503.
 */
@Slow
@Timeout(120)
class DuplicateDeliveriesTest {

  private static final int CALLERS = 24;

  /** As many as threads that look for waiting requests (R7.14). */
  private static final int LOOKS = 8;

  private static final int CROWD = Rounds.of(200, 500);

  /** An abandoned delivery claim lasts 30 s; a duplicate is answered much sooner. */
  private static final Duration SOON = Duration.ofSeconds(10);

  /** More than the second that a duplicate waits for a locked record. */
  private static final Duration DUPLICATE_TIMEOUT = Duration.ofMillis(1300);

  private static final TestServer SERVER =
      TestServer.start("AGENT_URL_ALLOW=loopback", "A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final TestServer REPLICA =
      TestServer.startOn(
          SERVER.database(), "AGENT_URL_ALLOW=loopback", "A2A_DELEGATE_MAX_ATTEMPTS=1");
  private static final TestServer SERVER_WITHOUT_RETRIES =
      TestServer.startOn(
          SERVER.database(),
          "AGENT_URL_ALLOW=loopback",
          "A2A_DELEGATE_MAX_ATTEMPTS=1",
          "A2A_RETRY_AMBIGUOUS=false");
  private static final TestClient CLIENT = SERVER.client();
  private static final PushAgents CALLED = new PushAgents(SERVER);
  private static final ProxyClient PROXY = new ProxyClient(SERVER);
  private static final ProxyClient ELSEWHERE = new ProxyClient(REPLICA);
  private static final ProxyClient WITHOUT_RETRIES = new ProxyClient(SERVER_WITHOUT_RETRIES);
  private static final List<ProxyClient> BOTH = List.of(PROXY, ELSEWHERE);

  private static final String MESSAGE = ProxyClient.message("m", "hi");

  private TestPeer peer = startPeer();

  private static TestPeer startPeer() {
    try {
      return TestPeer.start();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void closePeer() throws IOException {
    peer.close();
  }

  @AfterAll
  static void close() {
    SERVER_WITHOUT_RETRIES.close();
    REPLICA.close();
    SERVER.close();
  }

  private static ProxyClient replica(int n) {
    return BOTH.get(n % BOTH.size());
  }

  private static Answer send(ProxyClient proxy, Agent target) {
    return proxy.send(target, ADMIN_TOKEN, MESSAGE);
  }

  private static CompletableFuture<Answer> sending(ProxyClient proxy, Agent target) {
    return CompletableFuture.supplyAsync(() -> send(proxy, target), Thread::startVirtualThread);
  }

  private static void awaitWaiting(int repeats) {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> waiting() == repeats);
  }

  private static double waiting() {
    return Stream.of(SERVER, REPLICA)
        .mapToDouble(
            server -> server.bean(MeterRegistry.class).get("muster.polls.waiting").gauge().value())
        .sum();
  }

  private static void assertSame(Answer repeat, Answer first) {
    assertThat(repeat.status()).as(repeat.text()).isEqualTo(first.status());
    assertThat(repeat.text()).isEqualTo(first.text());
    assertThat(repeat.header("Content-Type")).isEqualTo(first.header("Content-Type"));
  }

  /** On any replica; also the answer that another request waited for. */
  @ParameterizedTest
  @ValueSource(strings = {"2", "\"two\"", "null", "1"})
  void answersADuplicateWithItsOwnJsonRpcId(String id) {
    for (String answer :
        List.of(
            PushAgents.ANSWER,
            "{\"error\":{\"code\":-32603,\"message\":\"é\"},\"id\":1,\"jsonrpc\":\"2.0\"}",
            "{\"id\":1}")) {
      peer.then(PeerBehavior.answer(200, answer));
      Agent target = CALLED.at(peer.url());
      assertThat(send(PROXY, target).text()).isEqualTo(answer);

      for (ProxyClient replica : BOTH) {
        Answer repeat =
            replica.send(target, ADMIN_TOKEN, MESSAGE.replace("\"id\":1", "\"id\":" + id));

        assertThat(repeat.text())
            .isEqualTo(
                answer.contains("jsonrpc") ? answer.replace("\"id\":1", "\"id\":" + id) : answer);
        assertThat(repeat.header("Content-Type")).isEqualTo("application/json");
      }
    }
  }

  @Test
  void answersADuplicateWithoutAnIdWithANullId() {
    peer.then(PeerBehavior.answer(200, PushAgents.ANSWER));
    Agent target = CALLED.at(peer.url());
    send(PROXY, target);

    Answer repeat = ELSEWHERE.send(target, ADMIN_TOKEN, MESSAGE.replace("\"id\":1,", ""));

    assertThat(repeat.text()).isEqualTo(PushAgents.ANSWER.replace("\"id\":1", "\"id\":null"));
  }

  @Test
  void answersADuplicateOfAMessageInDeliveryWithItsOwnId() {
    CountDownLatch latch = new CountDownLatch(1);
    peer.usually(PushAgents.answerAfter(latch, PushAgents.ANSWER));
    Agent target = CALLED.at(peer.url());
    CompletableFuture<Answer> first = sending(PROXY, target);
    peer.awaitDeliveries(1);

    CompletableFuture<Answer> second =
        CompletableFuture.supplyAsync(
            () -> ELSEWHERE.send(target, ADMIN_TOKEN, MESSAGE.replace("\"id\":1", "\"id\":\"2\"")),
            Thread::startVirtualThread);
    awaitWaiting(1);
    latch.countDown();

    assertThat(first.join().text()).isEqualTo(PushAgents.ANSWER);
    assertThat(second.join().text())
        .isEqualTo(PushAgents.ANSWER.replace("\"id\":1", "\"id\":\"2\""));
  }

  @Test
  void answersADuplicateOfAStreamWithItsOwnId() {
    peer.then(PeerBehavior.events(PushAgents.ANSWER));
    Agent target = CALLED.at(peer.url());
    String stream = MESSAGE.replace("message/send", "message/stream");
    PROXY.send(target, ADMIN_TOKEN, stream);

    Answer repeat = ELSEWHERE.send(target, ADMIN_TOKEN, stream.replace("\"id\":1", "\"id\":\"2\""));

    assertThat(repeat.text())
        .isEqualTo("data: " + PushAgents.ANSWER.replace("\"id\":1", "\"id\":\"2\"") + "\n\n");
  }

  @Test
  void answersConcurrentDuplicatesWithTheOneDelivery() {
    CountDownLatch latch = new CountDownLatch(1);
    peer.usually(PushAgents.answerAfter(latch, PushAgents.ANSWER));
    Agent target = CALLED.at(peer.url());

    CompletableFuture<List<Answer>> answers =
        CompletableFuture.supplyAsync(
            () -> Race.run(CALLERS, n -> send(replica(n).patient(), target)),
            Thread::startVirtualThread);
    peer.awaitDeliveries(1);
    awaitWaiting(CALLERS - 1);
    assertThat(answers).isNotDone();
    latch.countDown();

    assertThat(answers.join())
        .hasSize(CALLERS)
        .allSatisfy(answer -> {
          assertThat(answer.status()).isEqualTo(200);
          assertThat(answer.text()).isEqualTo(PushAgents.ANSWER);
        });
    CALLED.assertRecord(target, "m", "answered", 1, peer);
    assertThat(PROXY.rows(target)).isEqualTo(1);
  }

  /** The threads that look for waiting requests are few, and a call may take minutes. */
  @Test
  void callsForDuplicatesKeepNoOtherWaitingRequestFromItsAnswer() {
    CountDownLatch latch = new CountDownLatch(1);
    PeerBehavior notTaken = PushAgents.answerAfter(latch, 503, "{\"error\":\"later\"}");
    peer.then(Stream.generate(() -> notTaken).limit(LOOKS).toArray(PeerBehavior[]::new));
    peer.usually(PeerBehavior.silence());
    Agent target = CALLED.at(peer.url());
    Agent polling = CLIENT.create("Polling");
    sendAll(target);
    peer.awaitDeliveries(LOOKS);
    sendAll(target);
    awaitWaiting(LOOKS);
    CompletableFuture<Answer> poll =
        CompletableFuture.supplyAsync(
            () -> CLIENT.get("/workspaces/" + polling.id() + "/activity?wait=60", ADMIN_TOKEN),
            Thread::startVirtualThread);
    awaitWaiting(LOOKS + 1);

    latch.countDown();
    peer.awaitDeliveries(2 * LOOKS);
    PROXY.send(polling, ADMIN_TOKEN, MESSAGE);

    assertThat(poll.orTimeout(SOON.toSeconds(), TimeUnit.SECONDS).join().status()).isEqualTo(200);
    peer.release();
    awaitWaiting(0);
  }

  private static void sendAll(Agent target) {
    for (int i = 0; i < LOOKS; i++) {
      String message = ProxyClient.message("m-" + i, "hi");
      Thread.startVirtualThread(() -> PROXY.send(target, ADMIN_TOKEN, message));
    }
  }

  /** The agent polls by now; its message is no response to a send, but to a wait (R7.3). */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void answersThoseWhoWaitWithTheMessageOfAnAgentThatPollsByNow(boolean isLost) throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    peer.usually(PushAgents.answerAfter(latch, PushAgents.ANSWER));
    Agent sender = CLIENT.create("Asking");
    Agent target = CALLED.at(peer.url(), "\"parent_id\":\"" + sender.id() + "\"");
    CompletableFuture<Answer> first = sending(sender, target);
    peer.awaitDeliveries(1);
    CompletableFuture<Answer> second = sending(sender, target);
    awaitWaiting(1);
    CLIENT.patch("/workspaces/" + target.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"poll\"}");
    String reply =
        ProxyClient.sending(
            "{'messageId':'r','parts':[{'kind':'text','text':'done'}],'metadata':{'reply_to':'m'}}");
    assertThat(PROXY.send(sender, target.token(), reply).status()).isEqualTo(200);
    if (isLost) {
      lose(target);
      assertIsReply(second.join());
    }

    latch.countDown();

    if (isLost) {
      assertIsReply(first.join());
    } else {
      assertThat(first.join().text()).isEqualTo(PushAgents.ANSWER);
    }
    assertIsReply(second.join());
    assertThat(sending(sender, target).join().field("status")).isEqualTo("queued");
  }

  private static void assertIsReply(Answer answer) {
    assertThat(answer.json().at("/result/messageId").asString()).as(answer.text()).isEqualTo("r");
  }

  /** The delivery belongs to a replica that is dead. */
  private static void lose(Agent target) throws SQLException {
    try (Connection connection = SERVER.database().connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "UPDATE deliveries SET owner = gen_random_uuid() WHERE workspace_id = '"
              + target.id()
              + "'");
    }
  }

  private static CompletableFuture<Answer> sending(Agent sender, Agent target) {
    return CompletableFuture.supplyAsync(
        () -> PROXY.send(target, sender.token(), MESSAGE), Thread::startVirtualThread);
  }

  @Test
  void deliversOnceWhenManySendersSendTheMessageAtOnce() {
    Agent target = CALLED.at(peer.url());

    List<Answer> answers = Race.run(CROWD, n -> send(replica(n).patient(), target));

    assertThat(answers).extracting(Answer::status).containsOnly(200);
    assertThat(answers.stream().map(Answer::text).distinct()).hasSize(1);
    CALLED.assertRecord(target, "m", "answered", 1, peer);
  }

  static Stream<Named<PeerBehavior>> ends() {
    Map<String, String> html = Map.of("Content-Type", "text/html");
    return Stream.of(
        named("an answer", PeerBehavior.answer(200, PushAgents.ANSWER)),
        named(
            "odd spaces, numbers and names",
            PeerBehavior.answer(
                201, "\r\n {\"b\" : 1.0e2,\t\"a\":1, \"a\":\"\\u0000\\ud800é\"} \n")),
        named(
            "another type of JSON",
            PeerBehavior.answer(200, Map.of("Content-Type", "application/a2a+json"), "[1,2 ]")),
        named(
            "a byte order mark",
            PeerBehavior.answer(200, "\uFEFF{\"jsonrpc\":\"2.0\",\"result\":1}")),
        named(
            "a JSON-RPC error",
            PeerBehavior.answer(200, "{\"error\":{\"code\":-32001,\"message\":\"no\"}}")),
        named("an HTTP error", PeerBehavior.answer(400, "{\"error\":\"what is this\"}")),
        named("an error of its own", PeerBehavior.answer(500, "{\"error\":\"broken\"}")),
        named(
            "a redirect", PeerBehavior.answer(302, Map.of("Location", "http://127.0.0.1:1/"), "")),
        named("a page", PeerBehavior.answer(200, html, "<p>hello</p>")),
        named("nothing", PeerBehavior.answer(200, "")),
        named(
            "a long answer",
            PeerBehavior.answer(200, "{\"text\":\"" + "long ".repeat(300_000) + "\"}")));
  }

  @ParameterizedTest
  @MethodSource("ends")
  void answersADuplicateWithTheStoredAnswerWithoutADelivery(PeerBehavior end) {
    peer.then(end);
    Agent target = CALLED.at(peer.url());

    Answer first = send(PROXY, target);

    assertSame(send(PROXY, target), first);
    assertSame(send(ELSEWHERE, target), first);
    assertSame(send(WITHOUT_RETRIES, target), first);
    CALLED.assertRecord(target, "m", "answered", 1, peer);
  }

  @Test
  void deliversARefusedMessageWhenItIsSentToAReachableAgent() throws IOException {
    Agent target = CALLED.at(peer.url());
    int port = peer.port();
    peer.close();

    for (ProxyClient proxy : List.of(PROXY, ELSEWHERE, WITHOUT_RETRIES)) {
      assertRefused(send(proxy, target), 503, "AGENT_UNREACHABLE");
    }
    assertThat(CALLED.stored(target, "m", "m.state || ' ' || m.deliveries || ' ' || l.status"))
        .isEqualTo("refused 0 error");

    peer = TestPeer.startOn(port);
    List<Answer> answers = Race.run(CALLERS, n -> send(replica(n).patient(), target));

    assertThat(answers).extracting(Answer::status).containsOnly(200);
    assertThat(answers.stream().map(Answer::text).distinct()).hasSize(1);
    CALLED.assertRecord(target, "m", "answered", 1, peer);
    assertThat(CALLED.stored(target, "m", "concat(l.status, l.error_detail)")).isEqualTo("ok");
    assertThat(PROXY.rows(target)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 408, 425, 429, 503})
  void deliversAMessageAgainThatTheAgentHasNotTaken(int status) {
    Agent target = CALLED.at(peer.url());
    peer.then(PeerBehavior.answer(status, "{\"error\":\"later\"}"));

    assertThat(send(PROXY, target).field("code")).isEqualTo("AGENT_HTTP_ERROR");

    assertThat(send(WITHOUT_RETRIES, target).status()).isEqualTo(200);
    assertThat(peer.deliveries()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {502, 504})
  void deliversAMessageAgainOfWhichAGatewayKnowsNoAnswer(int status) {
    Agent target = CALLED.at(peer.url());
    peer.then(PeerBehavior.answer(status, "{\"error\":\"no upstream\"}"));

    Answer first = send(PROXY, target);

    assertRefused(first, status, "AGENT_HTTP_ERROR");
    assertSame(send(WITHOUT_RETRIES, target), first);
    assertThat(send(ELSEWHERE, target).status()).isEqualTo(200);
    assertThat(peer.deliveries()).hasSize(2);
  }

  @Test
  void deliversAnUncertainMessageAgainUnderTheSameId() {
    peer.then(PeerBehavior.resetAfterRequest());
    Agent target = CALLED.at(peer.url());

    assertRefused(send(PROXY, target), 504, "AGENT_TIMEOUT");
    CALLED.assertRecord(target, "m", "uncertain", 1, peer);
    List<Answer> answers = Race.run(CALLERS, n -> send(replica(n + 1).patient(), target));

    assertThat(answers).extracting(Answer::status).containsOnly(200);
    CALLED.assertRecord(target, "m", "answered", 2, peer);
    assertThat(peer.deliveries().get(1).text()).isEqualTo(peer.deliveries().get(0).text());
    assertThat(CALLED.stored(target, "m", "concat(l.status, l.error_detail)")).isEqualTo("ok");
  }

  @Test
  void deliversNoUncertainMessageAgainWhenRetriesAreOff() {
    peer.then(PeerBehavior.resetAfterRequest());
    Agent target = CALLED.at(peer.url());

    Answer first = send(WITHOUT_RETRIES, target);

    assertRefused(first, 504, "AGENT_TIMEOUT");
    assertSame(send(WITHOUT_RETRIES, target), first);
    assertSame(send(WITHOUT_RETRIES, target), first);
    CALLED.assertRecord(target, "m", "uncertain", 1, peer);
  }

  /** An earlier delivery stays possible, whatever the outcome of the next one. */
  @Test
  void neverReportsAPossibleDeliveryAsUndelivered() throws IOException {
    peer.then(PeerBehavior.resetAfterRequest());
    Agent target = CALLED.at(peer.url());
    assertRefused(send(PROXY, target), 504, "AGENT_TIMEOUT");
    peer.close();

    Answer again = send(PROXY, target);

    assertRefused(again, 504, "AGENT_TIMEOUT");
    CALLED.assertRecord(target, "m", "uncertain", 1, peer);
    assertRefused(send(WITHOUT_RETRIES, target), 504, "AGENT_TIMEOUT");
  }

  @Test
  void refusesAnotherContentUnderTheIdAtAnyTime() {
    CountDownLatch latch = new CountDownLatch(1);
    peer.then(PushAgents.answerAfter(latch, PushAgents.ANSWER));
    Agent target = CALLED.at(peer.url());
    String other = ProxyClient.message("m", "another text");

    CompletableFuture<Answer> first = sending(PROXY, target);
    peer.awaitDeliveries(1);
    for (ProxyClient proxy : BOTH) {
      assertRefused(proxy.send(target, ADMIN_TOKEN, other), 409, "MESSAGE_ID_REUSED");
    }
    latch.countDown();
    assertThat(first.join().text()).isEqualTo(PushAgents.ANSWER);
    for (ProxyClient proxy : BOTH) {
      assertRefused(proxy.send(target, ADMIN_TOKEN, other), 409, "MESSAGE_ID_REUSED");
    }

    CALLED.assertRecord(target, "m", "answered", 1, peer);
    assertThat(PROXY.rows(target)).isEqualTo(1);
  }

  @Test
  void takesTheSameIdFromAnotherSenderForAnotherMessage() {
    Agent lead = CLIENT.create("Lead");
    String child = "\"parent_id\":\"" + lead.id() + "\"";
    Agent target = CALLED.at(peer.url(), child);
    Agent sibling = CLIENT.create("Sibling", child);
    List<String> tokens = List.of(ADMIN_TOKEN, lead.token(), sibling.token());

    List<Answer> answers =
        Race.run(
            8 * tokens.size(),
            n -> replica(n / 3).patient().send(target, tokens.get(n % tokens.size()), MESSAGE));

    assertThat(answers).extracting(Answer::status).containsOnly(200);
    assertThat(peer.deliveries())
        .extracting(one -> one.header("x-source-workspace-id"))
        .containsExactlyInAnyOrder("", lead.id().toString(), sibling.id().toString());
    assertThat(PROXY.rows(target)).isEqualTo(tokens.size());
  }

  @Test
  void endsADuplicateAtItsOwnTimeout() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    peer.then(PushAgents.answerAfter(latch, PushAgents.ANSWER));
    Agent target = CALLED.at(peer.url());
    CompletableFuture<Answer> first = sending(PROXY, target);
    peer.awaitDeliveries(1);

    for (ProxyClient proxy : BOTH) {
      try (MachinePauses pauses = new MachinePauses()) {
        long began = System.nanoTime();
        Answer hurried = proxy.send(target, ADMIN_TOKEN, MESSAGE, "X-Timeout", "0.5");

        assertRefused(hurried, 504, "AGENT_TIMEOUT");
        assertThat(hurried.json().path("busy").asBoolean(false)).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - began))
            .isBetween(Duration.ofMillis(500), Duration.ofMillis(2500).plus(pauses.longest()));
      }
    }
    assertThat(first).isNotDone();
    latch.countDown();

    assertThat(first.join().status()).isEqualTo(200);
    assertSame(send(ELSEWHERE, target), first.join());
    CALLED.assertRecord(target, "m", "answered", 1, peer);
  }

  /** A request that times out during a takeover has not taken over: the next one may. */
  @Test
  void leavesTheMessageToTheNextDuplicateWhenTheTakeoverTimesOut() throws Exception {
    Agent target = CALLED.at(peer.url());
    int port = peer.port();
    peer.close();
    assertRefused(send(PROXY, target), 503, "AGENT_UNREACHABLE");
    peer = TestPeer.startOn(port);

    assertThat(sendWhileLocked(target).status()).isIn(503, 504);
    long began = System.nanoTime();
    Answer next = send(ELSEWHERE, target);

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(SOON);
    assertThat(next.status()).as(next.text()).isEqualTo(200);
    CALLED.assertRecord(target, "m", "answered", 1, peer);
  }

  /** A takeover that waits for the end of another one sees that the message is answered. */
  @Test
  void sendsNothingWhenAnotherDuplicateIsAnsweredDuringTheTakeover() throws Exception {
    Agent target = CALLED.at(peer.url());
    int port = peer.port();
    peer.close();
    assertRefused(send(PROXY, target), 503, "AGENT_UNREACHABLE");
    peer = TestPeer.startOn(port);

    try (Connection other = SERVER.database().connect();
        Statement statement = other.createStatement()) {
      takeOver(statement, target);
      CompletableFuture<Answer> duplicate = sending(ELSEWHERE.patient(), target);
      Awaitility.await().until(() -> SERVER.database().lockWaits("INTO deliveries") > 0);
      statement.execute("DELETE FROM deliveries WHERE workspace_id = '" + target.id() + "'");
      statement.execute(
          """
          UPDATE delivery_outcomes SET state = 'answered', deliveries = 1, answer_status = 200, answer = '"once"'
          WHERE workspace_id = '%s'
          """
              .formatted(target.id()));
      other.commit();

      assertThat(duplicate.join().text()).isEqualTo("\"once\"");
    }
    assertThat(peer.deliveries()).isEmpty();
    assertThat(CALLED.stored(target, "m", "m.state || ' ' || m.deliveries"))
        .isEqualTo("answered 1");
  }

  /** Begins a transaction that holds the delivery of the message. */
  private static void takeOver(Statement statement, Agent target) throws SQLException {
    statement.getConnection().setAutoCommit(false);
    statement.execute(
        """
        INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
        VALUES ('%s', 1, 'message', true, 0, 50, now(), now(), now())
        """
            .formatted(target.id()));
  }

  /** The record stays locked until this duplicate times out. */
  private static Answer sendWhileLocked(Agent target) throws SQLException {
    try (Connection other = SERVER.database().connect();
        Statement statement = other.createStatement()) {
      takeOver(statement, target);
      CompletableFuture<Answer> hurried =
          CompletableFuture.supplyAsync(
              () -> PROXY.send(target, ADMIN_TOKEN, MESSAGE, "X-Timeout", "1"),
              Thread::startVirtualThread);
      Awaitility.await().until(() -> SERVER.database().lockWaits("INTO deliveries") > 0);
      long began = System.nanoTime(); // the time limit of the request began earlier
      Awaitility.await().until(() -> System.nanoTime() - began > DUPLICATE_TIMEOUT.toNanos());
      other.rollback();
      return hurried.join();
    }
  }
}
