package dev.muster.platform.http;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A request is answered within 5 s, whatever it waits for and however often (R1.8). The tokens are
 * not in the cache, so each request begins with a look-up; except that of the large message, whose
 * body is not read during a look-up.
 */
@Slow
@Timeout(120)
class RequestDeadlineTest {

  /** Shorter than the timeout of any single statement and of the check of a pooled connection. */
  private static final Duration SLOW = Duration.ofMillis(850);

  /** Also shorter than any timeout; three of them are longer than a request may take. */
  private static final Duration LOCKED = Duration.ofMillis(1900);

  /** Four of them are longer than a transaction may take, and a creation has four statements. */
  private static final Duration LAST_STATEMENT_TOO_LATE = Duration.ofMillis(1050);

  private static final String DONE_SENDS =
      "SELECT count(*) FROM operator_actions WHERE outcome = 'done' AND action LIKE 'POST %/a2a'";

  private static TestDatabase database;
  private static int databasePort;
  private static TcpRelay wire;
  private static TestServer server;
  private static TestClient client;
  private static TestPeer peer;
  private static RequestKinds kinds;
  private static Agent known;

  @BeforeAll
  static void start() throws IOException {
    database = TestDatabases.create();
    databasePort = URI.create(database.url().substring("jdbc:".length())).getPort();
    wire = new TcpRelay(databasePort);
    server =
        TestServer.startOn(
            new TestDatabase(
                database.url().replaceFirst(":" + databasePort + "/", ":" + wire.port() + "/")),
            "AGENT_URL_ALLOW=loopback");
    client = server.client();
    peer = TestPeer.start();
    kinds = new RequestKinds(client, peer.url());
    known = client.create("Known");
  }

  /** Known tokens count again once the revocations of that time are read. */
  @AfterEach
  void heal() {
    wire.heal(databasePort);
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() ->
            client.get("/ready", null).status() == 200
                && client.get("/workspaces/" + known.id(), known.token()).status() == 200);
    awaitIdleDatabase();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
    wire.close();
    peer.close();
  }

  @Test
  void slowStagesShareOneDeadline() throws Exception {
    assertAllAreInTime(() -> wire.delayAnswers(SLOW));
  }

  @Test
  void aFrozenDatabaseIsNotAwaited() throws Exception {
    // and a list that could not be read is not answered as an empty one
    assertThat(assertAllAreInTime(wire::swallow))
        .hasEntrySatisfying(
            RequestKinds.WHOLE_LIST, answer -> assertThat(answer.status()).isIn(429, 503));
  }

  @Test
  void aHeartbeatThatIsDelayedAtEachStageIsAnsweredInTime() throws Exception {
    Agent agent = kinds.agent();
    String id = kinds.delegation(agent);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection tokens = locking("workspace_tokens");
        Connection heartbeats = locking("workspace_heartbeats");
        Connection delegations = locking("delegations")) {
      long start = System.nanoTime();
      Future<TimedAnswer> heartbeat =
          threads.submit(() ->
              TimedAnswer.to(
                  () -> client.heartbeatOnce(agent, "\"delegations\":[\"" + id + "\"]")));
      awaitElapsed(start, LOCKED);
      tokens.rollback();
      awaitElapsed(start, LOCKED.multipliedBy(2));
      heartbeats.rollback();
      heartbeat.get().assertInTime("heartbeat");
      delegations.rollback();
    }
  }

  /**
   * The audit row is the last statement of the transaction, so it is the one that times out (R1.7).
   */
  @Test
  void aChangeThatTimesOutIsStoredWithItsAuditRowOrNotAtAll() throws Exception {
    for (Duration late : List.of(SLOW, LAST_STATEMENT_TOO_LATE)) {
      client.create("warms a connection");
      wire.delayAnswers(late);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<TimedAnswer>> creations =
            IntStream.range(0, 6)
                .mapToObj(n -> threads.submit(() -> TimedAnswer.to(this::create)))
                .toList();
        for (Future<TimedAnswer> creation : creations) {
          creation.get();
        }
        wire.delayAnswers(Duration.ZERO);
        awaitIdleDatabase();
        assertThat(unaudited()).as("answers late by %s", late).isZero();
        for (Future<TimedAnswer> creation : creations) {
          creation.get().assertInTime("create");
        }
      }
    }
  }

  /** Its audit row exists by then, and is updated to say that the change was refused (R1.7). */
  @ParameterizedTest
  @ValueSource(ints = {850, 1000})
  void aChangeThatIsRefusedAfterItsCommitIsAnsweredInTime(int millis) throws Exception {
    String kind = RequestKinds.REPEAT;
    long before = count(DONE_SENDS);
    Callable<Answer> request = kinds.prepare(List.of(kind)).values().iterator().next();
    wire.delayAnswers(Duration.ofMillis(millis));
    TimedAnswer answer = TimedAnswer.to(request);
    wire.delayAnswers(Duration.ZERO);
    answer.assertInTime(kind);
    long done = answer.answer().status() == 200 ? 2 : 1; // the first send counts as one
    Awaitility.await().until(() -> count(DONE_SENDS) - before == done);
  }

  private Map<String, Answer> assertAllAreInTime(Runnable stall) throws Exception {
    Map<String, Callable<Answer>> requests = kinds.prepare(RequestKinds.ALL);
    Map<String, Future<TimedAnswer>> running = new LinkedHashMap<>();
    Map<String, Answer> answers = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      stall.run();
      requests.forEach(
          (kind, request) -> running.put(kind, threads.submit(() -> TimedAnswer.to(request))));
      for (var one : running.entrySet()) {
        one.getValue().get().assertInTime(one.getKey());
        answers.put(one.getKey(), one.getValue().get().answer());
      }
    }
    return answers;
  }

  private Answer create() {
    return client.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"c\"}");
  }

  private Connection locking(String table) throws Exception {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    }
    return connection;
  }

  /** Waits for statements that the server has cancelled but that still run. */
  private static void awaitIdleDatabase() {
    Awaitility.await()
        .until(() ->
            count(
                    """
                    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = 'muster' AND state <> 'idle'
                    """)
                == 0);
  }

  private long unaudited() throws SQLException {
    return count(
        """
        SELECT count(*) FROM workspaces
        WHERE NOT EXISTS (SELECT FROM operator_actions WHERE workspaces.id::text = ANY (targets))
        """);
  }

  private static long count(String query) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  private static void awaitElapsed(long start, Duration time) {
    Awaitility.await()
        .pollInterval(Duration.ofMillis(20))
        .until(() -> System.nanoTime() - start > time.toNanos());
  }
}
