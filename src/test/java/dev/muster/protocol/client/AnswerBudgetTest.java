package dev.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.client.A2aResult.Answer;
import dev.muster.protocol.client.A2aResult.OutOfTime;
import dev.muster.protocol.client.A2aResult.SendEndReason;
import dev.muster.protocol.client.A2aResult.Unreachable;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Race;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory of large answers is bounded, and no answer is lost by that. */
@Timeout(60)
class AnswerBudgetTest {

  private static final int MIB = 1 << 20;
  private static final Deadline LATER = Deadline.in(Duration.ofMinutes(5));
  private static final byte[] LARGE =
      ("\"" + "x".repeat(3 * MIB - 2) + "\"").getBytes(StandardCharsets.UTF_8);
  private static final Map<String, String> JSON = Map.of("Content-Type", "application/json");

  private final ResponseMemoryBudget budget = new ResponseMemoryBudget(4 * MIB);
  private final A2aClient client = A2aClient.builder().pause(_ -> {}).build();
  private final TestPeer peer;

  AnswerBudgetTest() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    peer.close();
  }

  /** Memory of a new target and a new sender. */
  private ResponseMemoryAllocation space() {
    return budget.open(new Object(), new Object());
  }

  private A2aRequest request(ResponseMemoryAllocation space, Duration time) {
    return new A2aRequest(
        Requests.TARGET,
        peer.url(),
        Requests.body(),
        Map.of(),
        Duration.ofMinutes(1),
        Deadline.in(time),
        space);
  }

  @Test
  void readsManyLargeAnswersAFewAtATime() {
    peer.usually(PeerBehavior.answer(200, JSON, LARGE));
    assertAllArrive(24);
  }

  @Test
  void readsManyLargeAnswersOfUnknownLength() {
    peer.usually(exchange -> {
      exchange.receive();
      exchange.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
      exchange.send(LARGE);
      return false;
    });
    assertAllArrive(24);
  }

  /** One growing answer may exceed the bound, so that not all wait for each other. */
  private void assertAllArrive(int many) {
    AtomicLong most = new AtomicLong();
    List<A2aResult> results =
        Race.run(
            many,
            i -> {
              try (ResponseMemoryAllocation space = space()) {
                A2aResult result = client.send(request(space, Duration.ofSeconds(50)));
                most.accumulateAndGet(budget.taken(), Math::max);
                return result;
              }
            });

    assertThat(results)
        .allSatisfy(result ->
            assertThat(result)
                .isInstanceOfSatisfying(
                    Answer.class, answer -> assertThat(answer.body()).isEqualTo(LARGE)));
    assertThat(most.get()).isBetween(2L * MIB, 4L * MIB + 2L * LARGE.length);
    assertThat(budget.taken()).isZero();
  }

  @Test
  void endsWhenInterruptedDuringTheWaitForMemory() throws Exception {
    peer.usually(PeerBehavior.answer(200, JSON, LARGE));
    try (ResponseMemoryAllocation others = space();
        ResponseMemoryAllocation more = space();
        ResponseMemoryAllocation own = space()) {
      client.send(request(others, Duration.ofSeconds(30)));
      client.send(request(more, Duration.ofSeconds(30)));
      FutureTask<A2aResult> send =
          new FutureTask<>(() -> client.send(request(own, Duration.ofSeconds(50))));
      Thread sender = Thread.ofVirtual().start(send);
      Awaitility.await()
          .until(() ->
              Arrays.stream(sender.getStackTrace())
                  .anyMatch(
                      frame -> frame.getClassName().equals(ResponseMemoryBudget.class.getName())));

      sender.interrupt();

      assertThat(send.get())
          .isInstanceOfSatisfying(
              Unreachable.class, end -> assertThat(end.why()).isEqualTo(SendEndReason.INTERRUPTED));
      assertThat(send.get().mayBeDelivered()).isTrue();
    }
  }

  @Test
  void reportsMissingMemoryAndNeverThatNothingWasDelivered() {
    peer.usually(PeerBehavior.answer(200, JSON, LARGE));
    try (ResponseMemoryAllocation others = space();
        ResponseMemoryAllocation own = space()) {
      client.send(request(others, Duration.ofSeconds(30)));
      try (ResponseMemoryAllocation more = space()) {
        client.send(request(more, Duration.ofSeconds(30)));

        A2aResult result = client.send(request(own, Duration.ofSeconds(2)));

        assertThat(result)
            .isInstanceOfSatisfying(
                OutOfTime.class, end -> assertThat(end.last()).isEqualTo(FailureKind.NO_MEMORY));
        assertThat(result.mayBeDelivered()).isTrue();
        assertThat(result.elapsed()).isBetween(Duration.ofMillis(1_980), Duration.ofMillis(3_500));
        assertThat(A2aErrors.text(result)).startsWith("NoRoom: ");
      }
    }
    Awaitility.await().until(() -> budget.taken() == 0);
  }

  @Test
  void readsSmallAnswersWhileThereIsNoMemory() {
    peer.then(PeerBehavior.answer(200, JSON, LARGE), PeerBehavior.answer(200, JSON, LARGE));
    try (ResponseMemoryAllocation one = space();
        ResponseMemoryAllocation other = space();
        ResponseMemoryAllocation own = space()) {
      client.send(request(one, Duration.ofSeconds(30)));
      client.send(request(other, Duration.ofSeconds(30)));

      assertThat(client.send(request(own, Duration.ofSeconds(5)))).isInstanceOf(Answer.class);
    }
  }

  /** The bytes above the bound are those of the one that may exceed it, and go with it. */
  @Test
  void countsNothingOfAnAnswerAboveTheBoundOnceItIsReleased() throws Exception {
    try (ResponseMemoryAllocation large = space();
        ResponseMemoryAllocation other = space();
        ResponseMemoryAllocation last = space()) {
      try (ResponseMemoryAllocation exceeding = space()) {
        exceeding.take(4 * MIB, LATER);
        exceeding.take(3 * MIB, LATER);
      }
      large.take(3 * MIB, LATER);
      other.take(MIB, LATER);
      FutureTask<Long> waiting =
          new FutureTask<>(() -> {
            last.take(MIB, LATER);
            return budget.taken();
          });
      Thread thread = Thread.ofPlatform().start(waiting);

      Awaitility.await()
          .until(() -> thread.getState() == Thread.State.TIMED_WAITING || waiting.isDone());
      assertThat(budget.taken()).isEqualTo(4 * MIB);

      large.take(MIB, LATER);
      assertThat(budget.taken()).isEqualTo(5 * MIB);
      large.clear();
      assertThat(waiting.get()).isEqualTo(2 * MIB);
    }
    assertThat(budget.taken()).isZero();
  }

  @Test
  void releasesTheMemoryOfABrokenAnswer() {
    peer.usually(exchange -> {
      exchange.receive();
      exchange.send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
              + 2 * LARGE.length
              + "\r\n\r\n");
      exchange.send(LARGE);
      return false;
    });
    try (ResponseMemoryAllocation space = space()) {
      assertThat(client.send(request(space, Duration.ofSeconds(30))).attempts()).isEqualTo(5);
      assertThat(budget.taken()).isZero();
    }
  }
}
