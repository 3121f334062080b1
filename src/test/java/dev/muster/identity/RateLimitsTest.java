package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Rate limits of callers with a valid credential (section 11). */
class RateLimitsTest {

  /** One token is refilled every 12, 20 and 30 seconds: none within the few requests of a test. */
  private static final TestServer SERVER =
      TestServer.start(
          "RATE_LIMIT=5", "RATE_LIMIT_HEARTBEAT=3", "RATE_LIMIT_POLL=2", "REGISTRATION=open");

  private static final TestClient CLIENT = SERVER.client();
  private static final Tokens TOKENS = SERVER.bean(Tokens.class);

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** Registers a new workspace without a credential, so that the limits of others stay unused. */
  private static Agent registerAnonymously() {
    UUID id = UUID.randomUUID();
    Answer registered =
        CLIENT.post("/registry/register", null, "{\"id\":\"%s\",\"agent_card\":{}}".formatted(id));
    assertThat(registered.status()).as(registered.text()).isEqualTo(200);
    return new Agent(id, registered.field("auth_token"));
  }

  /** Mints without a request, which would count. */
  private static Agent withAnotherToken(Agent agent) {
    String token =
        SERVER.bean(TransactionTemplate.class).execute(status -> TOKENS.mint(agent.id()).token());
    return new Agent(agent.id(), Objects.requireNonNull(token));
  }

  private static Answer read(Agent agent) {
    return CLIENT.get("/workspaces/" + agent.id(), agent.token());
  }

  private static Answer state(Agent agent) {
    return CLIENT.get("/workspaces/" + agent.id() + "/state", agent.token());
  }

  @Test
  void countsDownAndRefusesOneTooMany() {
    Agent agent = registerAnonymously();

    for (int left = 4; left >= 0; left--) {
      Answer answer = read(agent);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("5");
      assertThat(answer.header("X-RateLimit-Remaining")).isEqualTo(String.valueOf(left));
      assertThat(Integer.parseInt(answer.header("X-RateLimit-Reset"))).isBetween(1, 60);
      assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
    }
    Answer refused = read(agent);
    assertRefused(refused, 429, "RATE_LIMITED");
    assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 12);
    assertThat(refused.header("X-RateLimit-Limit")).isEqualTo("5");
    assertThat(refused.header("X-RateLimit-Remaining")).isEqualTo("0");
    assertThat(Integer.parseInt(refused.header("X-RateLimit-Reset"))).isBetween(48, 60);
  }

  @Test
  void countsEachCredentialSeparately() {
    Agent greedy = registerAnonymously();
    Agent modest = registerAnonymously();
    for (int i = 0; i < 6; i++) {
      read(greedy);
    }

    assertRefused(read(greedy), 429, "RATE_LIMITED");
    assertThat(read(modest).status()).isEqualTo(200);
  }

  @Test
  void countsHeartbeatsPollsAndOtherRequestsSeparately() {
    Agent agent = registerAnonymously();

    for (int i = 0; i < 3; i++) {
      Answer heartbeat = CLIENT.heartbeat(agent);
      assertThat(heartbeat.status()).isEqualTo(200);
      assertThat(heartbeat.header("X-RateLimit-Limit")).isEqualTo("3");
    }
    assertRefused(CLIENT.heartbeat(agent), 429, "RATE_LIMITED");
    for (int i = 0; i < 2; i++) {
      assertThat(state(agent).header("X-RateLimit-Limit")).isEqualTo("2");
    }
    assertRefused(state(agent), 429, "RATE_LIMITED");
    assertThat(read(agent).status()).isEqualTo(200);
  }

  @Test
  void countsAllTokensOfAWorkspaceTogether() {
    Agent agent = registerAnonymously();
    List<Agent> sameWorkspace = Stream.generate(() -> withAnotherToken(agent)).limit(8).toList();
    assertThat(sameWorkspace).extracting(Agent::token).doesNotHaveDuplicates();

    assertThat(passing(sameWorkspace, RateLimitsTest::read)).isEqualTo(5);
    assertThat(passing(sameWorkspace, CLIENT::heartbeat)).isEqualTo(3);
    assertThat(passing(sameWorkspace, RateLimitsTest::state)).isEqualTo(2);
  }

  private static long passing(List<Agent> agents, Function<Agent, Answer> request) {
    return agents.stream().map(request).filter(answer -> answer.status() == 200).count();
  }

  @Test
  void countsRevokedTokensSeparatelyFromValidOnes() {
    Agent agent = registerAnonymously();
    Agent revoked = withAnotherToken(agent);
    TOKENS.liveOf(agent.id()).stream()
        .filter(token -> revoked.token().startsWith(token.prefix()))
        .forEach(token -> TOKENS.revoke(agent.id(), token.id()));

    for (int left = 4; left >= 0; left--) {
      Answer answer = left % 2 == 0 ? read(revoked) : CLIENT.heartbeat(revoked);
      assertRefused(answer, 401, "UNAUTHENTICATED");
      assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("5");
      assertThat(answer.header("X-RateLimit-Remaining")).isEqualTo(String.valueOf(left));
    }
    assertRefused(read(revoked), 429, "RATE_LIMITED");
    assertThat(passing(Collections.nCopies(6, agent), RateLimitsTest::read)).isEqualTo(5);
  }

  @Test
  void refusesABadCredentialBeforeAnythingIsCounted() {
    Agent agent = registerAnonymously();
    for (int i = 0; i < 6; i++) {
      CLIENT.heartbeat(agent);
    }

    Agent withBadToken = new Agent(agent.id(), "x".repeat(43));
    assertRefused(CLIENT.heartbeat(withBadToken), 401, "UNAUTHENTICATED");
    assertRefused(read(withBadToken), 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesBeforeItReadsTheBody() {
    Agent agent = registerAnonymously();
    for (int i = 0; i < 3; i++) {
      CLIENT.heartbeat(agent);
    }

    // no byte of the announced body is sent
    Answer answer =
        RawHttp.send(
            SERVER.port(),
            "POST /registry/heartbeat",
            List.of("Authorization: Bearer " + agent.token(), "Content-Length: 60000"));

    assertRefused(answer, 429, "RATE_LIMITED");
    assertRefused(CLIENT.post("/registry/heartbeat", agent.token(), "{"), 429, "RATE_LIMITED");
  }

  @Test
  void countsRefusedRequestsInTheMetrics() {
    Agent agent = registerAnonymously();
    double heartbeats = refused("heartbeat");
    double polls = refused("poll");

    for (int i = 0; i < 5; i++) {
      CLIENT.heartbeat(agent);
      state(agent);
    }

    assertThat(refused("heartbeat") - heartbeats).isEqualTo(2);
    assertThat(refused("poll") - polls).isEqualTo(3);
    assertThat(refused("general")).isGreaterThanOrEqualTo(0);
    assertThat(refused("anonymous")).isGreaterThanOrEqualTo(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health", "/ready", "/v3/api-docs", "/swagger-ui.html"})
  void neverLimitsProbesAndDocumentation(String path) {
    for (int i = 0; i < 8; i++) {
      Answer answer = CLIENT.get(path, ADMIN_TOKEN);
      assertThat(answer.status()).isIn(200, 302);
      assertThat(answer.headers().firstValue("X-RateLimit-Limit")).isEmpty();
    }
  }

  static double refused(TestServer server, String limit) {
    String name = "muster_rate_limited_total{limit=\"" + limit + "\"} ";
    return server
        .metrics()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }

  private static double refused(String limit) {
    return refused(SERVER, limit);
  }
}
