package dev.muster.delivery;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.delivery.TestQueue.Queued;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
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
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Another replica takes over a delivery when the lease of its replica has expired or the replica
 * has ended, and not before (R7.3, R7.7).
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the servers of ReplicaLeaseTest")
class ReplicaLeaseTest {

  /** Limit of a takeover: a lease of 25 s, a sweep every 5 s, and a margin for a busy machine. */
  private static final Duration TAKEOVER = Duration.ofSeconds(45);

  private static final String WITHOUT_RETRIES = "A2A_RETRY_AMBIGUOUS=false";

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer LIVES = TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback");
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final CountDownLatch first = new CountDownLatch(1);
  private final CountDownLatch second = new CountDownLatch(1);
  private final CountingAgent agent;

  @TempDir Path folder;

  ReplicaLeaseTest() throws IOException {
    agent = new CountingAgent();
    agent.works(messageId -> {
      (agent.timesReceived(messageId) == 1 ? first : second).await();
      return 200;
    });
  }

  @BeforeAll
  static void awaitItsFirstLease() {
    awaitItsFirstLease(LIVES);
  }

  private static void awaitItsFirstLease(TestServer server) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> server.bean(ReplicaLease.class).mayJudgeOthers());
  }

  @AfterEach
  void end() throws IOException {
    first.countDown();
    second.countDown();
    agent.close();
  }

  @AfterAll
  static void close() {
    HTTP.close();
    LIVES.close();
  }

  private ServerProcess start(TestDatabase database, String... settings) throws IOException {
    Map<String, String> environment =
        new HashMap<>(
            Map.of(
                "ADMIN_TOKEN",
                ADMIN_TOKEN,
                "DATABASE_URL",
                database.url(),
                "AGENT_URL_ALLOW",
                "loopback"));
    for (String setting : settings) {
      int equals = setting.indexOf('=');
      environment.put(setting.substring(0, equals), setting.substring(equals + 1));
    }
    return ServerProcess.start(folder.resolve("home"), environment).awaitReady();
  }

  /** Returns when the process has called the agent, which holds the call. */
  private Queued beginDelivery(ServerProcess process, TestServer other, Agent target) {
    QueueWorker ofOther = other.bean(QueueWorker.class);
    ofOther.stop();
    try {
      TestQueue queue = new TestQueue(process.client(), other.database());
      Queued queued = queue.put(target);
      process.client().heartbeat(target);
      Awaitility.await()
          .atMost(TestQueue.TIMEOUT)
          .until(() -> agent.timesReceived(queued.messageId()) == 1);
      assertThat(queue.open(queued, "owner::text")).isNotEqualTo(ownerOf(other));
      return queued;
    } finally {
      ofOther.start();
    }
  }

  private static String ownerOf(TestServer server) {
    return server.bean(ReplicaLease.class).owner().toString();
  }

  /** Sends a direct message with a request that waits longer than a lease. */
  private CompletableFuture<HttpResponse<String>> send(
      ServerProcess process, Agent target, String messageId) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(process.client().baseUrl() + "/workspaces/" + target.id() + "/a2a"))
            .header("Authorization", "Bearer " + ADMIN_TOKEN)
            .timeout(Duration.ofSeconds(150))
            .POST(BodyPublishers.ofString(TestQueue.message(messageId, 50)))
            .build();
    return HTTP.sendAsync(request, BodyHandlers.ofString());
  }

  private void awaitReceived(String messageId, int times) {
    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> agent.timesReceived(messageId) == times);
  }

  /** The state of the direct message, the only one of its target. */
  private static String stateAt(Agent target) {
    return DATABASE.value(
        "SELECT coalesce((SELECT 'sending' FROM deliveries WHERE workspace_id = '%1$s'),"
                .formatted(target.id())
            + " (SELECT concat_ws(' ', state, deliveries, error_detail) FROM delivery_outcomes"
            + " WHERE workspace_id = '%s'))".formatted(target.id()));
  }

  @Test
  void losesItsDeliveriesWithinHalfAMinuteOfItsDeath() throws Exception {
    TestQueue queue = TestQueue.of(LIVES);
    try (ServerProcess dies = start(DATABASE)) {
      Queued queued = beginDelivery(dies, LIVES, queue.target(agent.url(), 1));
      Agent online = queue.target(agent.url(), 1);
      LIVES.client().heartbeat(online);
      CompletableFuture<HttpResponse<String>> lost = send(dies, online, "direct");
      awaitReceived("direct", 1);
      String lease =
          "SELECT alive_until > clock_timestamp() + interval '15 seconds' FROM replicas WHERE id ="
              + " ";
      String owner = queue.open(queued, "owner::text");
      assertThat(DATABASE.value(lease + "'" + owner + "'")).isEqualTo("t");

      dies.kill();

      // both servers show the same owner until the lease expires
      assertThat(queue.open(queued, "owner::text")).isEqualTo(owner);
      Awaitility.await().atMost(TAKEOVER).until(() -> agent.timesReceived(queued.messageId()) == 2);
      Awaitility.await()
          .until(() -> stateAt(online), state -> state.startsWith("uncertain 1 ServerLost"));
      assertThat(lost).isCompletedExceptionally();
      assertThat(DATABASE.value("SELECT count(*) FROM replicas WHERE id = '" + owner + "'"))
          .isEqualTo("0");
      second.countDown();
      queue.awaitState(queued, "delivered");
      assertThat(queue.of(queued, "concat_ws(' ', m.state, m.deliveries, q.attempts)"))
          .isEqualTo("answered 2 2");
      assertThat(agent.timesReceived("direct")).isEqualTo(1);
      assertThat(LIVES.metrics()).contains("muster_deliveries_taken_over_total");
    }
  }

  /** Waits as long as the takeover from a dead replica would need. */
  @Test
  void keepsItsDeliveriesWhileItLives() throws Exception {
    TestQueue queue = TestQueue.of(LIVES);
    try (ServerProcess lives = start(DATABASE)) {
      Queued queued = beginDelivery(lives, LIVES, queue.target(agent.url(), 1));
      Agent online = queue.target(agent.url(), 1);
      LIVES.client().heartbeat(online);
      CompletableFuture<HttpResponse<String>> sent = send(lives, online, "direct");
      awaitReceived("direct", 1);
      String held = "concat_ws(' ', owner, claim, claimed_at)";
      String before = queue.open(queued, held);

      Awaitility.await()
          .during(Duration.ofSeconds(35))
          .atMost(Duration.ofSeconds(60))
          .until(() -> queue.open(queued, held) + stateAt(online), (before + "sending")::equals);
      first.countDown();

      assertThat(sent.join().body()).isEqualTo(CountingAgent.ANSWER);
      queue.awaitState(queued, "delivered");
      assertThat(agent.received()).containsExactlyInAnyOrder(queued.messageId(), "direct");
    }
  }

  @Test
  void completesNoDeliveryThatAnotherReplicaTookOver() throws Exception {
    TestQueue queue = TestQueue.of(LIVES);
    try (ServerProcess sleeps = start(DATABASE)) {
      Queued queued = beginDelivery(sleeps, LIVES, queue.target(agent.url(), 1));
      String owner = queue.open(queued, "owner::text");
      sleeps.signal("STOP");
      String held;
      try {
        Awaitility.await()
            .atMost(TAKEOVER)
            .until(() -> agent.timesReceived(queued.messageId()) == 2);
        held = queue.open(queued, "concat_ws(' ', owner, claim, claimed_at, attempts)");
        assertThat(held).startsWith(ownerOf(LIVES)).endsWith(" 2");
      } finally {
        sleeps.signal("CONT");
      }
      first.countDown();
      // it has renewed its lease, and has its answer by the time that another delivery of it is
      // answered
      Awaitility.await()
          .atMost(TestQueue.TIMEOUT)
          .until(
              () -> DATABASE.value("SELECT count(*) FROM replicas WHERE id = '" + owner + "'"),
              "1"::equals);
      Agent online = queue.target(agent.url(), 1);
      LIVES.client().heartbeat(online);
      Awaitility.await()
          .atMost(TestQueue.TIMEOUT)
          .until(
              () ->
                  new TestQueue(sleeps.client(), DATABASE).send(online, null, "after", 50).status(),
              status -> status == 200);

      assertThat(queue.open(queued, "concat_ws(' ', owner, claim, claimed_at, attempts)"))
          .isEqualTo(held);
      second.countDown();
      queue.awaitState(queued, "delivered");
      assertThat(queue.of(queued, "concat_ws(' ', m.state, m.deliveries, q.attempts)"))
          .isEqualTo("answered 2 2");
      assertThat(agent.timesReceived(queued.messageId())).isEqualTo(2);
    }
  }

  @Test
  void endsAtACleanShutdownAndLeavesWaitingMessagesToOthers() throws Exception {
    TestQueue queue = TestQueue.of(LIVES);
    Agent away = queue.target(agent.url(), 1);
    first.countDown();
    Queued waiting;
    String others;
    String replicas =
        "SELECT string_agg(id::text, ' ' ORDER BY started_at) FROM replicas WHERE alive_until >"
            + " clock_timestamp()";
    try (ServerProcess ends = start(DATABASE)) {
      others = DATABASE.value(replicas);
      assertThat(others.split(" ")).contains(ownerOf(LIVES)).hasSize(2);
      waiting = new TestQueue(ends.client(), DATABASE).put(away);
    }

    assertThat(DATABASE.value(replicas)).isEqualTo(ownerOf(LIVES));
    LIVES.client().heartbeat(away);
    queue.awaitState(waiting, "delivered");
    assertThat(DATABASE.value("SELECT owner FROM delivery_outcomes WHERE " + waiting.condition()))
        .isEqualTo(ownerOf(LIVES));
  }

  /**
   * The server releases its deliveries at shutdown, so that no delivery waits for a lease to
   * expire.
   */
  @Test
  void releasesItsDeliveriesAtShutdown() throws Exception {
    TestQueue queue = TestQueue.of(LIVES);
    Queued queued;
    try (ServerProcess ends = start(DATABASE)) {
      queued = beginDelivery(ends, LIVES, queue.target(agent.url(), 1));
    }

    assertThat(queue.open(queued, "coalesce(owner::text, '')")).isIn("", ownerOf(LIVES));
    queue.set(queued, "due_at = clock_timestamp()");
    second.countDown();
    queue.awaitState(queued, "delivered");
    assertThat(queue.of(queued, "concat_ws(' ', m.deliveries, q.attempts)")).isEqualTo("2 2");
  }

  @Test
  void leavesItsMessagesUncertainWithoutRetries() throws Exception {
    TestDatabase database = TestDatabases.create();
    try (TestServer withoutRetries =
            TestServer.startOn(database, "AGENT_URL_ALLOW=loopback", WITHOUT_RETRIES);
        ServerProcess dies = start(database, WITHOUT_RETRIES)) {
      TestQueue queue = TestQueue.of(withoutRetries);
      Queued queued = beginDelivery(dies, withoutRetries, queue.target(agent.url(), 1));
      awaitItsFirstLease(withoutRetries);
      String owner = queue.open(queued, "owner::text");
      dies.kill();
      database.execute(
          "UPDATE replicas SET alive_until = clock_timestamp() WHERE id = '" + owner + "'");

      queue.awaitState(queued, "failed");

      Answer shown = queue.show(queued);
      assertThat(shown.field("state")).isEqualTo("failed");
      assertThat(shown.field("error")).isEqualTo(DeliverySweep.SERVER_LOST);
      assertThat(
              queue.of(queued, "concat_ws(' ', m.state, m.deliveries, m.answer_status, l.status)"))
          .isEqualTo("uncertain 1 504 error");
      assertRefused(
          queue.send(new Agent(queued.targetId(), ""), null, queued.messageId(), 50),
          504,
          "AGENT_TIMEOUT");
      assertThat(agent.timesReceived(queued.messageId())).isEqualTo(1);
    }
  }

  /** Whatever stopped the renewals of this replica may have stopped those of others. */
  @Test
  void takesOverNothingDuringItsFirstLease() {
    TestDatabase database = TestDatabases.create();
    try (TestServer one = TestServer.startOn(database, "AGENT_URL_ALLOW=loopback")) {
      TestQueue queue = TestQueue.of(one);
      Queued queued = queue.put(queue.target(1));
      queue.set(queued, "owner = gen_random_uuid(), claim = 1, claimed_at = clock_timestamp()");
      Awaitility.await()
          .atMost(TAKEOVER)
          .until(() -> queue.of(queued, "q.state"), "waiting"::equals);
      assertThat(
              database.value(
                  "SELECT max(clock_timestamp() - started_at) >= interval '25 seconds' FROM"
                      + " replicas"))
          .isEqualTo("t");
    }
  }
}
