package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Delegations whose workspaces change while they are in flight (section 8). */
@Slow
@Timeout(90)
class LedgerContractTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);

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

  /** A push agent that has not sent a heartbeat yet. */
  private Agent away(String url) {
    return LEDGER
        .client()
        .create(
            "Away",
            "\"parent_id\":\"" + team.id() + "\"",
            "\"delivery_mode\":\"push\"",
            "\"url\":\"" + url + "\"");
  }

  private String dispatched(Agent callee) {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  private static void change(Agent agent, String fields) {
    Answer answer =
        LEDGER.client().patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{" + fields + "}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /** Waits until the queue states of the agent's messages are these. */
  private static void awaitQueue(Agent target, String states) {
    Awaitility.await()
        .until(() -> StoredRows.queue(SERVER.database(), target.id(), "q.state"), states::equals);
  }

  @Test
  void reachesItsCalleeAtItsNewUrl() throws Exception {
    try (TestPeer former = TestPeer.start()) {
      Agent callee = away(former.url());
      String id = dispatched(callee);

      change(callee, "\"url\":\"" + peer.url() + "\"");
      LEDGER.client().heartbeat(callee);

      LEDGER.await(caller, id, "completed");
      assertThat(former.connections()).isZero();
      assertThat(peer.deliveries()).hasSize(1);
    }
  }

  @Test
  void waitsWhileItsCalleeIsPaused() {
    Agent callee = LEDGER.called(team, peer.url());
    LEDGER.client().post("/workspaces/" + callee.id() + "/pause", callee.token(), "");
    String id = dispatched(callee);
    LEDGER.client().heartbeat(callee);
    assertThat(peer.connections()).isZero();

    LEDGER.client().post("/workspaces/" + callee.id() + "/resume", callee.token(), "");
    LEDGER.client().heartbeat(callee);

    LEDGER.await(caller, id, "completed");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void isDeliveredOnceWhenItsCalleePollsForAWhile() {
    Agent callee = away(peer.url());
    String id = dispatched(callee);

    change(callee, "\"delivery_mode\":\"poll\"");
    LEDGER.client().heartbeat(callee);
    awaitQueue(callee, "delivered");
    assertThat(LEDGER.inbox(callee).size()).isEqualTo(1);
    LEDGER
        .client()
        .post("/workspaces/" + callee.id() + "/activity/ack", callee.token(), "{\"acked_seq\":1}");
    change(callee, "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
    LEDGER.client().heartbeat(callee);

    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
    LEDGER.send(callee, caller, "r", "Done.", "{\"reply_to\":\"" + id + "\"}");
    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("Done.");
    assertThat(peer.connections()).isZero();
  }

  @Test
  void isSentToACalleeThatPolledForAWhileAndReadNothing() {
    Agent callee = away(peer.url());
    String id = dispatched(callee);

    change(callee, "\"delivery_mode\":\"poll\"");
    awaitQueue(callee, "delivered");
    change(callee, "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
    LEDGER.client().heartbeat(callee);

    LEDGER.await(caller, id, "completed");
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void endsByTheReplyOfACalleeThatNowUsesPush() {
    Agent callee = LEDGER.polling(team);
    String id = dispatched(callee);

    change(callee, "\"delivery_mode\":\"push\",\"url\":\"http://127.0.0.1:9/\"");
    LEDGER.send(callee, caller, "r", "Done.", "{\"delegation_id\":\"" + id + "\"}");

    assertThat(LEDGER.read(caller, id).path("result").asString()).isEqualTo("Done.");
    assertThat(LEDGER.inbox(caller).size()).isEqualTo(1);
  }

  private static PeerBehavior answerAfter(CountDownLatch latch, int status, String json) {
    return exchange -> {
      exchange.receive();
      try {
        latch.await(60, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      exchange.answer(
          status,
          Map.of("Content-Type", "application/json"),
          json.getBytes(StandardCharsets.UTF_8));
      return true;
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "422 | {'error':'late'} | failed | in_progress",
        "200 | {'jsonrpc':'2.0','id':1,'error':{'code':-1,'message':'late'}} | delivered |"
            + " in_progress",
        "200 | {'jsonrpc':'2.0','id':1,'result':{'kind':'task','status':{'state':'failed'}}} |"
            + " delivered | in_progress",
        "200 | {'jsonrpc':'2.0','id':1,'result':{'parts':[{'text':'late'}]}} | delivered |"
            + " completed",
      })
  void ignoresTheAnswerToADeliveryThatARetryReplaced(
      int status, String answer, String queued, String then) {
    CountDownLatch late = new CountDownLatch(1);
    peer.then(answerAfter(late, status, answer.replace('\'', '"')));
    Agent callee = LEDGER.called(team, peer.url());
    String id = dispatched(callee);
    peer.awaitDeliveries(1);
    // simulates a lease that expired when the retry came
    LEDGER.set(id, "status = 'in_progress', retry_count = 1, attempt = 2");
    late.countDown();

    awaitQueue(callee, queued);
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo(then);
  }

  @Test
  void staysCancelledWhenAnOperatorRetries() {
    Agent callee = LEDGER.polling(team);
    String id = dispatched(callee);
    LEDGER.update(callee, id, "{\"status\":\"failed\",\"error_kind\":\"Cancelled\"}");

    Answer retry = LEDGER.client().post("/admin/delegations/" + id + "/retry", ADMIN_TOKEN, "");

    assertThat(retry.status()).isEqualTo(409);
    assertThat(retry.field("code")).isEqualTo("INVALID_TRANSITION");
    JsonNode entry =
        LEDGER
            .client()
            .get("/workspaces/" + caller.id() + "/delegations?status=failed", caller.token())
            .json()
            .path(0);
    assertThat(entry.path("error_kind").asString()).isEqualTo("Cancelled");
    assertThat(entry.path("error").asString())
        .isNotBlank()
        .isEqualTo(entry.path("error_detail").asString());
    assertThat(LEDGER.inbox(callee).size()).isEqualTo(1);
  }

  @Test
  void deliversAFailureToAPushCallerOnce() {
    Agent called = LEDGER.called(team, peer.url());
    Agent callee = LEDGER.polling(team);
    String id = LEDGER.delegate(called, callee, "Do it.");
    LEDGER.await(called, id, "dispatched");

    LEDGER.update(callee, id, "{\"status\":\"failed\",\"error\":\"no way\"}");
    LEDGER.update(callee, id, "{\"status\":\"failed\",\"error\":\"again\"}");

    awaitQueue(called, "delivered");
    assertThat(peer.deliveries()).hasSize(1);
    assertThat(peer.deliveries().getFirst().text())
        .contains("\"" + id + ":result\"", "no way")
        .doesNotContain("again");
    JsonNode row = LEDGER.inbox(called).path(0);
    assertThat(row.path("status").asString()).isEqualTo("error");
    assertThat(row.at("/response_body/text").asString()).isEqualTo("no way");
  }

  @Test
  void truncatesPreviews() {
    Agent callee = LEDGER.polling(team);
    String text = "\uD83E\uDD8A".repeat(3000);
    String id = LEDGER.delegate(caller, callee, text);
    LEDGER.await(caller, id, "dispatched");

    LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"" + text + "\"}");

    String sent = "\uD83E\uDD8A".repeat(100);
    assertThat(payload("DELEGATION_SENT").path("task_preview").asString()).isEqualTo(sent);
    assertThat(payload("DELEGATION_COMPLETE").path("response_preview").asString())
        .isEqualTo(sent + sent);
    assertThat(LEDGER.inbox(caller).at("/0/summary").asString())
        .isEqualTo("Delegation result: " + sent + sent);
    JsonNode read = LEDGER.read(caller, id);
    assertThat(read.path("task_preview").asString()).isEqualTo("\uD83E\uDD8A".repeat(1024));
    assertThat(read.path("result_preview").asString()).isEqualTo("\uD83E\uDD8A".repeat(1024));
    assertThat(read.path("result").asString()).isEqualTo(text);
  }

  private JsonNode payload(String type) {
    return LEDGER.client().events(caller.id(), type).at("/0/payload");
  }
}
