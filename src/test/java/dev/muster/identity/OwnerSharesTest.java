package dev.muster.identity;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.message.send.PushAgents;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.WholeReads;
import dev.muster.testing.ConsoleSession;
import dev.muster.testing.HangingNames;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A token and the sessions made with it have one share of each bound (docs/limits.md): more
 * credentials are not more of it, and others keep theirs.
 */
@Slow
@Timeout(120)
class OwnerSharesTest {

  /** One more is refilled every 20 seconds: none within the few requests of a test. */
  private static final int PER_MINUTE = 3;

  private static final int TOO_MANY = 4;
  private static final int SESSIONS = 5;

  /** docs/limits.md, "name look-ups of agent urls". */
  private static final int LOOKUPS = 4;

  private static final int MAX_DELIVERIES_OF_TARGET = 64;

  private static final int MIB = 1 << 20;
  private static final Duration SOON = Duration.ofSeconds(20);

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final TestServer LIMITED =
      TestServer.startOn(
          SERVER.database(),
          "RATE_LIMIT=" + PER_MINUTE,
          "RATE_LIMIT_HEARTBEAT=" + PER_MINUTE,
          "RATE_LIMIT_POLL=" + PER_MINUTE);
  private static final TestClient CLIENT = SERVER.client();

  /**
   * Requests that take one use of a bound and keep it until they are closed; at the server with low
   * rates if the bound is a rate.
   */
  enum Bound {
    REQUESTS(true, PER_MINUTE, 429, "GET /workspaces/%s", ""),
    HEARTBEATS(true, PER_MINUTE, 429, "POST /registry/heartbeat", "{\"workspace_id\":\"%s\"}"),
    POLLS(true, PER_MINUTE, 429, "GET /workspaces/%s/state", ""),
    HELD_POLLS(false, 256, 429, "GET /workspaces/%s/activity?type=error&wait=60", ""),
    STREAMS(false, 50, 429, "GET /workspaces/%s/events/stream", ""),
    DELIVERIES(
        false,
        deliveries(),
        503,
        "POST /workspaces/%s/a2a",
        "{\"method\":\"tasks/get\",\"params\":{\"id\":\"%s\"}}"),
    ARRIVING_BODIES(false, 256, 503, "POST /workspaces/%s/a2a", "{"),
    UNREAD_ANSWERS(false, unreadAnswers(), 429, "GET %s", "");

    private final boolean isLimited;
    private final int share;
    private final int refusal;
    private final String line;
    private final String body;

    Bound(boolean isLimited, int share, int refusal, String line, String body) {
      this.isLimited = isLimited;
      this.share = share;
      this.refusal = refusal;
      this.line = line;
      this.body = body;
    }

    private TestServer server() {
      return isLimited ? LIMITED : SERVER;
    }

    /** A quarter of as many as there are pieces of 256 KiB in an eighth of the heap. */
    private static int deliveries() {
      long all = Math.clamp(Runtime.getRuntime().maxMemory() / 8 / (MIB / 4), 64, 2_000);
      return (int) Math.max(64, all / 4);
    }

    /** Answers of 8 MiB in an eighth of an eighth of the heap. */
    private static int unreadAnswers() {
      return (int) (Runtime.getRuntime().maxMemory() / 64 / (8 * MIB + MIB));
    }
  }

  /** Requests that hold a place while they wait for the row of their workspace. */
  enum Waiting {
    REGISTRATIONS(
        "workspace_heartbeats",
        2,
        "POST /registry/register",
        "{\"id\":\"%s\",\"agent_card\":{},\"delivery_mode\":\"poll\"}"),
    ROWS_OF_A_BUSY_FEED(
        "activity_feeds",
        2,
        "POST /workspaces/%s/activity",
        "{\"activity_type\":\"agent_log\",\"summary\":\"busy\"}"),
    RUNTIME_EVENTS(
        "runtime_heads",
        1,
        "POST /workspaces/%s/runtime-events",
        "{\"type\":\"RuntimeError\",\"payload\":{\"task_name\":\"t\",\"kind\":\"x\",\"message\":\"\"}}");

    private final String table;
    private final int share;
    private final String line;
    private final String body;

    Waiting(String table, int share, String line, String body) {
      this.table = table;
      this.share = share;
      this.line = line;
      this.body = body;
    }

    private Request send(OwnerSharesTest test, Agent of, String credential) throws IOException {
      String text = body.formatted(of.id());
      return test.send(SERVER.port(), line.formatted(of.id()), credential, text.length(), text);
    }
  }

  /** A request, and the status of its answer as soon as that has begun. */
  private static final class Request {

    private static final int BEFORE_STATUS = "HTTP/1.1 ".length();
    private static final int STATUS = 3;

    private final Socket socket = new Socket();
    private int status;

    Request(int port, String text) throws IOException {
      socket.setReceiveBufferSize(4096);
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Returns 0 while there is no answer. */
    int status() throws IOException {
      if (status == 0 && socket.getInputStream().available() >= BEFORE_STATUS + STATUS) {
        byte[] line = socket.getInputStream().readNBytes(BEFORE_STATUS + STATUS);
        status =
            Integer.parseInt(new String(line, BEFORE_STATUS, STATUS, StandardCharsets.US_ASCII));
      }
      return status;
    }

    /** Returns what has come after the status so far. */
    String rest() {
      try {
        byte[] rest = socket.getInputStream().readNBytes(socket.getInputStream().available());
        return new String(rest, StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final Agent agent = CLIENT.createOnline("Greedy");
  private final List<String> credentials = credentialsOf(agent);
  private final List<Request> requests = new ArrayList<>();
  private TestPeer silent;

  @BeforeEach
  void startPeer() throws IOException {
    silent = TestPeer.start().usually(PeerBehavior.silence());
  }

  @AfterEach
  void hangUp() throws IOException {
    for (Request request : requests) {
      request.socket.close();
    }
    silent.close();
  }

  @AfterAll
  static void stop() {
    LIMITED.close();
    SERVER.close();
  }

  /** Returns the headers of the token, and of sessions with names of their own. */
  private static List<String> credentialsOf(Agent agent) {
    Stream<String> sessions =
        IntStream.range(0, SESSIONS).mapToObj(n -> headersOf(signIn(agent.token(), "page " + n)));
    return Stream.concat(Stream.of(bearer(agent.token())), sessions).toList();
  }

  private static ConsoleSession signIn(String token, String name) {
    String body = "{\"token\":\"%s\",\"name\":\"%s\"}".formatted(token, name);
    return ConsoleSession.of(CLIENT.post("/console/session", null, body));
  }

  /** Returns both cookies of a session, since each server has its port in the name. */
  private static String headersOf(ConsoleSession session) {
    return "Cookie: %s; %s\r\nX-Muster-Page: %s\r\n"
        .formatted(session.cookie(), atLimited(session).cookie(), session.pageKey());
  }

  private static ConsoleSession atLimited(ConsoleSession session) {
    return new ConsoleSession(
        session.cookie().replace("muster-" + SERVER.port(), "muster-" + LIMITED.port()),
        session.pageKey());
  }

  @ParameterizedTest
  @EnumSource(Bound.class)
  void countsATokenAndItsSessionsTogether(Bound bound) throws IOException {
    List<String> targets =
        switch (bound) {
          case UNREAD_ANSWERS -> List.of(largeRow());
          case DELIVERIES ->
              calledBy(agent, 1 + (bound.share + TOO_MANY) / MAX_DELIVERIES_OF_TARGET);
          default -> List.of(agent.id().toString());
        };
    for (int n = 0; n < bound.share + TOO_MANY; n++) {
      ask(bound, targets.get(n % targets.size()), credentials.get(n % credentials.size()));
    }
    await().atMost(SOON).untilAsserted(() -> assertRefused(TOO_MANY, bound.refusal));

    Agent other = CLIENT.createOnline("Modest");
    String own =
        switch (bound) {
          case UNREAD_ANSWERS -> feedOf(other);
          case DELIVERIES -> calledBy(other, 1).getFirst();
          default -> other.id().toString();
        };
    ask(bound, own, bearer(other.token()));
    assertThat(bound.server().client().heartbeatOnce(other).status()).isEqualTo(200);
    assertRefused(TOO_MANY, bound.refusal);
  }

  /** Returns agents that the caller may call and that never answer. */
  private List<String> calledBy(Agent caller, int count) {
    PushAgents called = new PushAgents(SERVER);
    return IntStream.range(0, count)
        .mapToObj(_ -> called.at(silent.url(), "\"parent_id\":\"" + caller.id() + "\""))
        .map(one -> one.id().toString())
        .toList();
  }

  private void ask(Bound bound, String target, String credential) throws IOException {
    String body = bound.body.formatted(target);
    int length = bound == Bound.ARRIVING_BODIES ? MIB : body.length();
    send(bound.server().port(), bound.line.formatted(target), credential, length, body);
  }

  private Request send(int port, String line, String credential, int length, String body)
      throws IOException {
    Request request =
        new Request(
            port,
            "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%sContent-Length: %d\r\n\r\n%s"
                .formatted(line, port, credential, length, body));
    requests.add(request);
    return request;
  }

  private void assertRefused(int count, int refusal) throws IOException {
    List<Integer> statuses = new ArrayList<>();
    for (Request request : requests) {
      statuses.add(request.status());
    }
    assertThat(Collections.frequency(statuses, refusal)).as("of %s", statuses).isEqualTo(count);
  }

  private static String bearer(String token) {
    return "Authorization: Bearer " + token + "\r\n";
  }

  private static String feedOf(Agent agent) {
    return "/workspaces/" + agent.id() + "/activity";
  }

  /** Stores a message of 8 MiB; a busy disk may take longer than a request waits. */
  private String largeRow() {
    String message =
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"parts\":[{\"kind\":\"text\",\"text\":\"%s\"}]}}}"
            .formatted("x".repeat(8 * MIB));
    Answer sent = CLIENT.patient().post("/workspaces/" + agent.id() + "/a2a", ADMIN_TOKEN, message);
    return feedOf(agent) + "/" + sent.field("activity_id");
  }

  /**
   * A read of the owner that does not end holds its only place on a server with few connections.
   */
  @Test
  void countsWholeReadsOfATokenAndItsSessionsTogether() throws Exception {
    WholeReads reads = SERVER.bean(WholeReads.class);
    CountDownLatch end = new CountDownLatch(1);
    CountDownLatch began = new CountDownLatch(1);
    Thread reader =
        Thread.startVirtualThread(() ->
            reads.run(
                new Owner.OfWorkspace(agent.id()),
                () -> {
                  began.countDown();
                  return awaitEnd(end);
                }));
    began.await();
    String list = "GET /registry/" + agent.id() + "/peers";
    for (String credential : credentials) {
      send(SERVER.port(), list, credential, 0, "");
    }
    await().atMost(SOON).untilAsserted(() -> assertRefused(credentials.size(), 429));

    Agent other = CLIENT.createOnline("Modest");
    String peers = "/registry/" + other.id() + "/peers";
    assertThat(CLIENT.get(peers, other.token()).status()).isEqualTo(200);
    end.countDown();
    reader.join();
    Answer afterwards = CLIENT.get("/registry/" + agent.id() + "/peers", agent.token());
    assertThat(afterwards.status()).isEqualTo(200);
  }

  /** A look-up holds its place until the name server answers, however long its request waits. */
  @Test
  void countsLookupsOfATokenAndItsSessionsTogether() throws Exception {
    String host = "greedy-" + agent.id() + ".example";
    try (AutoCloseable _ = HangingNames.hang(host)) {
      for (int n = 0; n < LOOKUPS + TOO_MANY; n++) {
        register(agent, host, credentials.get(n % credentials.size()));
      }
      await().atMost(SOON).untilAsserted(() -> assertRefused(LOOKUPS + TOO_MANY, 400));
      assertThat(requests)
          .filteredOn(request -> request.rest().contains("too many look-ups"))
          .hasSize(TOO_MANY);

      Agent other = CLIENT.createOnline("Modest");
      register(other, "localhost", bearer(other.token()));
      await().atMost(SOON).untilAsserted(() -> assertRefused(1, 200));
    }
  }

  private void register(Agent of, String host, String credential) throws IOException {
    String body =
        "{\"id\":\"%s\",\"agent_card\":{},\"delivery_mode\":\"push\",\"url\":\"http://%s/\"}"
            .formatted(of.id(), host);
    send(SERVER.port(), "POST /registry/register", credential, body.length(), body);
  }

  /**
   * Another transaction holds the rows of two workspaces. What is refused in the meantime is sent
   * again, so that each credential always waits.
   */
  @ParameterizedTest
  @EnumSource(Waiting.class)
  void countsWhatWaitsForARowOfATokenAndItsSessionsTogether(Waiting bound) throws Exception {
    Agent other = CLIENT.createOnline("Modest");
    try (Connection holder = SERVER.database().connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(
          "SELECT FROM %s WHERE workspace_id IN ('%s', '%s') FOR NO KEY UPDATE"
              .formatted(bound.table, agent.id(), other.id()));
      Map<String, Request> waiting = new HashMap<>();
      awaitSteady(bound, bound.share, () -> sendAgain(bound, waiting, agent, credentials));

      List<String> own = List.of(bearer(other.token()));
      awaitSteady(
          bound,
          bound.share + 1,
          () -> {
            sendAgain(bound, waiting, agent, credentials);
            sendAgain(bound, waiting, other, own);
          });
    }
  }

  private void sendAgain(
      Waiting bound, Map<String, Request> waiting, Agent of, List<String> credentials) {
    try {
      for (String credential : credentials) {
        @Nullable Request before = waiting.get(credential);
        if (before == null || before.status() != 0) {
          waiting.put(credential, bound.send(this, of, credential));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits until as many statements as given wait for a row of the table, and go on to. */
  private static void awaitSteady(Waiting bound, int count, Runnable before) {
    await()
        .atMost(SOON)
        .during(Duration.ofMillis(600))
        .untilAsserted(() -> {
          before.run();
          assertThat(SERVER.database().lockWaits(bound.table)).isEqualTo(count);
        });
  }

  private static boolean awaitEnd(CountDownLatch end) {
    try {
      end.await();
      return true;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** However many names people give, a token has four shares; another token has its own. */
  @Test
  void countsPeopleOfOneTokenInFourShares() {
    String token = viewer();
    List<ConsoleSession> people =
        IntStream.range(0, 24).mapToObj(n -> atLimited(signIn(token, "person " + n))).toList();

    long passed = 0;
    for (ConsoleSession person : people) {
      for (int n = 0; n < PER_MINUTE; n++) {
        passed += read(person) == 200 ? 1 : 0;
      }
    }

    assertThat(passed).isEqualTo(Owner.SHARES_OF_A_TOKEN * PER_MINUTE);
    assertThat(read(atLimited(signIn(viewer(), "person 0")))).isEqualTo(200);
  }

  private static String viewer() {
    String body = "{\"name\":\"Eyes\",\"role\":\"viewer\"}";
    return CLIENT.post("/admin/tokens", ADMIN_TOKEN, body).field("auth_token");
  }

  private static int read(ConsoleSession session) {
    return LIMITED.client().get("/console/session", null, session.headers()).status();
  }

  @Test
  void countsASessionWithoutANameWithItsToken() {
    String token = viewer();
    ConsoleSession session =
        atLimited(
            ConsoleSession.of(
                CLIENT.post("/console/session", null, "{\"token\":\"" + token + "\"}")));
    for (int n = 0; n < PER_MINUTE; n++) {
      assertThat(LIMITED.client().get("/admin/settings", token).status()).isEqualTo(200);
    }

    assertThat(read(session)).isEqualTo(429);
  }
}
