package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A change of the delivery mode neither loses nor duplicates messages (R3.2). */
@Slow
@Timeout(120)
class ModeChangeTest {

  private static final TestServer SERVER = TestServer.shared();

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);
  private final CountingAgent agent;

  ModeChangeTest() throws IOException {
    agent = new CountingAgent();
  }

  @AfterEach
  void close() throws IOException {
    agent.close();
  }

  private void change(Agent target, String mode) {
    Answer answer =
        client.patch(
            "/workspaces/" + target.id(),
            ADMIN_TOKEN,
            "{\"delivery_mode\":\"%s\",\"url\":\"%s\"}".formatted(mode, agent.url()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private String sendToFeed(Agent target, String messageId) {
    Answer answer = queue.send(target, null, messageId, 50);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return messageId;
  }

  /** Sends a message whose parameters have one more member. */
  private void sendToFeed(Agent target, String messageId, String param) {
    Answer answer =
        client.post(
            "/workspaces/" + target.id() + "/a2a",
            ADMIN_TOKEN,
            TestQueue.message(messageId, 50).replace("\"priority\":50", param));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /**
   * Returns the ids of the messages that the agent polls from the beginning, with {@code query}
   * added.
   */
  private List<String> poll(Agent target, String query) {
    List<String> found = new ArrayList<>();
    for (JsonNode row :
        client
            .get(
                "/workspaces/" + target.id() + "/activity?type=a2a_receive&order=asc" + query,
                target.token())
            .json()) {
      found.add(row.at("/data/message_id").asString());
    }
    return found;
  }

  /** An agent may say its mode itself, each time it registers. */
  private void register(Agent target, String mode) {
    Answer answer =
        client.post(
            "/registry/register",
            target.token(),
            "{\"id\":\"%s\",\"delivery_mode\":\"%s\",\"url\":\"%s\",\"agent_card\":{\"name\":\"Same\"}}"
                .formatted(target.id(), mode, agent.url()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /** Registers as an agent that cannot say its mode. */
  private void register(Agent target) {
    Answer answer =
        client.post(
            "/registry/register",
            target.token(),
            "{\"id\":\"%s\",\"url\":\"%s\",\"agent_card\":{\"name\":\"Same\"}}"
                .formatted(target.id(), agent.url()));
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"by the agent", "by an operator", "with the url of a registration"})
  void deliversUnreadMessagesAfterAChangeToPush(String how) {
    boolean isSaid = !how.equals("with the url of a registration");
    Agent target = client.create("Polling", isSaid ? "\"delivery_mode\":\"poll\"" : "\"tier\":3");
    assertThat(
            client
                .post(
                    "/registry/register",
                    target.token(),
                    "{\"id\":\"%s\",\"agent_card\":{}}".formatted(target.id()))
                .field("delivery_mode"))
        .isEqualTo("poll");
    sendToFeed(target, "read");
    String last =
        client
            .get("/workspaces/" + target.id() + "/activity?type=a2a_receive", target.token())
            .json()
            .path(0)
            .path("id")
            .asString();
    assertThat(poll(target, "&since_id=" + last)).isEmpty();
    sendToFeed(target, "unread 1");
    sendToFeed(target, "unread 2");

    switch (how) {
      case "by the agent" -> register(target, "push");
      case "by an operator" -> change(target, "push");
      default -> register(target);
    }

    client.heartbeat(target);
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.received().size() >= 2);
    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(
            () ->
                SERVER
                    .database()
                    .value(
                        "SELECT count(*) FROM deliveries WHERE workspace_id = '"
                            + target.id()
                            + "'"),
            "0"::equals);
    assertThat(agent.received()).containsExactly("unread 1", "unread 2");
  }

  /** Wrong options are those of nobody: a poll agent has no queue. */
  @Test
  void messagesWaitAsTheirSendersWanted() {
    Agent target = client.create("Polling", "\"delivery_mode\":\"poll\"");
    sendToFeed(target, "usual", "\"metadata\":{}");
    sendToFeed(target, "urgent", "\"priority\":100");
    sendToFeed(target, "brief", "\"expires_in_seconds\":600");
    sendToFeed(target, "wrong", "\"priority\":\"high\"");
    sendToFeed(target, "over", "\"expires_in_seconds\":5");
    SERVER
        .database()
        .execute(
            """
            UPDATE activity_logs SET created_at = created_at - interval '5 s', expires_at = expires_at - interval '5 s'
            WHERE workspace_id = '%s'
            """
                .formatted(target.id()));

    change(target, "push");

    assertThat(
            SERVER
                .database()
                .value(
                    """
                    SELECT string_agg(l.message_id || ' ' || d.priority || ' '
                        || extract(epoch FROM d.expires_at - l.created_at)::integer, ', ' ORDER BY d.seq)
                    FROM deliveries d JOIN activity_logs l USING (workspace_id, seq)
                    WHERE d.workspace_id = '%s'
                    """
                        .formatted(target.id())))
        .isEqualTo("usual 50 86400, urgent 100 86400, brief 50 600, wrong 50 86400");
  }

  /** The replica's cache still has the old mode of the target. */
  @Test
  void appliesToTheNextMessage() {
    Agent target = client.createOnline("Polling", "\"delivery_mode\":\"poll\"");
    sendToFeed(target, "before");

    change(target, "push");

    Answer answer = queue.send(target, null, "after", 50);
    assertThat(answer.status()).as(answer.text()).isIn(200, 202);
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.timesReceived("after") == 1);
  }

  @Test
  void leavesWaitingMessagesInTheFeedAfterAChangeToPoll() {
    Agent target = queue.target(agent.url(), 1);
    client.heartbeat(target);
    assertThat(queue.send(target, null, "answered", 50).text()).isEqualTo(CountingAgent.ANSWER);
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET status = 'offline' WHERE workspace_id = '"
                + target.id()
                + "'");
    Queued waiting = queue.put(target);

    change(target, "poll");

    queue.awaitState(waiting, "delivered");
    assertThat(poll(target, "")).containsExactly(waiting.messageId());
    assertThat(queue.show(waiting).field("state")).isEqualTo("delivered");
    assertThat(agent.received()).containsExactly("answered");
  }

  /** The agent answered by a message of its own while the message still waited. */
  @Test
  void keepsAStoredAnswer() {
    Agent target = queue.target(1);
    Agent sender = queue.senderTo(target);
    Queued queued = queue.put(target, sender, 50);
    answer(target, sender, queued, "first");

    change(target, "poll");

    answer(target, sender, queued, "second");
    String row = queue.of(queued, "l.response_body::text || ' ' || l.status || ' ' || m.state");
    assertThat(row).contains("first", " ok answered").doesNotContain("second");
    assertThat(queue.show(queued).text()).contains("first").doesNotContain("second");
  }

  /** A mode that nobody said follows the url that an operator takes away. */
  @Test
  void leavesWaitingMessagesInTheFeedWhenTheUrlGoes() {
    Agent target = client.create("Called", "\"url\":\"" + agent.url() + "\"");
    Queued waiting = queue.put(target);

    Answer answer = client.patch("/workspaces/" + target.id(), ADMIN_TOKEN, "{\"url\":\"\"}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    queue.awaitState(waiting, "delivered");
    assertThat(poll(target, "")).containsExactly(waiting.messageId());
  }

  /** This replica's cache has the target as it was before the pause. */
  @Test
  void acceptsMessagesToAPausedAgentThatNowPolls() {
    Agent target = queue.target(agent.url(), 1);
    client.post("/workspaces/" + target.id() + "/pause", ADMIN_TOKEN, "");
    assertThat(queue.send(target, null, "refused", 50).status()).isEqualTo(503);

    change(target, "poll");

    sendToFeed(target, "taken");
    assertThat(poll(target, "")).containsExactly("taken");
  }

  /** This replica's cache has the target as a poll agent. */
  @Test
  void answersADuplicateWithTheOutcomeAtAnAgentThatNowUsesPush() {
    Agent target = client.createOnline("Polling", "\"delivery_mode\":\"poll\"");
    sendToFeed(target, "repeated");

    change(target, "push");

    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.timesReceived("repeated") == 1);
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> openOf(target), "0"::equals);
    assertThat(queue.send(target, null, "repeated", 50).text()).isEqualTo(CountingAgent.ANSWER);
  }

  /** Its delivery began before the agent began to poll, and the agent refused it as busy. */
  @Test
  void leavesReleasedMessagesInTheFeedOfAnAgentThatNowPolls() {
    CountDownLatch answered = new CountDownLatch(1);
    agent.works(messageId -> {
      answered.await();
      return 503;
    });
    Agent target = queue.target(agent.url(), 1);
    Queued queued = queue.put(target);
    client.heartbeat(target);
    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> agent.timesReceived(queued.messageId()) == 1);

    change(target, "poll");
    answered.countDown();

    queue.awaitState(queued, "delivered");
    assertThat(queue.of(queued, "m.state || ' ' || l.status")).isEqualTo("in_feed ok");
    assertThat(poll(target, "")).containsExactly(queued.messageId());
    assertThat(agent.received()).containsExactly(queued.messageId());
  }

  /** Its delivery began before the agent polled for a moment, and is stored during the change. */
  @Test
  void sendsNoMessageAgainThatIsAnsweredDuringTheChange() throws Exception {
    CountDownLatch answered = new CountDownLatch(1);
    agent.works(messageId -> {
      answered.await();
      return 200;
    });
    Agent target = queue.target(agent.url(), 1);
    client.heartbeat(target);
    CompletableFuture<Answer> sent = later(() -> queue.patient().send(target, null, "once", 50));
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.timesReceived("once") == 1);
    change(target, "poll");

    CompletableFuture<Void> changed;
    try (Connection other = SERVER.database().connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          """
          INSERT INTO delivery_outcomes (workspace_id, seq, state, deliveries, answer_status, answer_type, listed_bytes, ended_at,
              kind, priority, attempts, enqueued_at, expires_at)
          VALUES ('%s', 1, 'refused', 0, 503, '', 0, now(), 'message', 50, 0, now(), now())
          """
              .formatted(target.id())); // keeps the outcome from being stored
      answered.countDown();
      awaitLockWait("WITH ended AS");
      changed =
          later(() -> {
            change(target, "push");
            return null;
          });
      awaitLockWait("row_number() OVER (ORDER BY l.seq)");
      other.rollback();
    }
    changed.join();

    assertThat(sent.join().text()).isEqualTo(CountingAgent.ANSWER);
    assertThat(openOf(target)).isEqualTo("0");
    assertThat(agent.received()).containsExactly("once");
  }

  private static <T> CompletableFuture<T> later(Supplier<T> request) {
    return CompletableFuture.supplyAsync(request, Thread::startVirtualThread);
  }

  private static void awaitLockWait(String statement) {
    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> SERVER.database().lockWaits(statement) > 0);
  }

  private static String openOf(Agent target) {
    return SERVER
        .database()
        .value("SELECT count(*) FROM deliveries WHERE workspace_id = '" + target.id() + "'");
  }

  private void answer(Agent target, Agent sender, Queued queued, String text) {
    Answer reply =
        client.post(
            "/workspaces/" + sender.id() + "/a2a",
            target.token(),
            """
            {"method":"message/send","params":{"message":{"messageId":"%s","parts":[{"kind":"text","text":"%1$s"}],
            "metadata":{"reply_to":"%s"}}}}
            """
                .formatted(text, queued.messageId()));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
  }
}
