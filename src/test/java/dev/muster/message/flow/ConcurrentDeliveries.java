package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;

/**
 * Eight concurrent senders on two servers. Each message is sent by two of them at the same moment,
 * with the same or with another content. One agent accepts messages at once, one is offline until
 * the end, one polls. Afterwards each feed is one that some order of these requests produces (R6.4,
 * R7.3, R7.7).
 */
final class ConcurrentDeliveries implements AutoCloseable {

  private static final int PAIRS = 4;
  private static final int OTHER_CONTENT_EVERY = 5;
  private static final int MAX_ATTEMPTS = 20;

  /** The answer to one of the two senders. */
  private record Received(int status, String text) {}

  private final ModelServers servers;
  private final int messages;
  private final CountingAgent agent = new CountingAgent();
  private final List<Agent> senders = new ArrayList<>();
  private final Agent online;
  private final Agent away;
  private final Agent polling;
  private final Map<String, List<Received>> answers = new ConcurrentHashMap<>();

  /** {@code messages}: the number of messages of each pair of senders. */
  ConcurrentDeliveries(ModelServers servers, int messages) throws IOException {
    this.servers = servers;
    this.messages = messages;
    String parent = "\"parent_id\":\"" + servers.client(0).create("Team").id() + "\"";
    for (int i = 0; i < PAIRS; i++) {
      senders.add(servers.client(0).create("Sender", parent, "\"delivery_mode\":\"poll\""));
    }
    this.online = target(parent, "\"delivery_mode\":\"push\"");
    this.away = target(parent, "\"delivery_mode\":\"push\"");
    this.polling = target(parent, "\"delivery_mode\":\"poll\"");
    servers.client(0).heartbeat(online);
  }

  private Agent target(String parent, String mode) {
    return servers
        .client(0)
        .create(
            "Target",
            parent,
            mode,
            "\"url\":\"" + agent.url() + "\"",
            "\"max_concurrent_tasks\":32");
  }

  void run() throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(2 * PAIRS)) {
      List<Callable<Void>> all = new ArrayList<>();
      for (int pair = 0; pair < PAIRS; pair++) {
        int number = pair;
        CyclicBarrier together = new CyclicBarrier(2);
        all.add(() -> send(number, 0, together));
        all.add(() -> send(number, 1, together));
      }
      for (Future<Void> one : threads.invokeAll(all)) {
        one.get();
      }
    }
    servers.client(1).heartbeat(away);
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> count("deliveries", away) == 0);
    targets().forEach(this::checkFeed);
    List.of(online, away).forEach(this::checkOutcomes);
    answers.forEach(ConcurrentDeliveries::checkAnswers);
    checkReceived();
  }

  /** The target of each message, by its number. */
  private List<Agent> targets() {
    return List.of(online, polling, away);
  }

  private Void send(int pair, int server, CyclicBarrier together) throws Exception {
    for (int n = 0; n < messages; n++) {
      Agent target = targets().get(n % 3);
      String id = "m-" + pair + "-" + n;
      String more = n % OTHER_CONTENT_EVERY == 0 ? "by " + server : "";
      together.await(1, TimeUnit.MINUTES);
      String path = "/workspaces/" + target.id() + "/a2a";
      String body = TestQueue.message(id, 50).replace("Hello.", "Hello. " + more);
      Answer answer = servers.client(server).post(path, senders.get(pair).token(), body);
      // the server could not tell (R0.6), so the sender asks again
      for (int attempt = 2; attempt <= MAX_ATTEMPTS && answer.isUndecided(); attempt++) {
        answer = servers.client(server).post(path, senders.get(pair).token(), body);
      }
      answers
          .computeIfAbsent(id, _ -> Collections.synchronizedList(new ArrayList<>()))
          .add(new Received(answer.status(), answer.text()));
    }
    return null;
  }

  private String value(String sql, Agent target) {
    return servers.database().value(sql.replace(":id", "'" + target.id() + "'"));
  }

  private int count(String table, Agent target) {
    return Integer.parseInt(
        value("SELECT count(*) FROM " + table + " WHERE workspace_id = :id", target));
  }

  /** Asserts numbers without a gap, increasing times, and each message once. */
  private void checkFeed(Agent target) {
    int kind = targets().indexOf(target);
    int sent = PAIRS * (int) IntStream.range(0, messages).filter(n -> n % 3 == kind).count();
    assertThat(
            value(
                """
                SELECT concat_ws(' ', count(*), max(seq), count(DISTINCT (source_id, message_id)),
                    bool_and(created_at > before OR before IS NULL)) FROM (
                    SELECT *, lag(created_at) OVER (ORDER BY seq) AS before FROM activity_logs WHERE workspace_id = :id) AS l
                """,
                target))
        .isEqualTo(sent + " " + sent + " " + sent + " t");
  }

  private void checkOutcomes(Agent target) {
    assertThat(
            value(
                """
                SELECT concat_ws(' ', (SELECT count(*) FROM deliveries WHERE workspace_id = :id), count(*),
                    count(*) FILTER (WHERE state = 'answered' AND deliveries = 1))
                FROM delivery_outcomes WHERE workspace_id = :id
                """,
                target))
        .isEqualTo("0 %1$d %1$d".formatted(count("activity_logs", target)));
  }

  /** Both senders get the same answer; of two contents one is refused. */
  private static void checkAnswers(String id, List<Received> both) {
    int n = Integer.parseInt(id.substring(id.lastIndexOf('-') + 1));
    assertThat(both).as(id).hasSize(2);
    if (n % OTHER_CONTENT_EVERY == 0) {
      assertThat(both.stream().map(Received::status))
          .as(id + ": " + both)
          .containsExactlyInAnyOrder(409, n % 3 == 2 ? 202 : 200);
    } else {
      assertThat(new HashSet<>(both)).as(id).hasSize(1);
      assertThat(both.getFirst().status).as(id + ": " + both).isEqualTo(n % 3 == 2 ? 202 : 200);
    }
  }

  private void checkReceived() {
    Set<String> called = new TreeSet<>();
    answers.keySet().stream()
        .filter(id -> Integer.parseInt(id.substring(id.lastIndexOf('-') + 1)) % 3 != 1)
        .forEach(called::add);
    assertThat(agent.received()).containsExactlyInAnyOrderElementsOf(called);
  }

  @Override
  public void close() throws IOException {
    agent.close();
    targets().forEach(one -> servers.client(0).delete("/workspaces/" + one.id(), ADMIN_TOKEN));
  }
}
