package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.MachinePauses;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestEventStream;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What ends a session of the console, on every replica and in open streams (R1.6, R1.9). */
@Slow
class SessionEndsTest {

  /** That it is in time, the other tests measure. */
  private static final Duration LATE = Duration.ofSeconds(30);

  private static final Duration REACH = Tokens.REVOCATION_REACH.plusSeconds(1);
  private static final TestServer SERVER = TestServer.start();
  private static final TestServer ELSEWHERE = TestServer.startOn(SERVER.database());
  private static final TestClient CLIENT = SERVER.client();

  private final Answer operator =
      CLIENT.post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"Hands\",\"role\":\"operator\"}");
  private final ConsoleSession session = signIn("shift " + UUID.randomUUID());
  private final ConsoleSession there = onOtherPort(session);

  @AfterAll
  static void close() {
    ELSEWHERE.close();
    SERVER.close();
  }

  private ConsoleSession signIn(String name) {
    String body =
        "{\"token\":\"%s\",\"name\":\"%s\"}".formatted(operator.field("auth_token"), name);
    return ConsoleSession.of(CLIENT.post("/console/session", null, body));
  }

  /** Replicas behind one address share the cookie's name; here each has its own port. */
  private static ConsoleSession onOtherPort(ConsoleSession session) {
    return new ConsoleSession(
        session.cookie().replace("muster-" + SERVER.port(), "muster-" + ELSEWHERE.port()),
        session.pageKey());
  }

  private static int statusHere(ConsoleSession session) {
    return CLIENT.get("/console/session", null, session.headers()).status();
  }

  private static int statusThere(ConsoleSession session) {
    return ELSEWHERE.client().get("/console/session", null, session.headers()).status();
  }

  @Test
  void endsByLoggingOutOnEveryReplica() throws IOException {
    assertThat(statusThere(there)).isEqualTo(200);

    Answer out = CLIENT.delete("/console/session", null, session.headers());

    assertThat(out.status()).isEqualTo(204);
    assertThat(out.header("Clear-Site-Data")).isEqualTo("\"cache\", \"storage\"");
    assertThat(out.header("Set-Cookie"))
        .startsWith("muster-" + SERVER.port() + "=;")
        .contains("Max-Age=0", "Path=/");
    Answer refused = CLIENT.get("/console/session", null, session.headers());
    assertRefused(refused, 401);
    assertThat(refused.field("detail")).contains("sign in again");
    MachinePauses.awaitWithin(REACH, () -> statusThere(there) == 401);
  }

  @Test
  void endsAllOfThePersonOnRequest() {
    String name = "shift " + UUID.randomUUID();
    ConsoleSession one = signIn(name);
    ConsoleSession two = signIn(name);

    CLIENT.delete("/console/session?all=true", null, one.headers());

    assertThat(statusHere(one)).isEqualTo(401);
    assertThat(statusHere(two)).isEqualTo(401);
    assertThat(statusHere(session)).isEqualTo(200);
  }

  @Test
  void endsByAnOperatorsHand() {
    String id = CLIENT.get("/console/session", null, session.headers()).field("id");

    assertThat(CLIENT.delete("/console/sessions/" + id, ADMIN_TOKEN).status()).isEqualTo(204);

    assertThat(statusHere(session)).isEqualTo(401);
    assertRefused(CLIENT.delete("/console/sessions/" + id, ADMIN_TOKEN), 404);
    assertRefused(CLIENT.delete("/console/sessions/" + UUID.randomUUID(), ADMIN_TOKEN), 404);
  }

  @Test
  void endsWithTheTokenItWasSignedInWith() throws IOException {
    assertThat(statusThere(there)).isEqualTo(200);

    CLIENT.delete("/admin/tokens/" + operator.field("id"), ADMIN_TOKEN);

    MachinePauses.awaitWithin(REACH, () -> statusHere(session) == 401);
    MachinePauses.awaitWithin(REACH, () -> statusThere(there) == 401);
  }

  @Test
  void endsWithTheTokenThatMadeItsLink() throws IOException {
    Answer link =
        CLIENT.post(
            "/console/links", null, "{\"role\":\"viewer\",\"name\":\"x\"}", session.headers());
    String code = link.field("url").substring(link.field("url").indexOf("#start=") + 7);
    ConsoleSession ofLink =
        ConsoleSession.of(CLIENT.post("/console/session", null, "{\"code\":\"" + code + "\"}"));
    assertThat(statusHere(ofLink)).isEqualTo(200);

    CLIENT.delete("/admin/tokens/" + operator.field("id"), ADMIN_TOKEN);

    MachinePauses.awaitWithin(REACH, () -> statusHere(ofLink) == 401);
  }

  @Test
  void endsWithTheWorkspaceOfItsAgent() throws IOException {
    Agent agent = CLIENT.createOnline("Short-lived");
    ConsoleSession own = ConsoleSession.signIn(CLIENT, agent.token());

    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    MachinePauses.awaitWithin(REACH, () -> statusHere(own) == 401);
  }

  @Test
  void endsWithANewAdminToken() {
    ConsoleSession admins = ConsoleSession.signIn(CLIENT, ADMIN_TOKEN);
    try (TestServer renewed =
        TestServer.startOn(SERVER.database(), "ADMIN_TOKEN=another-token-of-the-admin")) {
      ConsoleSession moved =
          new ConsoleSession(
              admins.cookie().replace("muster-" + SERVER.port(), "muster-" + renewed.port()),
              admins.pageKey());
      assertRefused(renewed.client().get("/console/session", null, moved.headers()), 401);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "expires_at = now() - interval '1 second'",
        "last_used_at = now() - interval '12 hours 1 second'"
      })
  void endsByItself(String change) {
    UUID id = UUID.fromString(CLIENT.get("/console/session", null, session.headers()).field("id"));
    SERVER.database().execute("UPDATE console_sessions SET " + change + " WHERE id = '" + id + "'");

    assertThat(statusThere(there)).isEqualTo(401);
    assertThat(CLIENT.get("/console/sessions", ADMIN_TOKEN).text()).doesNotContain(id.toString());
  }

  @Test
  void isKnownToHaveExpiredWhereItWasInUse() throws IOException {
    assertThat(statusThere(there)).isEqualTo(200);
    String id = CLIENT.get("/console/session", null, session.headers()).field("id");
    SERVER
        .database()
        .execute("UPDATE console_sessions SET expires_at = now() WHERE id = '" + id + "'");

    MachinePauses.awaitWithin(REACH, () -> statusThere(there) == 401);
    MachinePauses.awaitWithin(REACH, () -> statusHere(session) == 401);
  }

  @Test
  void closesTheStreamsOfTheSession() throws Exception {
    List<String> headers =
        List.of("Cookie", there.cookie(), "Origin", ELSEWHERE.client().baseUrl());
    List<String> offers = List.of("muster-ws", "muster-page." + there.pageKey());
    try (TestSocket socket = TestSocket.open(ELSEWHERE.client(), "/ws", headers, offers);
        TestEventStream events =
            TestEventStream.open(CLIENT, "/events/stream", null, session.headers())) {
      assertThat(socket.protocol()).isEqualTo("muster-ws");
      CLIENT.create("Seen by both");
      socket.await(frame -> frame.path("payload").path("name").asString("").equals("Seen by both"));

      CLIENT.delete("/console/session", null, session.headers());

      assertThat(socket.awaitClose(LATE)).isEqualTo(1008);
      assertThat(events.awaitEnd(LATE)).isTrue();
    }
  }

  @Test
  void endsTheHeldPollsOfTheSession() throws Exception {
    Agent agent = CLIENT.create("Reads by a page");
    String poll = "/workspaces/" + agent.id() + "/activity?type=a2a_receive&wait=60";
    ConsoleSession own = ConsoleSession.signIn(CLIENT, agent.token());
    ConsoleSession kept = ConsoleSession.signIn(CLIENT, agent.token());
    CompletableFuture<Answer> here = held(CLIENT, poll, own);
    CompletableFuture<Answer> elsewhere = held(ELSEWHERE.client(), poll, onOtherPort(own));
    awaitHeld(ELSEWHERE.client(), 1);
    awaitHeld(CLIENT, 1);
    CompletableFuture<Answer> goesOn = held(CLIENT, poll, kept);
    awaitHeld(CLIENT, 2);

    assertThat(CLIENT.delete("/console/session", null, own.headers()).status()).isEqualTo(204);

    assertRefused(here.get(), 401, "UNAUTHENTICATED");
    assertRefused(elsewhere.get(), 401, "UNAUTHENTICATED");
    assertThat(goesOn).isNotDone();
    CLIENT.delete("/console/session", null, kept.headers());
    assertRefused(goesOn.get(), 401, "UNAUTHENTICATED");
  }

  /** The client gives up long before a poll that nothing ends has its answer. */
  private static CompletableFuture<Answer> held(
      TestClient client, String poll, ConsoleSession session) {
    return CompletableFuture.supplyAsync(
        () -> client.get(poll, null, session.headers()), Thread::startVirtualThread);
  }

  private static void awaitHeld(TestClient client, int polls) {
    await().atMost(LATE).until(() -> client.metric("muster_polls_waiting") == polls);
  }

  @Test
  void endsTheOldestOfAPersonWithTooMany() throws IOException {
    String name = "shift " + UUID.randomUUID();
    List<ConsoleSession> all =
        Stream.generate(() -> signIn(name)).limit(Sessions.MAX_OF_AN_OWNER + 2).toList();

    assertThat(all.stream().map(SessionEndsTest::statusHere).filter(status -> status == 401))
        .hasSize(2);
    assertThat(statusHere(all.get(0))).isEqualTo(401);
    assertThat(statusHere(all.get(1))).isEqualTo(401);
    assertThat(statusHere(session)).as("of another name").isEqualTo(200);
    ConsoleSession last = onOtherPort(all.get(2));
    assertThat(statusThere(last)).isEqualTo(200);
    String id = CLIENT.get("/console/session", null, all.get(2).headers()).field("id");

    signIn(name);

    MachinePauses.awaitWithin(REACH, () -> statusThere(last) == 401);
    assertThat(CLIENT.get("/admin/audit?target=" + id, ADMIN_TOKEN).text())
        .contains("POST /console/session");
  }

  @Test
  void endsTheOldestOfAnAgentWithTooManyWhateverItsTokens() {
    Agent agent = CLIENT.createOnline("Of many pages");
    String second =
        CLIENT
            .post("/admin/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN, "")
            .field("auth_token");
    ConsoleSession first = ConsoleSession.signIn(CLIENT, agent.token());
    for (int n = 0; n < Sessions.MAX_OF_AN_OWNER; n++) {
      assertThat(statusHere(first)).isEqualTo(200);
      ConsoleSession.signIn(CLIENT, n % 2 == 0 ? second : agent.token());
    }

    assertThat(statusHere(first)).isEqualTo(401);
  }

  @Test
  void endsTheOldestOfATokenWithTooManyPeople() {
    ConsoleSession first = session;
    for (int n = 1; n < Sessions.MAX_OF_A_TOKEN; n++) {
      signIn("person " + n);
    }
    assertThat(statusHere(first)).isEqualTo(200);

    signIn("one more");

    assertThat(statusHere(first)).isEqualTo(401);
  }

  @Test
  void endsAsManyAsBeginAtTheSameTime() throws Exception {
    String name = "shift " + UUID.randomUUID();
    for (int n = 0; n < Sessions.MAX_OF_AN_OWNER; n++) {
      signIn(name);
    }
    try (ExecutorService people = Executors.newVirtualThreadPerTaskExecutor()) {
      people.invokeAll(Collections.nCopies(8, () -> signIn(name))).forEach(Future::isDone);
    }

    String live =
        SERVER
            .database()
            .value(
                "SELECT count(*) FROM console_sessions WHERE ended_at IS NULL AND name LIKE '"
                    + name
                    + "%'");
    assertThat(live).isEqualTo(String.valueOf(Sessions.MAX_OF_AN_OWNER));
  }

  @Test
  void deletesWhatEndedNinetyDaysAgo() {
    String id = CLIENT.get("/console/session", null, session.headers()).field("id");
    String expired = CLIENT.get("/console/session", null, signIn("gone").headers()).field("id");
    CLIENT.post("/console/links", ADMIN_TOKEN, "{\"role\":\"viewer\",\"name\":\"kept\"}");
    CLIENT.post("/console/links", ADMIN_TOKEN, "{\"role\":\"viewer\",\"name\":\"old\"}");
    SERVER
        .database()
        .execute(
            """
            UPDATE console_sessions SET ended_at = now() - interval '91 days' WHERE id = '%s';
            UPDATE console_sessions SET expires_at = now() - interval '91 days' WHERE id = '%s';
            UPDATE console_links SET expires_at = now() - interval '91 days' WHERE name = 'old'
            """
                .formatted(id, expired));
    SessionRepository repository = SERVER.bean(SessionRepository.class);

    assertThat(SERVER.bean(IdentityRetention.class).sweepAudit()).isEqualTo(3);

    assertThat(repository.deleteEnded(10, 0)).isZero();
  }
}
