package dev.muster.message.store;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.MusterApplication;
import dev.muster.message.flow.CountingAgent;
import dev.muster.message.flow.DeliverySweep;
import dev.muster.message.flow.QueuedAttempts;
import dev.muster.message.queue.QueueWorker;
import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.QueueRepository.Claimed;
import dev.muster.testing.FastPace;
import dev.muster.testing.Nightly;
import dev.muster.testing.PacedServer;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import dev.muster.workspace.Workspaces;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Another replica takes over a delivery when the lease of its replica has expired or the replica
 * has ended, and not before (R7.3, R7.7). At night one death is at the real pace.
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
@TestMethodOrder(OrderAnnotation.class)
class ReplicaLeaseTest {

  /** Limit of a takeover: a lease of 25 s, a sweep every 5 s, and a margin for a busy machine. */
  private static final Duration TAKEOVER = Duration.ofSeconds(45);

  /** Tests with this server see no other replica than their own. */
  private static final String LIVES_LOCK = "the server of ReplicaLeaseTest";

  private static final String WITHOUT_RETRIES = "A2A_RETRY_AMBIGUOUS=false";

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer LIVES = startFast(DATABASE);
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

  private static TestServer startFast(TestDatabase database, String... settings) {
    return TestServer.startWith(
        database,
        List.of(FastPace.class),
        Stream.concat(Stream.of("AGENT_URL_ALLOW=loopback"), Stream.of(settings))
            .toArray(String[]::new));
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

  private ServerProcess startProcess(Class<?> main, TestDatabase database) throws IOException {
    return ServerProcess.start(
            main,
            folder.resolve("home"),
            Map.of(
                "ADMIN_TOKEN",
                ADMIN_TOKEN,
                "DATABASE_URL",
                database.url(),
                "AGENT_URL_ALLOW",
                "loopback"))
        .awaitReady();
  }

  /** Returns when the replica has called the agent, which holds the call. */
  private Queued beginDelivery(TestClient replica, TestServer other, Agent target) {
    QueueWorker ofOther = other.bean(QueueWorker.class);
    ofOther.stop();
    try {
      TestQueue queue = new TestQueue(replica, other.database());
      Queued queued = queue.put(target);
      replica.heartbeat(target);
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
      TestClient replica, Agent target, String messageId) {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(replica.baseUrl() + "/workspaces/" + target.id() + "/a2a"))
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
  private static String stateAt(Agent target, TestDatabase database) {
    return database.value(
        "SELECT coalesce((SELECT 'sending' FROM deliveries WHERE workspace_id = '%1$s'),"
                .formatted(target.id())
            + " (SELECT concat_ws(' ', state, deliveries, error_detail) FROM delivery_outcomes"
            + " WHERE workspace_id = '%s'))".formatted(target.id()));
  }

  @Nightly
  @Test
  @Order(1) // the longest begins first
  void losesItsDeliveriesWithinHalfAMinuteOfItsDeath() throws Exception {
    TestDatabase database = TestDatabases.create();
    try (TestServer lives = TestServer.startOn(database, "AGENT_URL_ALLOW=loopback");
        ServerProcess dies = startProcess(MusterApplication.class, database)) {
      TestQueue queue = TestQueue.of(lives);
      Queued queued = beginDelivery(dies.client(), lives, queue.target(agent.url(), 1));
      Agent online = queue.target(agent.url(), 1);
      lives.client().heartbeat(online);
      CompletableFuture<HttpResponse<String>> lost = send(dies.client(), online, "direct");
      awaitReceived("direct", 1);
      String lease =
          "SELECT alive_until > clock_timestamp() + interval '15 seconds' FROM replicas WHERE id ="
              + " ";
      String owner = queue.open(queued, "owner::text");
      assertThat(database.value(lease + "'" + owner + "'")).isEqualTo("t");

      dies.kill();

      // both servers show the same owner until the lease expires
      assertThat(queue.open(queued, "owner::text")).isEqualTo(owner);
      Awaitility.await().atMost(TAKEOVER).until(() -> agent.timesReceived(queued.messageId()) == 2);
      Awaitility.await()
          .until(
              () -> stateAt(online, database), state -> state.startsWith("uncertain 1 ServerLost"));
      assertThat(lost).isCompletedExceptionally();
      assertThat(database.value("SELECT count(*) FROM replicas WHERE id = '" + owner + "'"))
          .isEqualTo("0");
      second.countDown();
      queue.awaitState(queued, "delivered");
      assertThat(queue.of(queued, "concat_ws(' ', m.state, m.deliveries, q.attempts)"))
          .isEqualTo("answered 2 2");
      assertThat(agent.timesReceived("direct")).isEqualTo(1);
      assertThat(lives.metrics()).contains("muster_deliveries_taken_over_total");
    }
  }

  /** Waits as long as the takeover from a dead replica would need. */
  @Test
  @ResourceLock(LIVES_LOCK)
  void keepsItsDeliveriesWhileItLives() {
    TestQueue queue = TestQueue.of(LIVES);
    try (TestServer lives = startFast(DATABASE)) {
      Queued queued = beginDelivery(lives.client(), LIVES, queue.target(agent.url(), 1));
      Agent online = queue.target(agent.url(), 1);
      LIVES.client().heartbeat(online);
      CompletableFuture<HttpResponse<String>> sent = send(lives.client(), online, "direct");
      awaitReceived("direct", 1);
      String held = "concat_ws(' ', owner, claim, claimed_at)";
      String before = queue.open(queued, held);

      Awaitility.await()
          .during(FastPace.seconds(35))
          .atMost(Duration.ofSeconds(60))
          .until(
              () -> queue.open(queued, held) + stateAt(online, DATABASE),
              (before + "sending")::equals);
      first.countDown();

      assertThat(sent.join().body()).isEqualTo(CountingAgent.ANSWER);
      queue.awaitState(queued, "delivered");
      assertThat(agent.received()).containsExactlyInAnyOrder(queued.messageId(), "direct");
    }
  }

  @Test
  @ResourceLock(LIVES_LOCK)
  void completesNoDeliveryThatAnotherReplicaTookOver() throws Exception {
    TestQueue queue = TestQueue.of(LIVES);
    try (ServerProcess sleeps = startProcess(PacedServer.class, DATABASE)) {
      Queued queued = beginDelivery(sleeps.client(), LIVES, queue.target(agent.url(), 1));
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

  /** No delivery waits for the lease of a server that was shut down to expire. */
  @Test
  @ResourceLock(LIVES_LOCK)
  void endsAtACleanShutdownAndLeavesItsMessagesToOthers() {
    TestQueue queue = TestQueue.of(LIVES);
    Agent away = queue.target(agent.url(), 1);
    Queued waiting;
    Queued held;
    String replicas =
        "SELECT string_agg(id::text, ' ' ORDER BY started_at) FROM replicas WHERE alive_until >"
            + " clock_timestamp()";
    try (TestServer ends = startFast(DATABASE)) {
      assertThat(DATABASE.value(replicas).split(" "))
          .containsExactlyInAnyOrder(ownerOf(LIVES), ownerOf(ends));
      waiting = new TestQueue(ends.client(), DATABASE).put(away);
      held = beginDelivery(ends.client(), LIVES, queue.target(agent.url(), 1));
    }

    assertThat(DATABASE.value(replicas)).isEqualTo(ownerOf(LIVES));
    // less than a lease: the replica that ends gives it back itself
    Awaitility.await()
        .atMost(FastPace.seconds(20))
        .until(
            () -> queue.open(held, "coalesce(owner::text, '')"),
            owner -> List.of("", ownerOf(LIVES)).contains(owner));
    queue.set(held, "due_at = clock_timestamp()");
    second.countDown();
    queue.awaitState(held, "delivered");
    assertThat(queue.of(held, "concat_ws(' ', m.deliveries, q.attempts)")).isEqualTo("2 2");

    first.countDown();
    LIVES.client().heartbeat(away);
    queue.awaitState(waiting, "delivered");
    assertThat(DATABASE.value("SELECT owner FROM delivery_outcomes WHERE " + waiting.condition()))
        .isEqualTo(ownerOf(LIVES));
  }

  /** The dead replica is one that renews its lease no more, which others cannot distinguish. */
  @Test
  void leavesItsMessagesUncertainWithoutRetries() {
    TestDatabase database = TestDatabases.create();
    try (TestServer withoutRetries = startFast(database, WITHOUT_RETRIES);
        TestServer dies = startFast(database, WITHOUT_RETRIES)) {
      TestQueue queue = TestQueue.of(withoutRetries);
      Queued queued = beginDelivery(dies.client(), withoutRetries, queue.target(agent.url(), 1));
      awaitItsFirstLease(withoutRetries);
      assertThat(queue.open(queued, "owner::text")).isEqualTo(ownerOf(dies));
      dies.bean(DeliverySweep.class).close();
      dies.bean(ReplicaLease.class).close();

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

  /** By then another replica may have taken over what this one has claimed. */
  @Test
  void callsNobodyAfterTheEndOfItsLease() {
    agent.works(messageId -> 200);
    try (TestServer ends = startFast(TestDatabases.create())) {
      ends.bean(QueueWorker.class).stop();
      TestQueue queue = TestQueue.of(ends);
      Agent target = queue.target(agent.url(), 1);
      Queued queued = queue.put(target);
      ends.client().heartbeat(target);
      ReplicaLease lease = ends.bean(ReplicaLease.class);
      Claimed claimed =
          ends.bean(TransactionTemplate.class)
              .execute(_ ->
                  ends.bean(QueueRepository.class)
                      .claim(List.of(target.id()), _ -> 1, lease.begin(), 1))
              .getFirst();
      lease.close();
      Awaitility.await().atMost(TAKEOVER).until(() -> !lease.isAlive());

      assertThat(
              ends.bean(QueuedAttempts.class)
                  .make(
                      new QueuedAttempts.Attempt(
                          claimed,
                          ends.bean(Workspaces.class)
                              .targets(List.of(target.id()))
                              .get(target.id()))))
          .isEqualTo(new QueuedAttempts.Result.NoFreeSlot());
      Agent online = queue.target(agent.url(), 1);
      ends.client().heartbeat(online);
      assertRefused(queue.send(online, null, "direct", 50), 503, "UNAVAILABLE");

      assertThat(agent.received()).isEmpty();
      assertThat(queue.open(queued, "count(*)")).isEqualTo("1");
      assertThat(
              ends.database()
                  .value(
                      "SELECT count(*) FROM activity_logs WHERE workspace_id = '"
                          + online.id()
                          + "'"))
          .isEqualTo("0");
    }
  }

  /** Whatever stopped the renewals of this replica may have stopped those of others. */
  @Test
  void takesOverNothingDuringItsFirstLease() {
    TestDatabase database = TestDatabases.create();
    try (TestServer one = startFast(database)) {
      TestQueue queue = TestQueue.of(one);
      Queued queued = queue.put(queue.target(1));
      queue.set(queued, "owner = gen_random_uuid(), claim = 1, claimed_at = clock_timestamp()");
      Awaitility.await()
          .atMost(TAKEOVER)
          .until(() -> queue.of(queued, "q.state"), "waiting"::equals);
      assertThat(
              database.value(
                  "SELECT max(clock_timestamp() - started_at) >= interval '%d ms' FROM replicas"
                      .formatted(FastPace.seconds(20).toMillis())))
          .isEqualTo("t");
    }
  }
}
