package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.send.PushAgents;
import dev.muster.platform.http.Owner;
import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.Unreachable;
import dev.muster.testing.ConsoleSession;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.PeerExchange;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One target or sender cannot hold all memory of answers, nor hold memory without progress. */
@Slow
@Timeout(60)
class AnswerShareTest {

  private static final int MIB = 1 << 20;
  private static final byte[] LARGE =
      ("\"" + "x".repeat(3 * MIB - 2) + "\"").getBytes(StandardCharsets.UTF_8);
  private static final PeerBehavior ANSWERING =
      PeerBehavior.answer(200, Map.of("Content-Type", "application/json"), LARGE);
  private static final String CALL = "{\"method\":\"tasks/get\",\"params\":{\"id\":\"t\"}}";
  private static final Duration LONG = Duration.ofSeconds(50);

  private final A2aClient client = A2aClient.builder().pause(_ -> {}).build();
  private final TestPeer peer;

  AnswerShareTest() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    peer.close();
  }

  private A2aResult send(ResponseMemoryAllocation space) {
    return client.send(
        new A2aRequest(
            Requests.TARGET,
            peer.url(),
            Requests.body(),
            Map.of(),
            Duration.ofMinutes(1),
            Deadline.in(LONG),
            space));
  }

  @Test
  void readsAnswersOfOthersBesideATargetWithItsShare() {
    assertThatOthersAreRead("agent", "one", "agent", "two");
  }

  @Test
  void readsAnswersOfOthersBesideASenderWithItsShare() {
    assertThatOthersAreRead("agent 1", "sender", "agent 2", "sender");
  }

  private void assertThatOthersAreRead(
      String target, String sender, String nextTarget, String nextSender) {
    ResponseMemoryBudget budget = new ResponseMemoryBudget(8 * MIB);
    peer.usually(ANSWERING);
    ResponseMemoryAllocation held = budget.open(target, sender);
    try (ResponseMemoryAllocation behind = budget.open(nextTarget, nextSender);
        ResponseMemoryAllocation others = budget.open("another agent", "another sender")) {
      assertThat(send(held)).isInstanceOf(Answer.class);
      CompletableFuture<A2aResult> next = sendAsync(behind);
      Awaitility.await().until(() -> peer.deliveries().size() == 2);

      assertThat(send(others)).isInstanceOf(Answer.class);
      assertThat(next).isNotDone();

      held.close();
      assertThat(next.join()).isInstanceOf(Answer.class);
    }
    assertThat(budget.taken()).isZero();
  }

  /** Half of the memory is held by one caller of a server, whatever its credential. */
  @Test
  void countsATokenAndItsSessionsAsOneSender() throws Exception {
    peer.usually(ANSWERING);
    try (TestServer server = TestServer.start("AGENT_URL_ALLOW=loopback")) {
      TestClient callers = server.client();
      Agent agent = callers.createOnline("Greedy");
      ConsoleSession session = ConsoleSession.signIn(callers, agent.token());
      Agent other = callers.createOnline("Modest");
      ResponseMemoryBudget budget = server.bean(ResponseMemoryBudget.class);
      List<CompletableFuture<TestClient.Answer>> answers;
      try (ResponseMemoryAllocation held =
          budget.open("an agent", new Owner.OfWorkspace(agent.id()))) {
        held.take(Runtime.getRuntime().maxMemory() / 16, Deadline.in(Duration.ofSeconds(30)));
        String called = calledBy(server, agent);
        answers =
            List.of(
                async(() -> callers.post(called, agent.token(), CALL)),
                async(() -> callers.post(called, null, CALL, session.headers())));
        peer.awaitDeliveries(2);

        String others = calledBy(server, other);
        assertThat(callers.post(others, other.token(), CALL).status()).isEqualTo(200);
        assertThat(answers).noneMatch(CompletableFuture::isDone);
      }
      for (CompletableFuture<TestClient.Answer> answer : answers) {
        assertThat(answer.get().status()).isEqualTo(200);
      }
    }
  }

  private String calledBy(TestServer server, Agent caller) {
    Agent called = new PushAgents(server).at(peer.url(), "\"parent_id\":\"" + caller.id() + "\"");
    return "/workspaces/" + called.id() + "/a2a";
  }

  private static <R> CompletableFuture<R> async(Supplier<R> request) {
    return CompletableFuture.supplyAsync(request, Thread::startVirtualThread);
  }

  private CompletableFuture<A2aResult> sendAsync(ResponseMemoryAllocation space) {
    return async(() -> send(space));
  }

  private static void promise64MibAndSend(PeerExchange exchange, int bytes) throws IOException {
    exchange.receive();
    exchange.send("HTTP/1.1 200 OK\r\nContent-Length: " + 64 * MIB + "\r\n\r\n");
    exchange.send(new byte[bytes]);
  }

  @Test
  void endsADrippingAnswerWithoutARetry() {
    peer.usually(exchange -> {
      promise64MibAndSend(exchange, MIB);
      while (!exchange.awaitRelease(Duration.ofMillis(20))) {
        exchange.send(" ");
      }
      return false;
    });
    assertTooSlow(new ResponseMemoryBudget(16 * MIB, Duration.ofMillis(500), LONG));
  }

  @Test
  void endsAStalledAnswer() {
    peer.usually(exchange -> {
      promise64MibAndSend(exchange, MIB);
      exchange.awaitRelease();
      return false;
    });
    assertTooSlow(new ResponseMemoryBudget(16 * MIB, Duration.ofMillis(500), LONG));
  }

  @Test
  void endsASlowAnswerAfterItsTime() {
    peer.usually(exchange -> {
      promise64MibAndSend(exchange, MIB);
      while (!exchange.awaitRelease(Duration.ofMillis(20))) {
        exchange.send(new byte[16 * 1024]);
      }
      return false;
    });
    assertTooSlow(new ResponseMemoryBudget(16 * MIB, LONG, Duration.ofMillis(700)));
  }

  private void assertTooSlow(ResponseMemoryBudget budget) {
    try (ResponseMemoryAllocation space = budget.open("agent", "sender")) {
      A2aResult result = send(space);

      assertThat(result)
          .isInstanceOfSatisfying(
              Unreachable.class,
              end -> {
                assertThat(end.last()).isEqualTo(FailureKind.ANSWER_TOO_SLOW);
                assertThat(end.why()).isEqualTo(SendEndReason.NOT_RETRYABLE);
              });
      assertThat(result.attempts()).isEqualTo(1);
      assertThat(result.mayBeDelivered()).isTrue();
      assertThat(A2aErrors.text(result))
          .startsWith("AnswerTooSlow: an answer of more than 256 KiB");
      assertThat(budget.taken()).isZero();
    }
    peer.release();
    Awaitility.await().until(() -> peer.openConnections() == 0);
  }

  @Test
  void doesNotCountTheWaitForMemoryAsSlowness() throws Exception {
    Duration piece = Duration.ofSeconds(2);
    ResponseMemoryBudget budget = new ResponseMemoryBudget(4 * MIB, piece, piece.multipliedBy(2));
    peer.usually(ANSWERING);
    ResponseMemoryAllocation one = budget.open("agent 1", "one");
    ResponseMemoryAllocation other = budget.open("agent 2", "two");
    try (ResponseMemoryAllocation own = budget.open("agent 3", "three")) {
      send(one);
      send(other);
      CompletableFuture<A2aResult> result = sendAsync(own);
      Awaitility.await().until(() -> peer.deliveries().size() == 3);

      assertThat(result).isNotDone();
      new CompletableFuture<Void>().completeOnTimeout(null, 4500, TimeUnit.MILLISECONDS).join();
      one.close();
      other.close();

      assertThat(result.join()).isInstanceOf(Answer.class);
    }
  }

  @Test
  void readsASlowSmallAnswer() {
    ResponseMemoryBudget budget =
        new ResponseMemoryBudget(MIB, Duration.ofMillis(50), Duration.ofMillis(100));
    peer.usually(exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n\"");
      for (int i = 0; i < 18; i++) {
        exchange.awaitRelease(Duration.ofMillis(20));
        exchange.send("x");
      }
      exchange.send("\"");
      return true;
    });
    try (ResponseMemoryAllocation space = budget.open("agent", "sender")) {
      assertThat(send(space)).isInstanceOf(Answer.class);
    }
  }
}
