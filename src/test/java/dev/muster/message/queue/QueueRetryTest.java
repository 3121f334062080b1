package dev.muster.message.queue;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.CountingAgent;
import dev.muster.message.flow.DeliverySweep;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Operators retry messages that ended undelivered (R7.7), through two replicas. */
@Slow
@Timeout(180)
class QueueRetryTest {

  private static final int ROUNDS = Rounds.of(5, 15);

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback");

  /** It never sends a message twice that the agent may have got. */
  private static final TestServer CAREFUL =
      TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback", "A2A_RETRY_AMBIGUOUS=false");

  private final TestClient client = ONE.client();
  private final TestQueue queue = TestQueue.of(ONE);
  private final CountingAgent agent;

  QueueRetryTest() throws IOException {
    agent = new CountingAgent();
  }

  @AfterEach
  void stop() throws IOException {
    agent.close();
  }

  @AfterAll
  static void close() {
    ONE.close();
    CAREFUL.close();
  }

  private static Answer operate(TestServer server, Queued queued, String verb) {
    return server.client().post("/admin/a2a-queue/" + queued.id() + "/" + verb, ADMIN_TOKEN, "");
  }

  private static Answer retry(Queued queued) {
    return operate(ONE, queued, "retry");
  }

  private Queued expired(Agent target, @Nullable Agent sender) {
    return ended(queue.put(target, sender, 50), "expire");
  }

  private static Queued ended(Queued queued, String verb) {
    Answer answer = operate(ONE, queued, verb);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return queued;
  }

  /** Ends a message as uncertain: the agent may have got it once. */
  private Queued uncertain(Agent target) {
    Queued queued = queue.put(target);
    queue.set(queued, "deliveries = 1, error = 'it was silent'");
    return ended(queued, "expire");
  }

  private String open(Agent target) {
    return DATABASE.value(
        "SELECT count(*) FROM deliveries WHERE workspace_id = '%s'".formatted(target.id()));
  }

  private List<String> listed(Agent target, String state) {
    return client
        .get("/admin/a2a-queue?target_id=" + target.id() + "&state=" + state, ADMIN_TOKEN)
        .json()
        .valueStream()
        .map(row -> row.path("queue_id").asString())
        .toList();
  }

  private static String audited(Queued queued) {
    return DATABASE.value(
        "SELECT count(*) FROM operator_actions WHERE action LIKE '%%/retry' AND '%s' = ANY (targets)"
            .formatted(queued.id()));
  }

  @ParameterizedTest
  @CsvSource({"expire, expired", "cancel, dropped"})
  void queuesAnEndedMessageAgainUnderItsId(String verb, String state) {
    Agent target = queue.target(agent.url(), 1);
    Agent sender = queue.senderTo(target);
    Queued ended = queue.put(target, sender, 100);
    queue.set(
        ended, "attempts = 3, error = 'refused', expires_at = enqueued_at + interval '1 hour'");
    ended(ended, verb);
    Queued later = queue.put(target, sender, 100);

    Answer answer = retry(ended);

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.field("queue_id")).isEqualTo(ended.id().toString());
    assertThat(answer.field("state")).isEqualTo("waiting");
    assertThat(answer.json().path("priority").asInt()).isEqualTo(100);
    assertThat(answer.json().path("attempts").asInt()).isZero();
    assertThat(answer.json().path("error").isNull()).isTrue();
    assertThat(answer.json().path("ended_at").isNull()).isTrue();
    assertThat(
            Duration.between(
                Instant.parse(answer.field("enqueued_at")),
                Instant.parse(answer.field("expires_at"))))
        .isEqualTo(Duration.ofHours(1));
    assertThat(listed(target, state)).isEmpty();
    assertThat(listed(target, "waiting"))
        .containsExactly(later.id().toString(), ended.id().toString());
    client.heartbeat(target);
    queue.awaitState(ended, "delivered");
    assertThat(agent.received()).containsExactly(later.messageId(), ended.messageId());
    assertThat(queue.show(ended).json().path("answer").toString()).isEqualTo(CountingAgent.ANSWER);
    assertThat(audited(ended)).isEqualTo("1");
  }

  @Test
  void isQueuedOnceByManyOperators() {
    Agent target = queue.target(agent.url(), 1);
    for (int round = 0; round < ROUNDS; round++) {
      Queued ended = expired(target, null);
      List<Answer> answers = Race.run(6, i -> operate(i % 2 == 0 ? ONE : CAREFUL, ended, "retry"));
      for (Answer answer : answers) {
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.field("state")).isEqualTo("waiting");
      }
      assertThat(open(target)).isEqualTo("1");
      ended(ended, "cancel");
    }
    Queued last = expired(target, null);
    Race.run(2, i -> retry(last));
    client.heartbeat(target);
    queue.awaitState(last, "delivered");
    assertThat(agent.received()).containsExactly(last.messageId());
  }

  @Test
  void isDeliveredOnceWhenItsSenderRepeatsIt() {
    for (int round = 0; round < ROUNDS; round++) {
      Agent target = queue.target(agent.url(), 8);
      Queued ended = expired(target, null);
      client.heartbeat(target);
      boolean isFirst = round % 2 == 0;
      Race.run(
          2,
          i -> {
            Answer answer =
                (i == 0) == isFirst
                    ? queue.send(target, null, ended.messageId(), 50)
                    : retry(ended);
            // 404: the sender's own delivery has ended, so the message has left the queue
            assertThat(answer.status()).as(answer.text()).isIn(200, 202, 404, 409);
            return answer;
          });
      Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> "0".equals(open(target)));
      assertThat(agent.timesReceived(ended.messageId())).isEqualTo(1);
      assertThat(queue.of(ended, "m.state")).isEqualTo("answered");
    }
  }

  @Test
  void isRefusedWhileItsSenderHasItDelivered() {
    Agent target = queue.target(agent.url(), 2);
    Queued ended = expired(target, null);
    client.heartbeat(target);
    CountDownLatch answers = new CountDownLatch(1);
    agent.works(id -> {
      answers.await();
      return 200;
    });
    CompletableFuture<Answer> repeated =
        CompletableFuture.supplyAsync(() -> queue.send(target, null, ended.messageId(), 50));
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.inProgress() == 1);

    assertRefused(retry(ended), 409, "DELIVERING");
    answers.countDown();

    assertThat(repeated.join().status()).isEqualTo(200);
    assertThat(agent.received()).containsExactly(ended.messageId());
  }

  @Test
  void isRefusedForARemovedWorkspace() {
    Agent target = queue.target(1);
    Queued ended = expired(target, null);
    client.delete("/workspaces/" + target.id(), ADMIN_TOKEN);
    assertRefused(retry(ended), 410, "WORKSPACE_REMOVED");

    for (int round = 0; round < ROUNDS; round++) {
      Agent removed = queue.target(1);
      Queued raced = expired(removed, null);
      Race.run(
          2,
          i -> i == 0 ? retry(raced) : client.delete("/workspaces/" + removed.id(), ADMIN_TOKEN));
      ONE.bean(DeliverySweep.class).run();
      // the servers' own sweep may hold the row just now
      Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> "0".equals(open(removed)));
    }
  }

  @Test
  void doesNotExceedTheBoundOfTheQueue() {
    Agent target = queue.target(1);
    List<Queued> ended =
        List.of(
            expired(target, null),
            expired(target, null),
            expired(target, null),
            expired(target, null));
    queue.fill(target, 999);

    List<Integer> statuses =
        Race.run(
            6,
            i ->
                i < 4
                    ? retry(ended.get(i)).status()
                    : queue.send(target, null, "new-" + i, 50).status());

    assertThat(open(target)).isEqualTo("1000");
    assertThat(statuses.stream().filter(status -> status < 300)).hasSize(1);
    DATABASE.execute("DELETE FROM deliveries WHERE workspace_id = '" + target.id() + "'");
  }

  @Test
  void isRolledBackAsAWhole() {
    Agent target = queue.target(1);
    Queued ended = expired(target, null);
    DATABASE.execute(
        "ALTER TABLE operator_actions ADD CONSTRAINT no_retry CHECK (action NOT LIKE '%/retry') NOT"
            + " VALID");
    try {
      assertThat(retry(ended).status()).isEqualTo(503);
    } finally {
      DATABASE.execute("ALTER TABLE operator_actions DROP CONSTRAINT no_retry");
    }
    assertThat(queue.of(ended, "q.state")).isEqualTo("expired");
    assertThat(open(target)).isEqualTo("0");

    assertThat(retry(ended).status()).isEqualTo(200);
  }

  @Test
  void refusesTheMessageOfADelegation() {
    Agent target = queue.target(1);
    Agent caller = queue.senderTo(target);
    String delegation = delegate(caller, target);
    Queued carrying = waiting(target);
    ended(carrying, "expire");

    Answer answer = retry(carrying);

    assertRefused(answer, 409, "WRONG_STATE");
    assertThat(answer.field("detail"))
        .isEqualTo(
            "the message is expired and cannot be queued again: it carries the delegation "
                + delegation
                + " (expected: a retry of the delegation while that is in flight, else a new"
                + " delegation by its caller)");
    assertThat(open(target)).isEqualTo("0");
    assertThat(delegation(caller, delegation).path("status").asString()).isEqualTo("failed");
  }

  @Test
  void queuesTheResultOfADelegationAgain() {
    Agent caller = queue.target(agent.url(), 1);
    Agent callee = queue.senderTo(caller);
    String delegation = delegate(caller, callee);
    client.post(
        "/workspaces/" + callee.id() + "/delegations/" + delegation + "/update",
        callee.token(),
        "{\"status\":\"completed\",\"result\":\"Done.\"}");
    Queued result = waiting(caller);
    ended(result, "expire");

    Answer answer = retry(result);

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    client.heartbeat(caller);
    queue.awaitState(result, "delivered");
    assertThat(agent.received()).containsExactly(delegation + ":result");
    assertThat(delegation(caller, delegation).path("status").asString()).isEqualTo("completed");
  }

  private String delegate(Agent caller, Agent callee) {
    return client
        .post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"" + callee.id() + "\",\"task\":\"Do it.\"}")
        .field("delegation_id");
  }

  private JsonNode delegation(Agent caller, String id) {
    return client.get("/workspaces/" + caller.id() + "/delegations/" + id, caller.token()).json();
  }

  private Queued waiting(Agent target) {
    String id =
        Awaitility.await()
            .atMost(TestQueue.TIMEOUT)
            .until(() -> listed(target, "waiting"), ids -> ids.size() == 1)
            .getFirst();
    return new Queued(target.id(), UUID.fromString(id), "");
  }

  @Test
  void refusesWhatTheAgentHasAnswered() {
    Agent target = queue.target(agent.url(), 1);
    agent.works(id -> 422);
    Queued answered = queue.put(target);
    client.heartbeat(target);
    queue.awaitState(answered, "failed");

    Answer refused = retry(answered);

    assertRefused(refused, 409, "WRONG_STATE");
    assertThat(refused.field("detail")).contains("is failed", "has answered it", "a new message");
    assertThat(agent.received()).hasSize(1);
  }

  @Test
  void sendsAnUncertainMessageTwiceOnlyIfThatIsAllowed() {
    Agent target = queue.target(1);
    Queued uncertain = uncertain(target);

    Answer refused = operate(CAREFUL, uncertain, "retry");

    assertRefused(refused, 409, "WRONG_STATE");
    assertThat(refused.field("detail")).contains("A2A_RETRY_AMBIGUOUS=false");
    assertThat(open(target)).isEqualTo("0");
    Answer again = retry(uncertain);
    assertThat(again.status()).as(again.text()).isEqualTo(200);
    assertThat(queue.open(uncertain, "deliveries")).isEqualTo("1");
  }

  @Test
  void leavesItInTheFeedOfAnAgentThatPollsNow() {
    Agent target = queue.target(1);
    Queued ended = expired(target, null);
    client.patch("/workspaces/" + target.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"poll\"}");

    assertThat(retry(ended).status()).isEqualTo(200);

    queue.awaitState(ended, "delivered");
    assertThat(
            client
                .get("/workspaces/" + target.id() + "/activity?type=a2a_receive", target.token())
                .json()
                .path(0)
                .at("/data/message_id")
                .asString())
        .isEqualTo(ended.messageId());
    Answer again = retry(ended);
    assertRefused(again, 409, "WRONG_STATE");
    assertThat(again.field("detail")).contains("in the feed of its agent");
  }
}
