package dev.muster.message.store;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What ends the pauses of messages whose agent did not answer (R7.7). */
@Timeout(90)
class UnansweredCallsTest {

  private static final TestServer SERVER = TestServer.shared();
  private final TestQueue queue = TestQueue.of(SERVER);
  private TestPeer peer;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  /** Three messages of three senders that were each tried once, and pause for an hour. */
  private List<Queued> failed(Agent target) {
    peer.usually(PeerBehavior.closeAfterRequest());
    List<Queued> all =
        Stream.generate(() -> queue.put(target, queue.senderTo(target), 50)).limit(3).toList();
    SERVER.client().heartbeat(target);
    for (Queued one : all) {
      Awaitility.await()
          .atMost(TestQueue.TIMEOUT)
          .until(() -> queue.open(one, "error IS NOT NULL AND owner IS NULL"), "t"::equals);
    }
    all.forEach(one -> queue.set(one, "due_at = clock_timestamp() + interval '1 hour'"));
    assertThat(calls(target)).isEqualTo("3");
    return all;
  }

  private String calls(Agent target) {
    return queue
        .database()
        .value(
            "SELECT coalesce(sum(calls), 0) FROM unanswered_calls WHERE workspace_id = '"
                + target.id()
                + "'");
  }

  @Test
  void aHeartbeatReleasesOneMessageAndItsAnswerTheOthers() {
    Agent target = queue.target(peer.url(), 3);
    List<Queued> all = failed(target);
    int before = peer.deliveries().size();
    CountDownLatch answers = new CountDownLatch(1);
    peer.usually(exchange -> {
      exchange.receive();
      try {
        answers.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      exchange.answer(200, Map.of(), "{\"result\":1}".getBytes(StandardCharsets.UTF_8));
      return true;
    });

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> {
          SERVER.client().heartbeat(target);
          return peer.deliveries().size() > before;
        });

    assertThat(
            all.stream()
                .filter(one ->
                    queue
                        .open(one, "due_at > clock_timestamp() + interval '10 minutes'")
                        .equals("t"))
                .toList())
        .as("those that still pause")
        .isEqualTo(all.subList(1, 3));
    answers.countDown();
    all.forEach(one -> queue.awaitState(one, "delivered"));
    assertThat(calls(target)).isEqualTo("0");
  }

  @Test
  void aRegistrationReleasesAll() {
    Agent target = queue.target(peer.url(), 3);
    List<Queued> all = failed(target);
    peer.usually(PeerBehavior.answer(200, "{\"result\":1}"));

    SERVER
        .client()
        .post(
            "/registry/register",
            target.token(),
            "{\"id\":\"%s\",\"url\":\"%s\",\"agent_card\":{\"name\":\"Back\"}}"
                .formatted(target.id(), peer.url()));

    all.forEach(one -> queue.awaitState(one, "delivered"));
    assertThat(calls(target)).isEqualTo("0");
  }

  @Test
  void anAnswerToADirectMessageReleasesAll() {
    Agent target = queue.target(peer.url(), 3);
    List<Queued> all = failed(target);
    peer.usually(PeerBehavior.answer(200, "{\"result\":1}"));

    assertThat(queue.send(target, null, "direct", 50).status()).isEqualTo(200);

    all.forEach(one -> queue.awaitState(one, "delivered"));
  }

  @ParameterizedTest
  @CsvSource({"401, 0", "429, 0", "500, 0", "502, 1", "503, 1", "504, 1"})
  void aGatewaysStatusIsNoAnswerOfTheAgent(int status, String calls) {
    Agent target = queue.target(peer.url(), 1);
    peer.usually(PeerBehavior.answer(status, "{\"error\":\"no\"}"));
    Queued queued = queue.put(target);

    SERVER.client().heartbeat(target);

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(
            () -> queue.open(queued, "error IS NOT NULL AND attempts = 1 AND owner IS NULL"),
            "t"::equals);
    assertThat(calls(target)).isEqualTo(calls);
    assertThat(
            SERVER.client().post("/workspaces/" + target.id() + "/pause", ADMIN_TOKEN, "").status())
        .isEqualTo(200);
  }
}
