package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.FastPace;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Polls that wait for a row, and every event that ends them (R6.2, R1.5, R1.6, R0.6). */
@Slow
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LongPollTest {

  private static final String INBOX = "?type=a2a_receive";

  /** The limit for what must happen at once, or in a second, on a busy machine. */
  private static final Duration SOON = Duration.ofSeconds(5);

  private static final TestServer HERE = start(TestDatabases.create());

  /** All polls begun by this test, by server. */
  private static final Map<TestServer, List<CompletableFuture<Answer>>> POLLS =
      new ConcurrentHashMap<>();

  /** Its poll begins before all tests; the last test reads the answer. */
  private static final TestFeed IDLE = feedOf("Idle");

  private static CompletableFuture<Answer> longPoll;
  private static CompletableFuture<Answer> longerPoll;
  private static long begunAt;
  private static TestServer elsewhere;

  @BeforeAll
  static void start() {
    begunAt = System.nanoTime();
    longPoll = poll(IDLE, INBOX + "&wait=10", IDLE.agent().token());
    longerPoll = poll(IDLE, INBOX + "&wait=60", IDLE.agent().token());
    elsewhere = start(HERE.database(), "RATE_LIMIT_POLL=600000");
  }

  private static TestServer start(TestDatabase database, String... settings) {
    return TestServer.startWith(database, List.of(FastPace.class), settings);
  }

  private static TestDatabase over(TcpRelay wire) {
    return new TestDatabase(
        HERE.database().url().replaceFirst(":" + databasePort() + "/", ":" + wire.port() + "/"));
  }

  private static int databasePort() {
    return URI.create(HERE.database().url().substring("jdbc:".length())).getPort();
  }

  @AfterAll
  static void stop() {
    elsewhere.close();
    HERE.close();
  }

  @Test
  void answersWhenARowArrives() {
    TestFeed feed = feedOf("Waiting");
    CompletableFuture<Answer> poll = waiting(feed, INBOX + "&wait=60");

    String id = feed.receive(null, "hello");

    assertOnly(within(SOON, poll), id);
  }

  @Test
  void answersOnAnotherReplicaWhenARowArrives() {
    TestFeed feed = feedOf("Waiting elsewhere");
    CompletableFuture<Answer> own = waiting(feed.at(elsewhere), INBOX + "&wait=60");
    CompletableFuture<Answer> admins = waiting(feed.at(elsewhere), "?wait=60", ADMIN_TOKEN);

    String id = feed.receive(null, "hello");

    assertOnly(within(SOON, own), id);
    assertOnly(within(SOON, admins), id);
  }

  @Test
  void answersWithoutARowAfterTheTimeout() {
    TestFeed feed = feedOf("In vain");
    long start = System.nanoTime();

    Answer answer = within(Duration.ofSeconds(10), feed.poll(INBOX + "&wait=1"));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("[]");
    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(FastPace.seconds(1));
    assertThat(feed.get(INBOX + "&wait=0").text()).isEqualTo("[]");
    assertThat(feed.get(INBOX).text()).isEqualTo("[]");
  }

  /**
   * The row is there when the poll comes, but the database needs longer than the wait to read it.
   */
  @Test
  void answersWithTheRowThatADatabaseReadsSlowly() throws SQLException {
    TestFeed feed = feedOf("Slowly read");
    String id = feed.receive(null, "hello");
    CompletableFuture<Answer> poll;
    try (Connection locked = HERE.database().connect()) {
      locked.setAutoCommit(false);
      try (Statement statement = locked.createStatement()) {
        statement.execute("LOCK TABLE activity_logs IN ACCESS EXCLUSIVE MODE");
      }
      poll = poll(feed, INBOX + "&wait=1", feed.agent().token());
      long start = System.nanoTime();
      await()
          .until(() -> System.nanoTime() - start > FastPace.seconds(1).plusMillis(300).toNanos());
      locked.rollback();
    }

    assertOnly(within(SOON, poll), id);
  }

  @Test
  void keepsWaitingWhenARowDoesNotMatch() {
    TestFeed feed = feedOf("Choosy");
    String first = feed.receive(null, "handled");
    feed.acknowledge("1");
    List<CompletableFuture<Answer>> polls =
        Stream.of(
                INBOX + "&wait=60",
                INBOX + "&wait=60&since_id=" + first,
                "?type=error&wait=60",
                "?source=canvas&order=asc&wait=60&since_id=" + first)
            .map(query -> waiting(feed, query))
            .toList();

    feed.log("noise");
    feed.reported("\"activity_type\":\"a2a_receive\"");
    feed.log("more noise");
    assertThat(polls).noneMatch(CompletableFuture::isDone);
    String accepted = feed.receive(null, "hello");
    assertOnly(within(SOON, polls.get(0)), accepted);
    assertOnly(within(SOON, polls.get(1)), accepted);
    assertOnly(within(SOON, polls.get(3)), accepted);
    assertThat(polls.get(2)).isNotDone();
    String failed = feed.reported("\"activity_type\":\"error\"");
    assertOnly(within(SOON, polls.get(2)), failed);
  }

  @Test
  void answersAllPollsOfOneFeed() {
    TestFeed feed = feedOf("Popular");
    List<CompletableFuture<Answer>> polls =
        IntStream.range(0, 100)
            .mapToObj(n ->
                poll(feed, INBOX + "&wait=60", n % 2 == 0 ? ADMIN_TOKEN : feed.agent().token()))
            .toList();
    awaitThatAllWait(HERE);

    String id = feed.receive(null, "hello");

    polls.forEach(poll -> assertOnly(within(Duration.ofSeconds(20), poll), id));
    awaitThatAllWait(HERE);
  }

  @Test
  void doesNotWakePollsOfOtherFeeds() {
    TestFeed feed = feedOf("Quiet");
    TestFeed other = feedOf("Loud");
    CompletableFuture<Answer> poll = waiting(feed, INBOX + "&wait=60");
    CompletableFuture<Answer> others = waiting(other, INBOX + "&wait=60");

    String id = other.receive(null, "hello");

    assertOnly(within(SOON, others), id);
    assertThat(poll).isNotDone();
    feed.receive(null, "hello");
    assertThat(within(SOON, poll).status()).isEqualTo(200);
  }

  @Test
  void endsWhenItsTokenIsRevoked() {
    TestFeed feed = feedOf("Revoked");
    CompletableFuture<Answer> poll = waiting(feed, INBOX + "&wait=60");
    CompletableFuture<Answer> replicas = waiting(feed.at(elsewhere), INBOX + "&wait=60");
    String tokens = "/workspaces/" + feed.id() + "/tokens";
    String token =
        feed.client().get(tokens, ADMIN_TOKEN).json().path("tokens").path(0).path("id").asString();

    long revoked = System.nanoTime();
    feed.client().delete(tokens + "/" + token, ADMIN_TOKEN);

    assertRefused(within(Duration.ofSeconds(15), poll), 401, "UNAUTHENTICATED");
    assertRefused(within(Duration.ofSeconds(15), replicas), 401, "UNAUTHENTICATED");
    assertThat(Duration.ofNanos(System.nanoTime() - revoked)).isLessThan(Duration.ofSeconds(8));
  }

  @Test
  void givesNoRowToARevokedToken() {
    TestFeed feed = feedOf("Too late");
    CompletableFuture<Answer> poll = waiting(feed, INBOX + "&wait=60");
    String tokens = "/workspaces/" + feed.id() + "/tokens";
    String token =
        feed.client().get(tokens, ADMIN_TOKEN).json().path("tokens").path(0).path("id").asString();
    feed.client().delete(tokens + "/" + token, ADMIN_TOKEN);

    feed.receive(null, "a secret");

    assertRefused(within(Duration.ofSeconds(15), poll), 401, "UNAUTHENTICATED");
  }

  @Test
  void endsWhenItsWorkspaceIsRemoved() {
    TestFeed feed = feedOf("Removed");
    List<CompletableFuture<Answer>> polls =
        List.of(
            waiting(feed, INBOX + "&wait=60"),
            waiting(feed.at(elsewhere), INBOX + "&wait=60"),
            waiting(feed, "?wait=60", ADMIN_TOKEN),
            waiting(feed.at(elsewhere), "?wait=60", ADMIN_TOKEN));

    feed.client().delete("/workspaces/" + feed.id(), ADMIN_TOKEN);

    for (CompletableFuture<Answer> poll : polls) {
      Answer answer = within(Duration.ofSeconds(15), poll);
      assertRefused(answer, 410, "WORKSPACE_REMOVED");
      assertThat(answer.field("id")).isEqualTo(feed.id().toString());
      assertThat(answer.field("removed_at")).endsWith("Z");
    }
  }

  @Test
  void endsQuicklyAndEmptyAtShutdown() {
    TestServer stopping = start(HERE.database());
    TestFeed feed = feedOf("Stopped").at(stopping);
    List<CompletableFuture<Answer>> polls =
        IntStream.range(0, 10).mapToObj(n -> waiting(feed, INBOX + "&wait=60")).toList();

    CompletableFuture<Void> stop =
        CompletableFuture.runAsync(stopping::close, Thread::startVirtualThread);

    for (CompletableFuture<Answer> poll : polls) {
      Answer answer = within(Duration.ofSeconds(10), poll);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      assertThat(answer.text()).isEqualTo("[]");
    }
    stop.orTimeout(20, TimeUnit.SECONDS).join();
  }

  /** The answer is in time and wrong about neither the token nor the workspace. */
  @Test
  void survivesADatabaseOutage() throws IOException {
    try (TcpRelay wire = new TcpRelay(databasePort());
        TestServer cutOff = start(over(wire), "RATE_LIMIT_POLL=600000")) {
      TestFeed feed = feedOf("Cut off");
      CompletableFuture<Answer> shorter = waiting(feed.at(cutOff), INBOX + "&wait=3");
      CompletableFuture<Answer> longer = waiting(feed.at(cutOff), INBOX + "&wait=60");

      wire.swallow();
      Answer unanswered = within(Duration.ofSeconds(15), shorter);
      wire.heal(databasePort());
      String id = feed.receive(null, "hello");

      assertEmptyOrUnavailable(unanswered);
      Answer answer = within(Duration.ofSeconds(20), longer);
      if (answer.status() == 200) {
        assertOnly(answer, id);
      } else {
        assertRefused(answer, 503, "UNAVAILABLE");
      }
      Answer healed =
          await()
              .atMost(Duration.ofSeconds(20))
              .until(() -> feed.at(cutOff).get(INBOX), later -> later.status() == 200);
      assertOnly(healed, id);
      assertThat(TestFeed.rowsOf(healed).path(0).path("seq").asLong()).isEqualTo(1);
    }
  }

  private static void assertEmptyOrUnavailable(Answer answer) {
    if (answer.status() == 200) {
      assertThat(answer.text()).isEqualTo("[]");
    } else {
      assertRefused(answer, 503, "UNAVAILABLE");
      assertThat(answer.header("Retry-After")).isNotEmpty();
    }
  }

  @Test
  void countsAsAPoll() {
    TestFeed feed = feedOf("Counted").at(elsewhere);
    String id = feed.receive(null, "hello");

    for (String query :
        new String[] {"", INBOX, INBOX + "&wait=1", "?since_id=" + id + "&wait=1"}) {
      assertThat(feed.get(query).header("X-RateLimit-Limit")).as(query).isEqualTo("600000");
    }
    assertThat(
            feed.report("\"activity_type\":\"agent_log\"")
                .headers()
                .firstValue("X-RateLimit-Limit"))
        .isEmpty();
  }

  @Test
  @Order(Integer.MAX_VALUE)
  void waitsForTheGivenTime() {
    Answer unanswered = within(Duration.ofSeconds(30), longPoll);
    assertThat(unanswered.status()).isEqualTo(200);
    assertThat(unanswered.text()).isEqualTo("[]");

    String id = IDLE.receive(null, "late");

    Answer answer = within(SOON, longerPoll);
    if (answer.text().equals("[]")) { // the tests before this one took longer
      assertThat(Duration.ofNanos(System.nanoTime() - begunAt)).isGreaterThan(FastPace.seconds(60));
    } else {
      assertOnly(answer, id);
    }
  }

  private static TestFeed feedOf(String name) {
    return new TestFeed(HERE, HERE.client().create(name));
  }

  private static CompletableFuture<Answer> poll(TestFeed feed, String query, String token) {
    CompletableFuture<Answer> poll = feed.poll(query, token);
    POLLS.computeIfAbsent(feed.server(), _ -> new CopyOnWriteArrayList<>()).add(poll);
    return poll;
  }

  private static CompletableFuture<Answer> waiting(TestFeed feed, String query) {
    return waiting(feed, query, feed.agent().token());
  }

  /** Begins a poll and waits until the server counts it as waiting. */
  private static CompletableFuture<Answer> waiting(TestFeed feed, String query, String token) {
    awaitThatAllWait(feed.server());
    CompletableFuture<Answer> poll = poll(feed, query, token);
    awaitThatAllWait(feed.server());
    return poll;
  }

  /** A poll that has its answer may be counted for a moment longer. */
  private static void awaitThatAllWait(TestServer server) {
    List<CompletableFuture<Answer>> polls = POLLS.getOrDefault(server, List.of());
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(20))
        .until(() ->
            IDLE.at(server).waiting() == polls.stream().filter(poll -> !poll.isDone()).count());
  }

  private static void assertOnly(Answer answer, String id) {
    assertThat(TestFeed.rowsOf(answer).valueStream().map(row -> row.path("id").asString()))
        .containsExactly(id);
  }

  private static Answer within(Duration limit, CompletableFuture<Answer> poll) {
    try {
      return poll.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("no answer within " + limit, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
