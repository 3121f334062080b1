package dev.muster.console.timeline;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.event.EventType;
import dev.muster.event.NewEvent;
import dev.muster.protocol.RuntimeEvent;
import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What happened to a workspace, joined from events, feed, delegations and runs. */
class TimelineTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  private final Agent lead = CLIENT.createOnline("Lead");
  private final Agent agent = CLIENT.createOnline("Worker", "\"parent_id\":\"" + lead.id() + "\"");

  @Test
  void joinsAllSourcesNewestFirstByTheIdsThatTheyHave() {
    String delegation = delegate("review chapter 3");
    awaitKinds("message");
    send("m-1", "how far are you?");
    say(new RuntimeStart(delegation, "py", "python"), new RuntimeEnd(delegation, 2, ms(40)));
    CLIENT.heartbeat(agent, "\"runtime_state\":\"wedged\",\"sample_error\":\"SDK hangs\"");
    reply(delegation, "looks good");
    awaitStatus(delegation, "completed");

    JsonNode all = awaitTitle("online → degraded (runtime_wedged)");
    JsonNode run = one(all, "run");
    JsonNode handed = find(all, "message", "from Lead");
    JsonNode ledger = one(all, "delegation");
    JsonNode degraded = find(all, "status", "online → degraded (runtime_wedged)");

    assertThat(times(all)).isSortedAccordingTo(Comparator.reverseOrder());
    assertThat(handed.path("text").asString()).isEqualTo("review chapter 3");
    assertThat(handed.at("/refs/delegation_id").asString()).isEqualTo(delegation);
    assertThat(handed.at("/refs/message_id").asString()).isEqualTo(delegation);
    assertThat(handed.at("/refs/peer_id").asString()).isEqualTo(lead.id().toString());
    assertThat(cause(handed)).isEqualTo("delegation " + delegation + " true");
    assertThat(ledger.path("id").asString()).isEqualTo(delegation);
    assertThat(ledger.path("title").asString()).isEqualTo("from Lead");
    assertThat(ledger.path("status").asString()).isEqualTo("completed");
    assertThat(ledger.path("duration_ms").isNumber()).isTrue();
    assertThat(run.path("status").asString()).isEqualTo("failed");
    assertThat(run.path("text").asString()).isEqualTo("exit code 2");
    assertThat(cause(run)).isEqualTo("delegation " + delegation + " true");
    assertThat(degraded.path("status").asString()).isEqualTo("degraded");
    assertThat(degraded.path("text").asString()).isEqualTo("SDK hangs");
    assertThat(degraded.at("/refs/seq").asLong()).isPositive();
    assertThat(find(all, "message", "from the canvas").path("status").asString())
        .isEqualTo("stored");
  }

  /** Many agents report a run when it is over: then its start and its end arrive together. */
  @Test
  void saysWhatARunTookAsItsEndSays() {
    report(new RuntimeStart("t", "py", "python"), new RuntimeEnd("t", 0, ms(4200)));
    report(new RuntimeStart("huge", "py", "python"), new RuntimeEnd("huge", 0, RuntimeEnd.MAX_MS));
    report(new RuntimeStart("u", "py", "python"), new RuntimeError("u", "OomKilled", "killed"));

    JsonNode runs = entries("?kinds=run");

    assertThat(runs.path(2).path("duration_ms").asLong()).isEqualTo(4200);
    assertThat(runs.path(1).path("duration_ms").asLong()).isEqualTo(Long.MAX_VALUE);
    assertThat(runs.path(0).path("status").asString()).isEqualTo("errored");
    assertThat(runs.path(0).path("duration_ms").isNull()).isTrue();
  }

  @Test
  void showsTheBeginAndTheEndOfAStall() {
    Map<String, Object> online = Map.of("previous_status", "online", "status", "online");
    SERVER.record(
        new NewEvent(EventType.WORKSPACE_STALLED, agent.id(), online),
        new NewEvent(EventType.WORKSPACE_STALL_ENDED, agent.id(), online));

    awaitTitle("no longer stalled");
    assertThat(entries("?kinds=status").findValuesAsString("title"))
        .startsWith("no longer stalled", "stalled");
  }

  @Test
  void showsAnAnswerBesideItsMessage() {
    String row = send("m-1", "ping").field("activity_id");
    CLIENT.post(
        "/workspaces/" + agent.id() + "/notify",
        agent.token(),
        "{\"message\":\"pong\",\"reply_to\":\"m-1\"}");
    Agent child = CLIENT.createOnline("Child", "\"parent_id\":\"" + agent.id() + "\"");
    CLIENT.post(
        "/workspaces/" + agent.id() + "/a2a",
        child.token(),
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-2\",\"content\":\"done?\"}}}");
    CLIENT.post(
        "/workspaces/" + child.id() + "/a2a",
        agent.token(),
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"m-3\",\"content\":\"yes\",\"metadata\":{\"reply_to\":\"m-2\"}}}}");

    await().until(() -> entries("?kinds=answer").size() == 2);
    JsonNode answer = entries("?kinds=answer").path(0);
    JsonNode byNotification = entries("?kinds=answer").path(1);
    assertThat(byNotification.path("title").asString()).isEqualTo("answered");
    assertThat(byNotification.path("text").isNull()).isTrue();
    assertThat(cause(byNotification)).isEqualTo("message " + row + " true");
    JsonNode message = find(entries(""), "message", "from Child");
    assertThat(answer.path("status").asString()).isEqualTo("ok");
    assertThat(answer.path("title").asString()).isEqualTo("answered");
    assertThat(answer.path("text").asString()).isEqualTo("yes");
    assertThat(cause(answer)).isEqualTo("message " + message.path("id").asString() + " true");
    assertThat(message.path("status").asString()).isEqualTo("answered");
    JsonNode notification = one(entries(""), "notification");
    assertThat(notification.path("text").asString()).isEqualTo("pong");
    assertThat(cause(notification)).isEqualTo("message " + row + " false");
  }

  @Test
  void showsTheEndsOfQueuedMessages() {
    CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"push\"}");
    String queue = send("m-1", "later").field("queue_id");
    assertThat(one(entries(""), "message").path("status").asString()).isEqualTo("waiting");
    assertThat(one(entries(""), "message").at("/refs/queue_id").asString()).isEqualTo(queue);

    CLIENT.post("/admin/a2a-queue/" + queue + "/expire", ADMIN_TOKEN, "");

    JsonNode end = one(entries(""), "queue");
    assertThat(end.path("status").asString()).isEqualTo("expired");
    assertThat(end.at("/refs/queue_id").asString()).isEqualTo(queue);
    assertThat(cause(end)).isEqualTo("message " + queue + " true");
  }

  @Test
  void pagesWithoutGapOrRepeat() {
    for (int i = 0; i < 12; i++) {
      send("m-" + i, "text " + i);
      say(new RuntimeStart("t" + i, "sh", "sh"));
      if (i % 3 == 0) {
        delegate("task " + i);
        CLIENT.heartbeat(agent, "\"error_rate\":0.9");
        CLIENT.heartbeat(agent, "\"error_rate\":0");
      }
    }
    await().until(() -> entries("?kinds=message&limit=500").size() == 16);
    await().until(() -> entries("?kinds=status&limit=500").size() == 10);
    List<String> whole = ids(entries("?limit=500"));

    for (int limit : List.of(1, 2, 7, 30)) {
      List<String> paged = new ArrayList<>();
      String next = "";
      do {
        JsonNode page = read("?limit=" + limit + "&before=" + next).json();
        paged.addAll(ids(page.path("entries")));
        next = page.path("next").asString("");
      } while (!next.isEmpty());

      assertThat(paged).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(whole);
    }
    assertThat(whole).hasSizeGreaterThan(40);
  }

  @Test
  void readsAPartByTimesAndKinds() {
    send("m-1", "first");
    send("m-2", "second");
    send("m-3", "third");
    JsonNode messages = entries("?kinds=message");
    String middle = messages.path(1).path("at").asString();

    assertThat(texts(entries("?kinds=message,run&before=" + encoded(middle))))
        .containsExactly("first");
    assertThat(texts(entries("?kinds=message&after=" + encoded(middle))))
        .containsExactly("third", "second");
    assertThat(texts(entries("?kinds=message&limit=1&before=2999-01-01T00:00:00%2B01:00")))
        .containsExactly("third");
    assertThat(entries("?before=1999-01-01T00:00:00Z").size()).isZero();
    assertThat(entries("?after=2999-01-01T00:00:00Z").size()).isZero();
    assertThat(entries("?kinds=run").size()).isZero();
    assertThat(read("?kinds=run").json().path("next").isNull()).isTrue();
  }

  /** An event gets its number when it is published, some seconds after its time. */
  @Test
  void findsByItsTimeAnEventWithALateNumber() {
    for (String rate : List.of("0.9", "0", "0.9")) {
      CLIENT.heartbeat(agent, "\"error_rate\":" + rate);
    }
    await().until(() -> entries("?kinds=status").size() == 5);
    Instant begin = Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.SECONDS);
    SERVER
        .database()
        .execute(
            """
            UPDATE events SET created_at = '%s'::timestamptz + seconds[own.n] * interval '1 second'
            FROM (SELECT id, row_number() OVER (ORDER BY seq) AS n FROM events WHERE workspace_id = '%s') AS own
            CROSS JOIN (SELECT ARRAY[4, 5, 6, 1, 20] AS seconds) AS times
            WHERE events.id = own.id
            """
                .formatted(begin, agent.id()));

    assertThat(
            entries("?kinds=status&before=" + begin.plusSeconds(3))
                .valueStream()
                .map(one -> one.path("title").asString()))
        .containsExactly("degraded → online");
  }

  /** Those that it reads over are as many as a page and its context. */
  @Test
  void findsAnEventThatGotItsNumberBeforeManyOlderOnes() {
    int older = 21;
    for (int n = 0; n <= older; n++) {
      CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"role\":\"role " + n + "\"}");
    }
    await().until(() -> entries("?kinds=status").size() == 2 + 1 + older);
    Instant begin = Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.SECONDS);
    SERVER
        .database()
        .execute(
            """
            UPDATE events SET created_at = '%s'::timestamptz
                + CASE WHEN own.n < 3 THEN interval '-1 minute' WHEN own.n = 3 THEN interval '0 s' ELSE interval '-5 s' END
            FROM (SELECT id, row_number() OVER (ORDER BY seq) AS n FROM events WHERE workspace_id = '%s') AS own
            WHERE events.id = own.id
            """
                .formatted(begin, agent.id()));

    JsonNode page = read("?kinds=status&limit=1&after=" + begin).json();

    assertThat(page.path("entries").valueStream().map(one -> one.path("at").asString()))
        .containsExactly(begin.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "before=yesterday",
        "before=e1_e2",
        "before=f-1",
        "before=d1.zzzzzzzz-zzzz-zzzz-zzzz-zzzzzzzzzzzz",
        "before=ezzzzzzzzzzzzz",
        "before=_",
        "before=f01_e1",
        "after=e1",
        "kinds=beats",
        "limit=many"
      })
  void refusesWhatItCannotUse(String query) {
    assertRefused(read("?" + query), 400, "VALIDATION_FAILED");
  }

  @Test
  void isForItsOwnAgentAndReadersAlone() {
    String path = "/console/timeline/" + agent.id();
    assertThat(CLIENT.get(path, agent.token()).status()).isEqualTo(200);
    assertRefused(CLIENT.get(path, lead.token()), 403, "FORBIDDEN");
    assertRefused(CLIENT.get(path, null), 401, "UNAUTHENTICATED");
    assertRefused(
        CLIENT.get("/console/timeline/6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a99", ADMIN_TOKEN),
        404,
        "WORKSPACE_NOT_FOUND");
    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);
    assertRefused(CLIENT.get(path, ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
  }

  /** Cards and texts are what agents like to send. */
  @Test
  void readsWhateverAgentsHaveSent() {
    String card = "{\"x\":\"\\u0000\\ud800\",\"n\":1e999999999}";
    CLIENT.post(
        "/registry/update-card",
        agent.token(),
        "{\"workspace_id\":\"" + agent.id() + "\",\"agent_card\":" + card + "}");
    CLIENT.post(
        "/registry/register",
        agent.token(),
        "{\"id\":\"" + agent.id() + "\",\"agent_card\":{\"big\":\"" + "x".repeat(200_000) + "\"}}");
    send("m-1", "\\u0000 \\ud800 {peer} " + "é".repeat(1000));

    await().until(() -> entries("?kinds=status").size() >= 3);
    JsonNode message = one(entries(""), "message");
    assertThat(message.path("text").asString()).hasSize(400).startsWith("\uFFFD");
    assertThat(entries("?kinds=status").valueStream().map(one -> one.path("title").asString()))
        .contains("new agent card");
  }

  @Test
  void passesWhatACanvasOnlyDraws() {
    CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"x\":1,\"y\":2}");
    CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"x\":3,\"role\":\"clerk\"}");
    CLIENT.post("/workspaces/" + agent.id() + "/restart", ADMIN_TOKEN, "{\"reason\":\"hangs\"}");
    CLIENT.delete("/workspaces/" + agent.id() + "/restart", ADMIN_TOKEN);

    awaitTitle("restart withdrawn");
    assertThat(entries("?kinds=status").valueStream().map(one -> one.path("title").asString()))
        .containsExactly(
            "restart withdrawn",
            "restart requested",
            "changed: role, x",
            "awaiting_agent → online",
            "awaiting_agent");
  }

  private static BigInteger ms(long millis) {
    return BigInteger.valueOf(millis);
  }

  private String delegate(String task) {
    Answer answer =
        CLIENT.post(
            "/workspaces/" + lead.id() + "/delegate",
            lead.token(),
            "{\"target_id\":\"" + agent.id() + "\",\"task\":\"" + task + "\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("delegation_id");
  }

  private void reply(String delegation, String text) {
    Answer answer =
        CLIENT.post(
            "/workspaces/" + agent.id() + "/delegations/" + delegation + "/update",
            agent.token(),
            "{\"status\":\"completed\",\"result\":\"" + text + "\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private Answer send(String messageId, String text) {
    return CLIENT.post(
        "/workspaces/" + agent.id() + "/a2a",
        ADMIN_TOKEN,
        "{\"method\":\"message/send\",\"params\":{\"message\":{\"messageId\":\"%s\",\"content\":\"%s\"}}}"
            .formatted(messageId, text));
  }

  private void say(RuntimeEvent... events) {
    for (RuntimeEvent event : events) {
      Answer answer =
          CLIENT.post(
              "/workspaces/" + agent.id() + "/runtime-events", agent.token(), event.encode());
      assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    }
  }

  /** Sends all events in one request. */
  private void report(RuntimeEvent... events) {
    String all =
        Stream.of(events).map(RuntimeEvent::encode).collect(Collectors.joining(",", "[", "]"));
    Answer answer =
        CLIENT.post("/workspaces/" + agent.id() + "/runtime-events", agent.token(), all);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
  }

  private void awaitStatus(String delegation, String status) {
    await()
        .until(() ->
            CLIENT
                .get("/workspaces/" + lead.id() + "/delegations/" + delegation, lead.token())
                .field("status")
                .equals(status));
  }

  private void awaitKinds(String kind) {
    await().until(() -> !entries("?kinds=" + kind).isEmpty());
  }

  private JsonNode awaitTitle(String title) {
    await()
        .until(() ->
            entries("").valueStream().anyMatch(one -> one.path("title").asString().equals(title)));
    return entries("");
  }

  private Answer read(String query) {
    return CLIENT.get("/console/timeline/" + agent.id() + query, ADMIN_TOKEN);
  }

  private JsonNode entries(String query) {
    Answer answer = read(query);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json().path("entries");
  }

  private static JsonNode one(JsonNode entries, String kind) {
    List<JsonNode> found =
        entries.valueStream().filter(one -> one.path("kind").asString().equals(kind)).toList();
    assertThat(found).as(entries.toString()).hasSize(1);
    return found.getFirst();
  }

  private static JsonNode find(JsonNode entries, String kind, String title) {
    return entries
        .valueStream()
        .filter(one -> one.path("kind").asString().equals(kind))
        .filter(one -> one.path("title").asString().equals(title))
        .findFirst()
        .orElseThrow(() -> new AssertionError(entries.toString()));
  }

  private static List<String> ids(JsonNode entries) {
    return entries
        .valueStream()
        .map(one -> one.path("kind").asString() + " " + one.path("id").asString())
        .toList();
  }

  private static List<String> texts(JsonNode entries) {
    return entries.valueStream().map(one -> one.path("text").asString()).toList();
  }

  private static List<Instant> times(JsonNode entries) {
    return entries.valueStream().map(one -> Instant.parse(one.path("at").asString())).toList();
  }

  private static String cause(JsonNode entry) {
    JsonNode cause = entry.path("cause");
    return cause.path("kind").asString("")
        + " "
        + cause.path("id").asString("")
        + " "
        + cause.path("sure").asBoolean(false);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
