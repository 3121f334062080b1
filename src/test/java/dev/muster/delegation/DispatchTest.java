package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.FreePorts;
import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** How delegations reach their callees, and how answers end them (R8.3, R8.7). */
@Slow
@Timeout(90)
class DispatchTest {

  private static final Delegations LEDGER = new Delegations(TestServer.shared());

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private TestPeer peer;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  /** A push agent that never sent a heartbeat. */
  private Agent away() {
    return LEDGER
        .client()
        .create(
            "Away",
            "\"parent_id\":\"" + team.id() + "\"",
            "\"delivery_mode\":\"push\"",
            "\"url\":\"" + peer.url() + "\"");
  }

  private static String result(String json) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + json.replace('\'', '"') + "}";
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'kind':'message','parts':[{'kind':'text','text':'a'},{'type':'text','text':'b'}]} | a;b",
        "{'kind':'task','status':{'state':'completed','message':{'parts':[{'kind':'text','text':'c'}]}}}"
            + " | c",
        "{'kind':'task','status':{'state':'completed'},'artifacts':[{'parts':[{'kind':'text','text':'d'}]},{'parts':[{'text':'e'}]}]}"
            + " | d;e",
        "{'task':{'status':{'state':'TASK_STATE_COMPLETED'},'artifacts':[{'parts':[{'text':'f'}]}]}}"
            + " | f",
        "{'message':{'parts':[{'text':'g'}]}} | g",
        "{'id':'t','status':{'state':'COMPLETED','message':{'parts':[{'text':'h'}]}}} | h",
      })
  void completesWithTheTextOfTheAnswer(String answer, String text) {
    peer.usually(PeerBehavior.answer(200, result(answer)));
    Agent callee = LEDGER.called(team, peer.url());

    String id = LEDGER.delegate(caller, callee, "Do it.");

    JsonNode done = LEDGER.await(caller, id, "completed");
    assertThat(done.path("result").asString()).isEqualTo(text.replace(';', '\n'));
    assertThat(peer.deliveries()).hasSize(1);
    assertThat(peer.deliveries().getFirst().text())
        .contains("\"messageId\":\"" + id + "\"", "\"delegation_id\":\"" + id + "\"", "Do it.");
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(1);
  }

  @Test
  void completesWithTheRawAnswerWhenThatHasNoText() {
    String raw = result("{'n':1}");
    peer.usually(PeerBehavior.answer(200, raw));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    assertThat(LEDGER.await(caller, id, "completed").path("result").asString()).isEqualTo(raw);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "submitted",
        "working",
        "input-required",
        "auth-required",
        "unknown",
        "TASK_STATE_WORKING",
        "Working",
        "input_required",
        "TASK_STATE_UNSPECIFIED",
        "paused",
        "timeout",
        "error",
        ""
      })
  void isInProgressLikeTheTask(String state) {
    peer.usually(
        PeerBehavior.answer(
            200,
            result(
                "{'kind':'task','status':{'state':'"
                    + state
                    + "','message':{'parts':[{'kind':'text','text':'On it.'}]}}}")));
    Agent callee = LEDGER.called(team, peer.url());

    String id = LEDGER.delegate(caller, callee, "Do it.");

    LEDGER.await(caller, id, "in_progress");
    LEDGER.send(callee, caller, "reply-" + id, "At last.", "{\"delegation_id\":\"" + id + "\"}");
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("At last.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "202 | {'status':'queued','task':'7'}",
        "202 | {}",
        "202 | {'jsonrpc':'2.0','id':1,'result':{'kind':'message','parts':[{'text':'Later.'}]}}",
        "200 | {'status':'queued','delivery_mode':'poll'}",
        "200 | {'jsonrpc':'2.0','id':1,'result':{'status':'queued'}}",
      })
  void isInProgressAfterAReceipt(int status, String receipt) {
    peer.usually(PeerBehavior.answer(status, receipt.replace('\'', '"')));
    Agent callee = LEDGER.called(team, peer.url());

    String id = LEDGER.delegate(caller, callee, "Do it.");

    LEDGER.await(caller, id, "in_progress");
    assertThat(LEDGER.read(caller, id).path("result").isNull()).isTrue();
    LEDGER.send(callee, caller, "reply-" + id, "At last.", "{\"delegation_id\":\"" + id + "\"}");
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("At last.");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void completesWithTheLastEventOfAStream() {
    peer.usually(
        PeerBehavior.events(
            result("{'kind':'task','status':{'state':'working'}}"),
            result(
                "{'kind':'status-update','final':true,'status':{'state':'completed','message':{'parts':[{'kind':'text','text':'Done.'}]}}}")));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    assertThat(LEDGER.await(caller, id, "completed").path("result").asString()).isEqualTo("Done.");
  }

  @Test
  void failsAtOnceWhenTheAnswerIsNoHttp() {
    peer.usually(PeerBehavior.sendAndClose("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    assertThat(LEDGER.await(caller, id, "failed").path("error_detail").asString())
        .startsWith("MalformedAnswer: ");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "failed",
        "canceled",
        "cancelled",
        "rejected",
        "Failed",
        "TASK_STATE_REJECTED",
        "TASK_STATE_CANCELLED"
      })
  void failsWithTheTask(String state) {
    peer.usually(
        PeerBehavior.answer(
            200,
            result(
                "{'kind':'task','status':{'state':'"
                    + state
                    + "','message':{'parts':[{'kind':'text','text':'no way'}]}}}")));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    assertThat(LEDGER.await(caller, id, "failed").path("error_detail").asString())
        .contains(state, "no way");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "422 | {'error':'out of memory'} | out of memory",
        "404 | {} | 404",
        "200 | {'jsonrpc':'2.0','id':1,'error':{'code':-32000,'message':'I will not'}} | I will"
            + " not",
        "200 | <html> | JSON",
        "200 | {} | neither a result nor an error",
        "200 | [] | neither a result nor an error",
        "200 | {'jsonrpc':'2.0','id':1,'result':null} | neither a result nor an error",
        "200 | {'ok':true} | neither a result nor an error",
      })
  void failsAtOnceWithTheErrorOfTheAgent(int status, String body, String error) {
    peer.usually(PeerBehavior.answer(status, body.replace('\'', '"')));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    JsonNode failed = LEDGER.await(caller, id, "failed");
    assertThat(failed.path("error_detail").asString()).contains(error);
    assertThat(peer.deliveries()).hasSize(1);
    JsonNode result = LEDGER.inbox(caller).path(0);
    assertThat(result.path("status").asString()).isEqualTo("error");
    assertThat(result.at("/data/text").asString())
        .isEqualTo(failed.path("error_detail").asString());
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 429, 500, 502, 503, 504})
  void staysDispatchedWhileTheAgentDoesNotTakeIt(int status) {
    peer.then(PeerBehavior.answer(status, "{\"error\":\"not yet\"}"));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    LEDGER.await(caller, id, "completed");
    assertThat(LEDGER.events(caller, id)).doesNotContain("DELEGATION_FAILED");
    assertThat(peer.deliveries())
        .hasSize(2)
        .allMatch(one -> one.text().contains("\"messageId\":\"" + id + "\""));
  }

  @Test
  void failsAfterTheSecondErrorOfTheAgent() {
    peer.usually(PeerBehavior.answer(500, "{\"error\":\"out of memory\"}"));

    String id = LEDGER.delegate(caller, LEDGER.called(team, peer.url()), "Do it.");

    assertThat(LEDGER.await(caller, id, "failed").path("error_detail").asString())
        .startsWith("HttpError 500: out of memory");
    assertThat(peer.deliveries()).hasSize(2);
  }

  @Test
  void staysDispatchedUntilTheAgentIsOnline() {
    Agent callee = away();

    String id = LEDGER.delegate(caller, callee, "Do it.");

    LEDGER.await(caller, id, "dispatched");
    assertThat(peer.connections()).isZero();
    LEDGER.client().heartbeat(callee);
    LEDGER.await(caller, id, "completed");
  }

  @Test
  void isInProgressWhenTheAgentDoesNotAnswerInTime() {
    peer.usually(PeerBehavior.silence());
    Agent callee = LEDGER.called(team, peer.url());
    LEDGER.client().heartbeat(callee, "\"runtime_metadata\":{\"idle_timeout_seconds\":1}");

    String id = LEDGER.delegate(caller, callee, "Do it.");

    LEDGER.await(caller, id, "in_progress");
    assertThat(LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"done\"}").status())
        .isEqualTo(200);
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void retriesUnderTheSameIdWhenTheConnectionBreaks() {
    peer.then(PeerBehavior.resetAfterRequest());
    Agent callee = LEDGER.called(team, peer.url());

    String id = LEDGER.delegate(caller, callee, "Do it.");

    LEDGER.await(caller, id, "completed");
    assertThat(peer.deliveries())
        .hasSizeGreaterThan(1)
        .allMatch(one -> one.text().contains("\"messageId\":\"" + id + "\""));
  }

  @Test
  void waitsInTheFeedOfAPollAgentForItsReply() {
    Agent callee = LEDGER.polling(team);

    String id = LEDGER.delegate(caller, callee, "Do it.");

    LEDGER.await(caller, id, "dispatched");
    JsonNode asked = LEDGER.inbox(callee).path(0);
    assertThat(asked.at("/data/message_id").asString()).isEqualTo(id);
    assertThat(asked.at("/data/delegation_id").asString()).isEqualTo(id);
    assertThat(asked.at("/data/text").asString()).isEqualTo("Do it.");
    assertThat(asked.path("source_id").asString()).isEqualTo(caller.id().toString());

    LEDGER.send(callee, caller, "r-1", "Done.", "{\"delegation_id\":\"" + id + "\"}");

    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("completed");
    JsonNode inbox = LEDGER.inbox(caller);
    assertThat(inbox.size()).isEqualTo(1);
    assertThat(inbox.at("/0/data/message_id").asString()).isEqualTo("r-1");
    assertThat(LEDGER.inbox(callee).at("/0/response_body/result/parts/0/text").asString())
        .isEqualTo("Done.");
  }

  @Test
  void endsByAReplyToItsMessage() {
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");

    LEDGER.send(callee, caller, "r-1", "Done.", "{\"reply_to\":\"" + id + "\"}");

    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("Done.");
  }

  @Test
  void storesAReplyAfterTheEndAsAnOrdinaryMessage() {
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"first\"}");

    LEDGER.send(callee, caller, "r-1", "second", "{\"delegation_id\":\"" + id + "\"}");

    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("first");
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(2);
    assertThat(LEDGER.events(caller, id).stream().filter("DELEGATION_COMPLETE"::equals)).hasSize(1);
  }

  @Test
  void isNotEndedByMessagesOfOtherWorkspaces() {
    Agent callee = LEDGER.polling(team);
    Agent other = LEDGER.polling(team);
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");

    LEDGER.send(other, caller, "r-1", "Done.", "{\"delegation_id\":\"" + id + "\"}");
    LEDGER.send(caller, callee, "r-2", "Done.", "{\"delegation_id\":\"" + id + "\"}");

    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
  }

  @Test
  void notifiesAPushCallerOnce() {
    Agent pushed = LEDGER.called(team, peer.url(), "\"max_concurrent_tasks\":1");
    LEDGER.client().heartbeat(pushed, "\"active_tasks\":1");
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(pushed, callee, "Do it.");

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"Here.\"}");

    String text = peer.awaitDeliveries(1).getFirst().text();
    assertThat(text)
        .contains(
            "\"messageId\":\"" + id + ":result\"", "\"delegation_id\":\"" + id + "\"", "Here.");
    Awaitility.await().until(() -> queueState(pushed), "delivered"::equals);
    JsonNode row = LEDGER.inbox(pushed).path(0);
    assertThat(row.at("/response_body/text").asString()).isEqualTo("Here.");
    assertThat(row.path("status").asString()).isEqualTo("ok");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void deliversAResultUntilTheCallerAnswers() {
    for (int status : new int[] {400, 502}) {
      peer.then(PeerBehavior.answer(status, "{\"error\":\"not yet\"}"));
    }
    Agent pushed = LEDGER.called(team, peer.url());
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(pushed, callee, "Do it.");

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"Here.\"}");

    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              LEDGER.client().heartbeat(pushed);
              return queueState(pushed);
            },
            "delivered"::equals);
    assertThat(peer.deliveries()).hasSize(3);
    assertThat(LEDGER.inbox(pushed).path(0).path("status").asString()).isEqualTo("ok");
  }

  @Test
  void showsThatTheCallerRefusesAResult() {
    peer.usually(
        PeerBehavior.answer(200, "{\"error\":{\"code\":-32600,\"message\":\"I will not\"}}"));
    Agent pushed = LEDGER.called(team, peer.url());
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(pushed, callee, "Do it.");

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"Here.\"}");

    Awaitility.await().until(() -> queueState(pushed), "failed"::equals);
    JsonNode row = LEDGER.inbox(pushed).path(0);
    assertThat(row.path("status").asString()).isEqualTo("error");
    assertThat(row.path("error_detail").asString()).startsWith("JsonRpcError -32600: I will not");
    assertThat(row.at("/response_body/text").asString()).isEqualTo("Here.");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deliversAReplyToACallerThatWasOffline(boolean isPaused) throws IOException {
    int port = isPaused ? peer.port() : FreePorts.next();
    Agent pushed = LEDGER.called(team, "http://127.0.0.1:" + port + "/");
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(pushed, callee, "Do it.");
    String workspace = "/workspaces/" + pushed.id();
    if (isPaused) {
      assertThat(LEDGER.client().post(workspace + "/pause", ADMIN_TOKEN, "").status())
          .isEqualTo(200);
    }

    Answer reply =
        LEDGER.send(callee, pushed, "reply", "Here.", "{\"delegation_id\":\"" + id + "\"}");

    assertThat(reply.status()).as(reply.text()).isEqualTo(202);
    assertThat(LEDGER.await(pushed, id, "completed").path("result").asString()).isEqualTo("Here.");
    if (isPaused) {
      assertThat(peer.deliveries()).isEmpty();
      assertThat(LEDGER.client().post(workspace + "/resume", ADMIN_TOKEN, "").status())
          .isEqualTo(200);
    }
    try (TestPeer back = isPaused ? peer : TestPeer.startOn(port)) {
      LEDGER.client().heartbeat(pushed);
      Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> back.deliveries().size() == 1);
      assertThat(back.deliveries().getFirst().text()).contains("\"messageId\":\"reply\"", "Here.");
      Awaitility.await().until(() -> queueState(pushed), "delivered"::equals);
      assertThat(back.deliveries()).hasSize(1);
    }
    assertThat(LEDGER.inbox(pushed).size()).isEqualTo(1);
  }

  @Test
  void notifiesACallerThatPollsMeanwhile() {
    Agent waiting = away();
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(waiting, callee, "Do it.");
    LEDGER.await(waiting, id, "dispatched");
    LEDGER.update(callee, id, "{\"status\":\"failed\",\"error\":\"no\"}");
    LEDGER
        .client()
        .patch("/workspaces/" + waiting.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"poll\"}");

    LEDGER.client().heartbeat(waiting);

    Awaitility.await().until(() -> queueState(waiting), "delivered"::equals);
    JsonNode row = LEDGER.inbox(waiting).path(0);
    assertThat(row.path("status").asString()).isEqualTo("error");
    assertThat(row.path("error_detail").asString()).isEqualTo("no");
    assertThat(peer.connections()).isZero();
  }

  private static String queueState(Agent target) {
    return StoredRows.queue(LEDGER.server().database(), target.id(), "q.state");
  }

  @Test
  void isNotDeliveredAfterItsEnd() {
    Agent callee = away();
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    LEDGER.update(caller, id, "{\"status\":\"failed\",\"error\":\"not needed\"}");

    LEDGER.client().heartbeat(callee);

    Awaitility.await().until(() -> queueState(callee), "dropped"::equals);
    assertThat(peer.connections()).isZero();
  }

  @Test
  void endsWhenAnOperatorDropsItsMessage() {
    Agent callee = away();
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    StoredRows.growOldInQueue(LEDGER.server().database(), callee.id());

    LEDGER
        .client()
        .post("/admin/a2a-queue/drop-stale?workspace_id=" + callee.id(), ADMIN_TOKEN, "");

    assertThat(LEDGER.read(caller, id).path("error_detail").asString()).contains("operator");
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(1);
  }
}
