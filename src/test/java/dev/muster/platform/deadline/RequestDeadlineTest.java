package dev.muster.platform.deadline;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
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
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever a request waits for, and however often, its answer comes within 5 s (R1.8). The tokens
 * are those of agents that nobody has heard of yet, so each request begins with a look-up; but not
 * that of the large message, whose body nobody would read then.
 */
@Slow
@Timeout(120)
class RequestDeadlineTest {

  private static final Duration DUE = Duration.ofSeconds(5);

  /**
   * Shorter than the time-out of any single statement, or of the look whether a connection lives.
   */
  private static final Duration SLOW = Duration.ofMillis(850);

  /** Also shorter than any time-out, and three of them are longer than a request may take. */
  private static final Duration LOCKED = Duration.ofMillis(1900);

  /** Four of them are longer than a transaction may take, and a creation has four statements. */
  private static final Duration LAST_STATEMENT_TOO_LATE = Duration.ofMillis(1050);

  private static final String WHOLE_LIST = "workspaces";
  private static final String LARGE_MESSAGE = "large message";

  private record Timed(Answer answer, Duration took) {}

  private TestDatabase database;
  private TcpRelay wire;
  private TestServer server;
  private TestClient client;
  private Agent target;

  @BeforeEach
  void start() throws IOException {
    database = TestDatabases.create();
    int port = URI.create(database.url().substring("jdbc:".length())).getPort();
    wire = new TcpRelay(port);
    server =
        TestServer.startOn(
            new TestDatabase(
                database.url().replaceFirst(":" + port + "/", ":" + wire.port() + "/")));
    client = server.client();
    target = client.create("target", "\"delivery_mode\":\"poll\"");
  }

  @AfterEach
  void stop() throws IOException {
    wire.heal(URI.create(database.url().substring("jdbc:".length())).getPort());
    server.close();
    wire.close();
  }

  @Test
  void slowStagesShareOneTime() throws Exception {
    assertAllAreInTime(() -> wire.delayAnswers(SLOW));
  }

  @Test
  void aDatabaseThatFreezesIsNotWaitedFor() throws Exception {
    // and a list that could not be read is not taken for an empty one
    assertThat(assertAllAreInTime(wire::swallow))
        .hasEntrySatisfying(WHOLE_LIST, answer -> assertThat(answer.status()).isEqualTo(503));
  }

  @Test
  void aBeatThatIsHeldUpAtEachOfItsStagesIsAnsweredInTime() throws Exception {
    Agent agent = client.create("held-up");
    String id = delegation(agent);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Connection tokens = locking("workspace_tokens");
        Connection beats = locking("workspace_beats");
        Connection delegations = locking("delegations")) {
      long start = System.nanoTime();
      Future<Timed> beat =
          threads.submit(() -> timed(() -> client.beat(agent, "\"delegations\":[\"" + id + "\"]")));
      awaitElapsed(start, LOCKED);
      tokens.rollback();
      awaitElapsed(start, LOCKED.multipliedBy(2));
      beats.rollback();
      assertInTime("beat", beat.get());
      delegations.rollback();
    }
  }

  /** The audit row is the last of the transaction, so it is the one whose time is over (R1.7). */
  @Test
  void aChangeThatTakesTooLongIsMadeWithItsAuditRowOrNotAtAll() throws Exception {
    for (Duration late : List.of(SLOW, LAST_STATEMENT_TOO_LATE)) {
      client.create("warms a connection");
      wire.delayAnswers(late);
      try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<Timed>> creations =
            IntStream.range(0, 6).mapToObj(n -> threads.submit(() -> timed(this::create))).toList();
        for (Future<Timed> creation : creations) {
          creation.get();
        }
        wire.delayAnswers(Duration.ZERO);
        awaitIdleDatabase();
        assertThat(unaudited()).as("answers late by %s", late).isZero();
        for (Future<Timed> creation : creations) {
          assertInTime("create", creation.get());
        }
      }
    }
  }

  private Map<String, Answer> assertAllAreInTime(Runnable stall) throws Exception {
    Map<String, Function<Agent, Answer>> requests = requests();
    Map<String, Agent> agents = new LinkedHashMap<>();
    requests.keySet().forEach(name -> agents.put(name, agent(name)));
    get(Objects.requireNonNull(agents.get(LARGE_MESSAGE)), "/state");
    Map<String, Future<Timed>> running = new LinkedHashMap<>();
    Map<String, Answer> answers = new LinkedHashMap<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      stall.run();
      requests.forEach((name, request) -> {
        Agent agent = Objects.requireNonNull(agents.get(name));
        running.put(name, threads.submit(() -> timed(() -> request.apply(agent))));
      });
      for (var one : running.entrySet()) {
        assertInTime(one.getKey(), one.getValue().get());
        answers.put(one.getKey(), one.getValue().get().answer());
      }
    }
    return answers;
  }

  /**
   * Of an agent each, by what they are; for those of operators the agent is what they ask about.
   */
  private Map<String, Function<Agent, Answer>> requests() {
    Map<String, Function<Agent, Answer>> requests = new LinkedHashMap<>();
    requests.put("beat", agent -> client.beat(agent));
    requests.put(
        "beat with claims",
        agent -> client.beat(agent, "\"delegations\":[\"" + agent.id() + "\"]"));
    requests.put(
        "register",
        agent ->
            client.post(
                "/registry/register",
                agent.token(),
                "{\"id\":\"%s\",\"agent_card\":{\"name\":\"a\"}}".formatted(agent.id())));
    requests.put(
        "append",
        agent ->
            client.post(
                "/workspaces/" + agent.id() + "/activity",
                agent.token(),
                "{\"activity_type\":\"agent_log\",\"summary\":\"s\"}"));
    requests.put("message", agent -> message(agent, "short"));
    requests.put(LARGE_MESSAGE, agent -> message(agent, "x".repeat(400 * 1024)));
    requests.put("delegate", this::delegate);
    requests.put("read the feed", agent -> get(agent, "/activity"));
    requests.put("poll the feed", agent -> get(agent, "/activity?type=a2a_receive&wait=1"));
    requests.put("state", agent -> get(agent, "/state"));
    requests.put("delegations", agent -> get(agent, "/delegations"));
    requests.put("peers", agent -> client.get("/registry/" + agent.id() + "/peers", agent.token()));
    requests.put(WHOLE_LIST, agent -> client.get("/workspaces", ADMIN_TOKEN));
    requests.put("ledger", agent -> client.get("/admin/delegations", ADMIN_TOKEN));
    requests.put("metrics", agent -> client.get("/metrics", ADMIN_TOKEN));
    requests.put(
        "rename",
        agent -> client.patch("/workspaces/" + agent.id(), agent.token(), "{\"name\":\"b\"}"));
    requests.put("create", agent -> create());
    requests.put("remove", agent -> client.delete("/workspaces/" + agent.id(), ADMIN_TOKEN));
    return requests;
  }

  private Agent agent(String name) {
    return client.create(name, "\"parent_id\":\"" + target.id() + "\"");
  }

  private Answer create() {
    return client.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"c\"}");
  }

  private Answer get(Agent agent, String path) {
    return client.get("/workspaces/" + agent.id() + path, agent.token());
  }

  private Answer message(Agent agent, String text) {
    return client.post(
        "/workspaces/" + target.id() + "/a2a",
        agent.token(),
        """
        {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"role":"user",
         "messageId":"%s","parts":[{"kind":"text","text":"%s"}]}}}\
        """
            .formatted(UUID.randomUUID(), text));
  }

  private Answer delegate(Agent caller) {
    return client.post(
        "/workspaces/" + caller.id() + "/delegate",
        caller.token(),
        "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(target.id()));
  }

  /** One that the agent is to work on; nobody presents its token. */
  private String delegation(Agent callee) {
    Answer answer =
        client.post(
            "/workspaces/" + target.id() + "/delegate",
            target.token(),
            "{\"target_id\":\"%s\",\"task\":\"t\"}".formatted(callee.id()));
    return answer.field("delegation_id");
  }

  private Connection locking(String table) throws Exception {
    Connection connection = database.connect();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    }
    return connection;
  }

  /** What was given up by the server may still run. */
  private void awaitIdleDatabase() {
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

  private long count(String query) throws SQLException {
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

  private static Timed timed(Callable<Answer> request) throws Exception {
    long start = System.nanoTime();
    Answer answer = request.call();
    return new Timed(answer, Duration.ofNanos(System.nanoTime() - start));
  }

  private static void assertInTime(String what, Timed timed) {
    assertThat(timed.took()).as(what).isLessThan(DUE);
    if (timed.answer().status() / 100 != 2) {
      assertThat(timed.answer().status()).as("%s: %s", what, timed.answer()).isEqualTo(503);
      assertThat(timed.answer().field("code")).as(what).isEqualTo("UNAVAILABLE");
      assertThat(timed.answer().header("Retry-After")).as(what).isEqualTo("5");
    }
  }
}
