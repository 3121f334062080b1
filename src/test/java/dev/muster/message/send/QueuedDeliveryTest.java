package dev.muster.message.send;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Refusals;
import dev.muster.testing.Slow;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages that an agent cannot accept now wait in the queue and are delivered later (R7.6, R7.7).
 */
@Slow
@Timeout(90)
class QueuedDeliveryTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final ProxyClient PROXY = new ProxyClient(SERVER);

  private static final String RESULT = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":1}}";

  private TestPeer peer;

  @BeforeEach
  void start() throws IOException {
    peer = TestPeer.start();
    peer.usually(PeerBehavior.answer(200, RESULT));
  }

  @AfterEach
  void stop() throws IOException {
    peer.close();
  }

  /** A claim reads bodies up to 64 KiB; an attempt reads a larger one by itself. */
  @ParameterizedTest
  @ValueSource(ints = {2, 64 << 10, 300_000})
  void deliversWhenTheAgentIsOnline(int characters) {
    Agent agent = awaited();
    String text = "ä".repeat(characters / 2);
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", text));
    assertThat(queued.status()).isEqualTo(202);
    assertThat(queued.text())
        .isEqualTo(
            "{\"status\":\"queued\",\"queued\":true,\"queue_id\":\"%s\",\"queue_depth\":1}"
                .formatted(queued.field("queue_id")));
    assertThat(peer.connections()).isZero();

    CLIENT.heartbeat(agent);

    Answer done = awaitEnd(agent, queued);
    assertThat(done.field("state")).isEqualTo("delivered");
    assertThat(done.json().path("answer").toString()).isEqualTo(RESULT);
    assertThat(peer.deliveries()).hasSize(1);
    assertThat(PROXY.row(done.field("activity_id"), "response_body")).isEqualTo(RESULT);
    assertThat(peer.deliveries().getFirst().text())
        .isEqualTo(PROXY.row(done.field("activity_id"), "request_body"));
  }

  @Test
  void answersADuplicateWithItsCurrentState() {
    Agent agent = awaited();
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi")).text())
        .isEqualTo(queued.text());
    CLIENT.heartbeat(agent);
    awaitEnd(agent, queued);

    Answer again = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.text()).isEqualTo(RESULT);
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void queuesOnlyMessagesThatNeedASlotForAnAgentAtCapacity() {
    Agent agent = awaited();
    CLIENT.heartbeat(agent, "\"active_tasks\":1");

    assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi")).status())
        .isEqualTo(202);
    assertThat(
            PROXY
                .send(
                    agent,
                    ADMIN_TOKEN,
                    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tasks/cancel\",\"params\":{\"id\":\"t\"}}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void keepsTheOrderOfASendersMessages() {
    Agent agent = awaited();
    PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "one"));
    SERVER
        .database()
        .execute(
            "UPDATE deliveries SET due_at = now() + interval '1 hour' WHERE workspace_id = '"
                + agent.id()
                + "'");
    CLIENT.heartbeat(agent);

    Answer second = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-2", "two"));

    assertThat(second.status()).isEqualTo(202);
    assertThat(second.json().path("queue_depth").asInt()).isEqualTo(2);
    assertThat(PROXY.send(agent, agent.token(), ProxyClient.message("own", "three")).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 408, 425, 429, 500, 502, 503, 504})
  void retriesWhatTheAgentHasNotTaken(int status) {
    Agent agent = awaited();
    peer.then(PeerBehavior.answer(status, Map.of(), "{\"error\":\"busy\"}"));
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    CLIENT.heartbeat(agent);

    Answer done = awaitEnd(agent, queued);
    assertThat(done.field("state")).isEqualTo("delivered");
    assertThat(done.json().path("attempts").asInt()).isEqualTo(2);
    assertThat(peer.deliveries()).hasSize(2);
  }

  @Test
  void triesAnErrorOfTheAgentOnceMore() {
    Agent agent = awaited();
    for (int status : new int[] {500, 502, 500, 500}) {
      peer.then(PeerBehavior.answer(status, Map.of(), "{\"error\":\"broken\"}"));
    }
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    CLIENT.heartbeat(agent);

    for (int attempt = 1; attempt < 4; attempt++) {
      String failed = " AND attempts = " + attempt;
      Awaitility.await().until(() -> makeDue(agent, failed), "1"::equals);
    }

    Answer done = awaitEnd(agent, queued);
    assertThat(done.field("state")).isEqualTo("failed");
    assertThat(done.field("error")).startsWith("HttpError 500: broken");
    assertThat(done.json().path("attempts").asInt()).isEqualTo(4);
  }

  /** Makes the message due that waits; returns the number of messages, 0 or 1. */
  private static String makeDue(Agent agent, String condition) {
    return SERVER
        .database()
        .value(
            "WITH due AS (UPDATE deliveries SET due_at = now() WHERE owner IS NULL AND workspace_id"
                + " = '"
                + agent.id()
                + "'"
                + condition
                + " RETURNING seq) SELECT count(*) FROM due");
  }

  @Test
  void respectsWhenTheAgentWantsToBeCalledAgain() {
    Agent agent = awaited();
    peer.then(PeerBehavior.answer(503, Map.of("Retry-After", "200"), "{\"error\":\"busy\"}"));
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    CLIENT.heartbeat(agent);

    String row = "FROM deliveries WHERE workspace_id = '" + agent.id() + "'";
    Awaitility.await()
        .until(
            () -> SERVER.database().value("SELECT coalesce(last_status, 0) " + row), "503"::equals);
    String pause = "SELECT extract(epoch FROM due_at - clock_timestamp())::integer " + row;
    assertThat(Integer.parseInt(SERVER.database().value(pause))).isBetween(20, 200);
    assertThat(makeDue(agent, "")).isEqualTo("1");
    assertThat(awaitEnd(agent, queued).field("state")).isEqualTo("delivered");
  }

  @Test
  void endsWithTheRefusalOfTheAgent() {
    Agent agent = awaited();
    peer.then(PeerBehavior.answer(422, Map.of(), "{\"error\":\"no such skill\"}"));
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    CLIENT.heartbeat(agent);

    Answer done = awaitEnd(agent, queued);
    assertThat(done.field("state")).isEqualTo("failed");
    assertThat(done.field("error")).contains("no such skill");
    assertThat(PROXY.row(done.field("activity_id"), "status || error_detail"))
        .startsWith("errorHttpError 422: no such skill");
    Answer again = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    Refusals.assertRefused(again, 422, "AGENT_HTTP_ERROR");
  }

  @Test
  void leavesWaitingMessagesInTheFeedWhenTheAgentStartsToPoll() {
    Agent agent = awaited();
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    CLIENT.patch("/workspaces/" + agent.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"poll\"}");

    CLIENT.heartbeat(agent);

    assertThat(awaitEnd(agent, queued).field("state")).isEqualTo("delivered");
    assertThat(peer.connections()).isZero();
  }

  @Test
  void endsADroppedMessageAndAcceptsItAgain() {
    Agent agent = awaited();
    Answer queued = PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));
    StoredRows.growOldInQueue(SERVER.database(), agent.id());

    CLIENT.post("/admin/a2a-queue/drop-stale?workspace_id=" + agent.id(), ADMIN_TOKEN, "");

    Answer dropped = awaitEnd(agent, queued);
    assertThat(dropped.field("state")).isEqualTo("dropped");
    assertThat(PROXY.row(dropped.field("activity_id"), "status")).isEqualTo("error");
    CLIENT.heartbeat(agent);
    assertThat(PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi")).text())
        .isEqualTo(RESULT);
    assertThat(peer.deliveries()).hasSize(1);
  }

  @Test
  void isEmptiedWithARemovedWorkspace() {
    Agent agent = awaited();
    PROXY.send(agent, ADMIN_TOKEN, ProxyClient.message("m-1", "hi"));

    CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN);

    assertThat(StoredRows.queue(SERVER.database(), agent.id(), "q.state")).isEqualTo("dropped");
  }

  @ParameterizedTest
  @ValueSource(strings = {"\"priority\":\"high\"", "\"expires_in_seconds\":[]"})
  void refusesQueueOptionsThatAreNotNumbers(String requested) {
    Agent agent = awaited();
    String request =
        ProxyClient.message("m", "hi").replace("\"params\":{", "\"params\":{" + requested + ",");

    Refusals.assertRefused(PROXY.send(agent, ADMIN_TOKEN, request), 400, "VALIDATION_FAILED");
    assertThat(PROXY.rows(agent)).isZero();
  }

  private Agent awaited() {
    return CLIENT.create("Awaited", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
  }

  private static Answer awaitEnd(Agent agent, Answer queued) {
    return Awaitility.await()
        .atMost(java.time.Duration.ofSeconds(60))
        .until(
            () ->
                CLIENT.get(
                    ProxyClient.path(agent.id()) + "/queue/" + queued.field("queue_id"),
                    ADMIN_TOKEN),
            answer -> !answer.json().path("ended_at").isNull());
  }
}
