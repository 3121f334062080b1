package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Sessions of the console: what makes one, what it may do, and what ends it (R1.9). */
@Slow
class SessionsTest {

  private static final String CANVAS = "https://canvas.example";
  private static final TestServer SERVER = TestServer.start("CORS_ORIGINS=" + CANVAS);
  private static final TestServer ELSEWHERE = TestServer.startOn(SERVER.database());
  private static final TestClient CLIENT = SERVER.client();

  private final String operatorToken = roleToken("operator").field("auth_token");
  private final ConsoleSession session = ConsoleSession.signIn(CLIENT, operatorToken);

  @AfterAll
  static void close() {
    ELSEWHERE.close();
    SERVER.close();
  }

  private static Answer roleToken(String role) {
    String body = "{\"name\":\"Hands\",\"role\":\"" + role + "\"}";
    return CLIENT.post("/admin/tokens", ADMIN_TOKEN, body);
  }

  private static Answer who(TestClient client, ConsoleSession session, String... more) {
    return client.get("/console/session", null, joined(session.headers(), more));
  }

  private static String[] joined(String[] some, String... more) {
    List<String> all = new ArrayList<>(List.of(some));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  private static Answer link(String credential, String role, String more) {
    String body = "{\"role\":\"" + role + "\",\"name\":\"night shift\"" + more + "}";
    return CLIENT.post("/console/links", credential, body);
  }

  private static String code(Answer link) {
    assertThat(link.status()).as(link.text()).isEqualTo(201);
    return link.field("url").substring(link.field("url").indexOf("#start=") + 7);
  }

  private static Answer redeem(TestClient client, String code) {
    return client.post("/console/session", null, "{\"code\":\"" + code + "\"}");
  }

  @Test
  void signsInByALinkOnceAndOnlyOnce() throws Exception {
    Answer link = link(ADMIN_TOKEN, "operator", "");
    assertThat(link.field("url")).matches(CLIENT.baseUrl() + "/ui/signin#start=[A-Za-z0-9_-]{43}");
    assertThat(Duration.between(Instant.now(), Instant.parse(link.field("expires_at"))))
        .isBetween(Duration.ofSeconds(590), Duration.ofSeconds(601));
    String code = code(link);

    List<Integer> statuses = new ArrayList<>();
    try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Integer>> tries =
          IntStream.range(0, 16)
              .<Callable<Integer>>mapToObj(i ->
                  () -> redeem((i % 2 == 0 ? SERVER : ELSEWHERE).client().patient(), code).status())
              .toList();
      for (Future<Integer> one : people.invokeAll(tries)) {
        statuses.add(one.get());
      }
    }

    assertThat(statuses).containsOnlyOnce(201).containsOnly(201, 401);
    Answer late = redeem(CLIENT, code);
    assertRefused(late, 401);
    assertThat(late.field("code")).isEqualTo("LINK_SPENT");
    assertThat(late.headers().firstValue("Set-Cookie")).isEmpty();
  }

  @Test
  void refusesOldAndUnknownLinks() {
    String old = code(link(ADMIN_TOKEN, "viewer", ",\"ttl_s\":86400"));
    SERVER
        .database()
        .execute(
            "UPDATE console_links SET expires_at = now() - interval '1 second' WHERE redeemed_at IS"
                + " NULL");

    for (String code : List.of(old, "A".repeat(43), "x", "' OR true --")) {
      assertThat(redeem(CLIENT, code).field("code")).as(code).isEqualTo("LINK_SPENT");
    }
  }

  @Test
  void refusesALinkWhoseMakerWasRevoked() {
    Answer operator = roleToken("operator");
    String code = code(link(operator.field("auth_token"), "viewer", ""));
    CLIENT.delete("/admin/tokens/" + operator.field("id"), ADMIN_TOKEN);

    assertThat(redeem(CLIENT, code).field("code")).isEqualTo("LINK_SPENT");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"role\":\"viewer\"}",
        "{\"name\":\"x\"}",
        "{\"name\":\"x\",\"role\":\"admin\"}",
        "{\"name\":\"x\",\"role\":\"agent\"}",
        "{\"name\":\"a\\nb\",\"role\":\"viewer\"}",
        "{\"name\":\"x\",\"role\":\"viewer\",\"ttl_s\":\"soon\"}"
      })
  void refusesOtherLinks(String body) {
    assertRefused(CLIENT.post("/console/links", ADMIN_TOKEN, body), 400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "{\"token\":\"\"}", "{\"token\":7}", "{\"token\":\"x\",\"name\":\"a\\nb\"}"})
  void refusesToSignInWithNothing(String body) {
    assertRefused(CLIENT.post("/console/session", null, body), 400);
  }

  @Test
  void refusesASignInWithATokenThatIsNotGood() {
    Answer gone = roleToken("viewer");
    CLIENT.delete("/admin/tokens/" + gone.field("id"), ADMIN_TOKEN);
    Agent removed = CLIENT.createOnline("Removed");
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    for (String token : List.of("x".repeat(43), gone.field("auth_token"), removed.token())) {
      Answer answer = CLIENT.post("/console/session", null, "{\"token\":\"" + token + "\"}");
      assertRefused(answer, 401);
      assertThat(answer.field("code")).isEqualTo("UNAUTHENTICATED");
    }
  }

  @Test
  void saysWhoIsSignedInAndWhatAPageNeeds() {
    JsonNode who = who(CLIENT, session).json();

    assertThat(who.path("role").asString()).isEqualTo("operator");
    assertThat(who.path("name").asString()).isEqualTo("Hands");
    assertThat(who.path("stale_after_s").asInt()).isEqualTo(180);
    assertThat(who.path("heartbeat_interval_s").asInt()).isEqualTo(30);
    assertThat(who.path("instance").asString()).isNotBlank();
    assertThat(Duration.between(Instant.now(), Instant.parse(who.path("now").asString())).abs())
        .isLessThan(Duration.ofSeconds(10));
    assertThat(Duration.between(Instant.now(), Instant.parse(who.path("expires_at").asString())))
        .isBetween(Duration.ofDays(7).minusMinutes(5), Duration.ofDays(7).plusSeconds(5));
  }

  @ParameterizedTest
  @CsvSource({
    "viewer, ' ', Hands",
    "viewer, Night shift, Night shift (Hands)",
    "operator, Eve, Eve (Hands)"
  })
  void keepsTheNameOfATokenBesideAPersonsOwn(String role, String name, String recorded) {
    String body =
        "{\"token\":\"%s\",\"name\":\"%s\"}".formatted(roleToken(role).field("auth_token"), name);
    Answer made = CLIENT.post("/console/session", null, body);

    assertThat(made.field("name")).isEqualTo(recorded);
    assertThat(made.field("role")).isEqualTo(role);
  }

  @Test
  void givesAnAgentTheSightOfItsOwnToken() {
    Agent agent = CLIENT.createOnline("Mine");
    Agent other = CLIENT.createOnline("Not mine");
    ConsoleSession own = ConsoleSession.signIn(CLIENT, agent.token());

    assertThat(who(CLIENT, own).field("workspace_id")).isEqualTo(agent.id().toString());
    assertThat(CLIENT.get("/workspaces/" + agent.id() + "/activity", null, own.headers()).status())
        .isEqualTo(200);
    assertThat(CLIENT.get("/workspaces/" + other.id() + "/activity", null, own.headers()).status())
        .isEqualTo(403);
    assertThat(CLIENT.get("/workspaces", null, own.headers()).status()).isEqualTo(403);
  }

  @Test
  void isNothingWithoutBothHalves() {
    ConsoleSession other = ConsoleSession.signIn(CLIENT, operatorToken);

    assertThat(who(CLIENT, session).status()).isEqualTo(200);
    for (String[] headers :
        List.of(
            new String[] {"Cookie", session.cookie()},
            new String[] {"X-Muster-Page", session.pageKey()},
            new ConsoleSession(session.cookie(), other.pageKey()).headers(),
            new ConsoleSession(session.cookie(), "").headers(),
            new ConsoleSession(session.cookie().replace("muster-", "muster-1"), session.pageKey())
                .headers(),
            new ConsoleSession("muster-" + SERVER.port() + "=" + operatorToken, session.pageKey())
                .headers())) {
      assertRefused(CLIENT.get("/workspaces", null, headers), 401);
    }
    String cookie = session.cookie().substring(session.cookie().indexOf('=') + 1);
    assertRefused(CLIENT.get("/workspaces", cookie), 401);
    assertRefused(CLIENT.get("/workspaces", session.pageKey()), 401);
  }

  @ParameterizedTest
  @CsvSource({
    "Origin, https://evil.example, 403",
    "Origin, http://127.0.0.1:1, 403",
    "Origin, http://localhost.evil.example, 403",
    "Origin, null, 403",
    "Origin, https://canvas.example, 401",
    "Sec-Fetch-Site, cross-site, 403",
    "Sec-Fetch-Site, same-site, 403",
    "Sec-Fetch-Site, none, 401"
  })
  void isOfNoUseToAPageOfAnotherOrigin(String header, String value, int statusOfAChange) {
    String[] headers = joined(session.headers(), header, value);

    assertRefused(CLIENT.get("/workspaces", null, headers), 401);
    assertRefused(CLIENT.post("/workspaces", null, "{\"name\":\"x\"}", headers), statusOfAChange);
    Answer signedIn =
        CLIENT.post(
            "/console/session", null, "{\"token\":\"" + operatorToken + "\"}", header, value);
    assertRefused(signedIn, 403);
    assertThat(signedIn.field("code")).isEqualTo("ORIGIN_NOT_ALLOWED");
    List<String> socket = new ArrayList<>(List.of("Cookie", session.cookie(), header, value));
    List<String> offers = List.of("muster-ws", "muster-page." + session.pageKey());
    assertThatThrownBy(() -> TestSocket.open(CLIENT, "/ws", socket, offers))
        .isInstanceOfSatisfying(
            TestSocket.Refused.class, refused -> assertThat(refused.status()).isIn(401, 403));
  }

  @Test
  void isGoodForThePageOfItsOwnServer() {
    String[] headers =
        joined(session.headers(), "Origin", CLIENT.baseUrl(), "Sec-Fetch-Site", "same-origin");

    assertThat(CLIENT.post("/workspaces", null, "{\"name\":\"Made\"}", headers).status())
        .isEqualTo(201);
  }

  @Test
  void losesAgainstABearerToken() {
    Agent agent = CLIENT.createOnline("Bearer");

    assertRefused(CLIENT.get("/workspaces", agent.token(), session.headers()), 403);
    assertRefused(CLIENT.get("/workspaces", "x".repeat(43), session.headers()), 401);
    assertRefused(CLIENT.get("/console/session", agent.token(), session.headers()), 403);
  }

  @Test
  void storesNoSecret() {
    code(link(ADMIN_TOKEN, "viewer", ""));
    String code = code(link(ADMIN_TOKEN, "viewer", ""));
    String stored =
        SERVER
            .bean(JdbcClient.class)
            .sql(
                "SELECT (SELECT string_agg(s::text, ' ') FROM console_sessions s)"
                    + " || (SELECT string_agg(l::text, ' ') FROM console_links l)")
            .query(String.class)
            .single();

    assertThat(stored)
        .contains("night shift")
        .doesNotContain(code)
        .doesNotContain(session.pageKey())
        .doesNotContain(session.cookie().substring(session.cookie().indexOf('=') + 1));
  }

  @Test
  void hidesTheCookieFromScripts() {
    Answer made = CLIENT.post("/console/session", null, "{\"token\":\"" + operatorToken + "\"}");

    assertThat(made.header("Set-Cookie"))
        .startsWith("muster-" + SERVER.port() + "=")
        .contains("Path=/", "HttpOnly", "SameSite=Strict", "Max-Age=604800")
        .doesNotContain("Secure", "Domain");
    assertThat(made.header("Cache-Control")).isEqualTo("no-store");
  }

  @Test
  void bindsTheCookieToTlsWhereThePublicUrlHasIt() {
    try (TestServer behindTls =
        TestServer.startOn(SERVER.database(), "PUBLIC_URL=https://muster.example")) {
      TestClient client = behindTls.client();
      Answer made = client.post("/console/session", null, "{\"token\":\"" + operatorToken + "\"}");

      assertThat(made.header("Set-Cookie"))
          .startsWith("__Host-muster=")
          .contains("Secure", "HttpOnly", "SameSite=Strict", "Path=/");
      ConsoleSession own = ConsoleSession.of(made);
      assertThat(who(client, own, "Origin", "https://muster.example").status()).isEqualTo(200);
      Answer link =
          client.post("/console/links", ADMIN_TOKEN, "{\"role\":\"viewer\",\"name\":\"x\"}");
      assertThat(link.field("url")).startsWith("https://muster.example/ui/signin#start=");
    }
  }

  @Test
  void recordsWhoSignedInAndWhatTheyDid() {
    Answer made =
        CLIENT.post(
            "/console/session",
            null,
            "{\"token\":\"" + operatorToken + "\",\"name\":\"" + UUID.randomUUID() + "\"}");
    String name = made.field("name");
    ConsoleSession own = ConsoleSession.of(made);
    String id = who(CLIENT, own).field("id");
    String workspace =
        CLIENT.post("/workspaces", null, "{\"name\":\"Made\"}", own.headers()).field("id");
    CLIENT.delete("/console/session", null, own.headers());

    List<@Nullable String> rows =
        SERVER
            .bean(JdbcClient.class)
            .sql(
                "SELECT role || ' ' || credential_id || ' ' || action || ' ' || targets[1] FROM"
                    + " operator_actions WHERE who = :who ORDER BY at")
            .param("who", name)
            .query(String.class)
            .list();
    assertThat(rows)
        .containsExactly(
            "operator " + id + " POST /console/session " + id,
            "operator " + id + " POST /workspaces " + workspace,
            "operator " + id + " DELETE /console/session " + id);
  }

  @Test
  void listsSessionsForOperators() {
    JsonNode mine = who(CLIENT, session).json();
    JsonNode sessions = CLIENT.get("/console/sessions", ADMIN_TOKEN).json().path("sessions");

    JsonNode listed =
        sessions
            .valueStream()
            .filter(one -> one.path("id").equals(mine.path("id")))
            .findFirst()
            .orElseThrow();
    assertThat(Set.copyOf(listed.propertyNames()))
        .containsExactlyInAnyOrder(
            "id", "role", "name", "created_at", "last_used_at", "expires_at");
  }

  @Test
  void endsTheSessionOfTheBrowserThatSignsInAnew() {
    Answer anew =
        CLIENT.post(
            "/console/session",
            null,
            "{\"token\":\"" + operatorToken + "\"}",
            "Cookie",
            session.cookie());

    assertThat(who(CLIENT, ConsoleSession.of(anew)).status()).isEqualTo(200);
    assertRefused(who(CLIENT, session), 401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"token", "code"})
  void keepsTheSessionOfTheBrowserWhoseSignInIsRefused(String kind) {
    String body = "{\"" + kind + "\":\"" + "C".repeat(43) + "\"}";

    assertRefused(CLIENT.post("/console/session", null, body, "Cookie", session.cookie()), 401);

    assertThat(who(CLIENT, session).status()).isEqualTo(200);
  }

  /** As of another server of this host, for a longer path: browsers send it first. */
  @Test
  void findsItsCookieBesideOneOfTheSameName() {
    String name = session.cookie().substring(0, session.cookie().indexOf('=') + 1);
    String both = name + "A".repeat(43) + "; " + session.cookie();
    String[] headers = {"Cookie", both, "X-Muster-Page", session.pageKey()};

    assertThat(CLIENT.get("/console/session", null, headers).status()).isEqualTo(200);
    assertThat(CLIENT.get("/workspaces", null, headers).status()).isEqualTo(200);
    assertThat(CLIENT.delete("/console/session", null, headers).status()).isEqualTo(204);
    assertRefused(who(CLIENT, session), 401);
  }

  /** As of other servers of this host, for instance with JSON, a single quote mark or a tab. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a={\"b\": \"c, d\"}",
        "a=\"b",
        "a=b\tc",
        "a=\"b\\",
        "a",
        "=",
        "a b=c",
        "(a)=[b]",
        "a=\u00e4",
        "$a=1"
      })
  void findsItsCookieBesideAnyOther(String foreign) {
    for (String both :
        List.of(foreign + "; " + session.cookie(), session.cookie() + "; " + foreign)) {
      String[] headers = {"Cookie", both, "X-Muster-Page", session.pageKey()};
      assertThat(CLIENT.get("/console/session", null, headers).status()).as(both).isEqualTo(200);
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void logsARefusedSignInWithoutItsSecret(CapturedOutput output) {
    String secret = "B".repeat(43);

    await()
        .until(() -> {
          assertRefused(redeem(CLIENT, secret), 401);
          return output.getAll().contains("was refused: LINK_SPENT");
        });

    assertThat(output.getAll())
        .contains("a sign-in to the console from 127.0.0.1 was refused: LINK_SPENT")
        .doesNotContain(secret);
  }

  /** An override, an isolate, a mark of direction, separators of lines and of paragraphs. */
  @ParameterizedTest
  @ValueSource(ints = {0x202E, 0x2067, 0x200F, 0x2028, 0x2029, 0x85, 0x9})
  void refusesNamesThatAreNotOneLine(int character) {
    String name = "admin" + Character.toString(character) + "nimda";
    String named = "{\"name\":\"%s\",\"role\":\"viewer\"}".formatted(name.replace("\t", "\\t"));

    for (String path : List.of("/workspaces", "/admin/tokens", "/console/links")) {
      Answer answer = CLIENT.post(path, ADMIN_TOKEN, named);
      assertThat(answer.status()).as(path + answer.text()).isEqualTo(400);
    }
    String signIn = "{\"token\":\"" + operatorToken + "\"," + named.substring(1);
    assertThat(CLIENT.post("/console/session", null, signIn).status()).isEqualTo(400);
  }

  /** What a caller may not read, it may not learn about by errors either. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/admin/runtime-runs?status=x&limit=x",
        "/admin/workspace-tokens?never_used=x&cursor=x",
        "/admin/delegations?status=x",
        "/admin/a2a-queue?state=x",
        "/admin/audit?after=x",
        "/admin/bulk?limit=x"
      })
  void refusesAnAgentBeforeItReadsTheParametersOfAList(String path) {
    Agent agent = CLIENT.create("Agent");

    assertRefused(CLIENT.get(path, agent.token()), 403, "FORBIDDEN");
    assertThat(CLIENT.get(path, ADMIN_TOKEN).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({
    "/workspaces, no-store",
    "/console/session, no-store",
    "/console/summary, no-store",
    "/health, no-store",
    "/ui/fleet, no-store",
    "/nothing, no-store",
    "'/console/fleet', 'private, no-cache'"
  })
  void leavesNoAnswerInACache(String path, String cacheControl) {
    assertThat(CLIENT.get(path, null, session.headers()).headers().allValues("Cache-Control"))
        .containsExactly(cacheControl);
  }

  /** The limit holds before the body is read. */
  @Test
  void countsAttemptsWithoutAReadableBody() {
    try (TestServer limited = TestServer.startOn(SERVER.database(), "RATE_LIMIT=600")) {
      int attempts = 0;
      Answer refused;
      do {
        attempts++;
        refused = limited.client().post("/console/session", null, "{");
      } while (refused.status() == 400 && attempts < 100);
      assertRefused(refused, 429, "RATE_LIMITED");
    }
  }

  @Test
  void allowsTenAttemptsAMinute() {
    try (TestServer limited = TestServer.startOn(SERVER.database(), "RATE_LIMIT=600")) {
      long start = System.nanoTime();
      int attempts = 0;
      Answer refused;
      do {
        attempts++;
        refused = redeem(limited.client(), "A".repeat(43));
      } while (refused.status() == 401 && attempts < 100);
      assertRefused(refused, 429);
      long comeBack = Duration.ofNanos(System.nanoTime() - start).toSeconds() / 6;
      assertThat(attempts).isBetween(11, 11 + (int) comeBack);
      assertThat(refused.header("Retry-After")).isNotEmpty();
      assertThat(limited.client().get("/workspaces", operatorToken).status()).isEqualTo(200);
    }
  }
}
