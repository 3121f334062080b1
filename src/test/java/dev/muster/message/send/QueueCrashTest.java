package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FastPace;
import dev.muster.testing.PacedServer;
import dev.muster.testing.PeerExchange;
import dev.muster.testing.Rounds;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Servers are killed at any point of a delivery from the queue: no message is lost, and duplicates
 * have the same id (R7.7).
 */
@Slow
@Timeout(240)
@Execution(ExecutionMode.CONCURRENT)
class QueueCrashTest {

  private static final int KILLS = Rounds.of(1, 3);
  private static final int SENDERS = 4;
  private static final int MESSAGES_OF_EACH = 12;

  /** Long enough that a server that is killed always has deliveries in progress. */
  private static final Duration WORK = Duration.ofMillis(150);

  private static final Duration LATEST_KILL = Duration.ofMillis(400);

  /** For the jobs of a killed server; much longer than an idle machine takes. */
  private static final Duration TAKEOVER = Duration.ofSeconds(60);

  private final TestDatabase database = TestDatabases.create();
  private final Random random = new Random(1);

  @TempDir Path folder;

  @Test
  void losesNothing() throws Exception {
    try (TestPeer peer = TestPeer.start().usually(QueueCrashTest::work)) {
      List<String> ids = new ArrayList<>();
      for (int kill = 0; kill < KILLS; kill++) {
        int before = peer.deliveries().size();
        try (ServerProcess server = start()) {
          if (ids.isEmpty()) {
            ids.addAll(queueAll(server.client(), peer));
          }
          Awaitility.await().atMost(TAKEOVER).until(() -> peer.deliveries().size() > before);
          pause();
          server.kill();
        }
      }

      try (TestServer _ =
          TestServer.startWith(database, List.of(FastPace.class), "AGENT_URL_ALLOW=loopback")) {
        Awaitility.await()
            .atMost(Duration.ofSeconds(90))
            .until(() ->
                database
                    .value("SELECT count(*) FROM delivery_outcomes WHERE queue_state = 'delivered'")
                    .equals(Integer.toString(ids.size())));
      }

      Map<String, Long> seen =
          peer.deliveries().stream()
              .collect(Collectors.groupingBy(QueueCrashTest::idOf, Collectors.counting()));
      assertThat(seen.keySet()).containsExactlyInAnyOrderElementsOf(ids);
      // for each kill, at most one message of each sender is in progress
      assertThat(seen.values().stream().filter(times -> times > 1).count())
          .isLessThanOrEqualTo((long) KILLS * SENDERS);
      assertThat(
              database.value(
                  "SELECT count(*) FROM delivery_outcomes"
                      + " WHERE state = 'answered' AND status = 'ok' AND response IS NOT NULL"))
          .isEqualTo(Integer.toString(ids.size()));
    }
  }

  private static boolean work(PeerExchange exchange) throws IOException {
    exchange.receive();
    LockSupport.parkNanos(WORK.toNanos());
    exchange.answer(
        200,
        Map.of("Content-Type", "application/json"),
        PushAgents.ANSWER.getBytes(StandardCharsets.UTF_8));
    return true;
  }

  /** Queues the messages for a workspace whose agent is away, and then is back. */
  private static List<String> queueAll(TestClient client, TestPeer peer) {
    Agent target =
        client.create(
            "Awaited",
            "\"delivery_mode\":\"push\"",
            "\"url\":\"" + peer.url() + "\"",
            "\"max_concurrent_tasks\":" + SENDERS);
    List<String> tokens =
        Stream.concat(
                Stream.of(ADMIN_TOKEN),
                Stream.generate(() ->
                        client.create("Sender", "\"parent_id\":\"" + target.id() + "\"").token())
                    .limit(SENDERS - 1))
            .toList();
    List<String> ids = new ArrayList<>();
    for (int sender = 0; sender < SENDERS; sender++) {
      for (int n = 0; n < MESSAGES_OF_EACH; n++) {
        String id = sender + "-" + n;
        Answer answer =
            client
                .patient()
                .post(
                    ProxyClient.path(target.id()),
                    tokens.get(sender),
                    ProxyClient.message(id, "hi"));
        assertThat(answer.status()).as(answer.text()).isEqualTo(202);
        ids.add(id);
      }
    }
    client.heartbeat(target);
    return ids;
  }

  private static String idOf(TestPeer.Delivery delivery) {
    return delivery.text().replaceFirst("(?s).*\"messageId\":\"([^\"]+)\".*", "$1");
  }

  private void pause() {
    long until = System.nanoTime() + (long) (random.nextDouble() * LATEST_KILL.toNanos());
    Awaitility.await()
        .pollInterval(Duration.ofMillis(5))
        .until(() -> System.nanoTime() - until >= 0);
  }

  private ServerProcess start() throws Exception {
    return ServerProcess.start(
            PacedServer.class, folder.resolve("home"), ServerProcess.settings(database.url()))
        .awaitReady();
  }
}
