package dev.muster.message.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.CountingAgent;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.QueuedMessage;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Waiting messages are delivered when their target has free slots, in the order of the queue
 * (R7.7).
 */
@Slow
@Timeout(180)
class QueueOrderTest {

  private static final TestServer SERVER = TestServer.shared();

  /** How many deliveries to a target this replica makes at once. */
  private static final int MAX_DELIVERIES_OF_TARGET = 64;

  private static final String ONE_AT_WORK = "\"active_tasks\":1";
  private static final String NONE_AT_WORK = "\"active_tasks\":0";

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final CountingAgent agent;

  QueueOrderTest() throws IOException {
    agent = new CountingAgent();
  }

  @AfterEach
  void close() throws IOException {
    goOn.countDown();
    agent.close();
  }

  /** Holds the answer until the latch opens. */
  private int awaitGoOn(String messageId) throws InterruptedException {
    goOn.await();
    return 200;
  }

  private static List<String> messageIds(Queued... messages) {
    return List.of(messages).stream().map(Queued::messageId).toList();
  }

  private void awaitInProgress(int messages) {
    Awaitility.await("in progress")
        .atMost(TestQueue.TIMEOUT)
        .until(agent::inProgress, now -> now == messages);
  }

  /**
   * Waits until claims for the target were made since: a message without obstacles is delivered.
   */
  private void awaitAnotherClaim(Agent target) {
    queue.awaitState(
        putBeforeAHeartbeat(target, queue.senderTo(target), 0, NONE_AT_WORK), "delivered");
  }

  /**
   * Queues a message while the agent reports no free slot, and then sends the heartbeat {@code
   * then}.
   */
  private Queued putBeforeAHeartbeat(Agent target, Agent sender, int priority, String then) {
    client.heartbeat(target, "\"active_tasks\":9");
    Queued queued = queue.put(target, sender, priority);
    client.heartbeat(target, then);
    return queued;
  }

  @Test
  void ordersByPriorityAndThenByAge() {
    Agent target = queue.target(agent.url(), 1);
    List<Agent> senders = senders(target, 4);
    Queued low = queue.put(target, senders.get(0), 10);
    Queued middle = queue.put(target, senders.get(1), 50);
    Queued high = queue.put(target, senders.get(2), 100);
    Queued laterHigh = queue.put(target, senders.get(3), 100);
    Queued laterMiddle = queue.put(target);

    client.heartbeat(target);

    queue.awaitState(low, "delivered");
    assertThat(agent.received()).isEqualTo(messageIds(high, laterHigh, middle, laterMiddle, low));
    assertThat(agent.mostAtOnce()).isEqualTo(1);
    assertThat(queue.of(low, "concat_ws(' ', m.state, m.deliveries, q.attempts, l.status)"))
        .isEqualTo("answered 1 1 ok");
  }

  private List<Agent> senders(Agent target, int count) {
    List<Agent> senders = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      senders.add(queue.senderTo(target));
    }
    return senders;
  }

  @Test
  void keepsTheOrderOfOneSender() {
    Agent target = queue.target(agent.url(), 4);
    Agent sender = queue.senderTo(target);
    List<Queued> ofSender = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ofSender.add(queue.put(target, sender, 50));
    }
    Queued second = ofSender.get(1);
    agent.works(messageId ->
        messageId.equals(second.messageId()) && agent.timesReceived(messageId) == 1 ? 429 : 200);

    client.heartbeat(target);

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> queue.open(second, "owner IS NULL AND attempts = 1"), "t"::equals);
    queue.set(second, "due_at = clock_timestamp() + interval '1 hour'");
    awaitAnotherClaim(target);
    assertThat(queue.of(ofSender.get(2), "q.state || q.attempts")).isEqualTo("waiting0");
    Answer sent = queue.send(target, sender, "newest", 50);
    assertThat(sent.status()).as("is queued after them: " + sent.text()).isEqualTo(202);
    queue.set(second, "due_at = clock_timestamp()");
    client.heartbeat(target);

    queue.awaitState(ofSender.getLast(), "delivered");
    List<String> expected = new ArrayList<>();
    ofSender.forEach(one -> expected.add(one.messageId()));
    expected.add(1, second.messageId());
    assertThat(agent.received().stream().filter(expected::contains)).isEqualTo(expected);
    assertThat(queue.of(second, "q.attempts")).isEqualTo("2");
  }

  /** Independent of the priority of the second message. */
  @ParameterizedTest
  @ValueSource(ints = {50, 100})
  void deliversOneMessageOfASenderAtATime(int priority) {
    Agent target = queue.target(agent.url(), 4);
    Agent sender = queue.senderTo(target);
    Queued first = queue.put(target, sender, 50);
    agent.works(messageId -> messageId.equals(first.messageId()) ? awaitGoOn(messageId) : 200);
    client.heartbeat(target);
    awaitInProgress(1);

    Queued second = queue.put(target, sender, priority);

    awaitAnotherClaim(target);
    assertThat(queue.of(second, "q.state || q.attempts")).isEqualTo("waiting0");
    assertThat(queue.of(first, "q.state")).isEqualTo("delivering");
    goOn.countDown();
    queue.awaitState(second, "delivered");
    assertThat(agent.timesReceived(first.messageId())).isEqualTo(1);
  }

  /** Delegations use slots too; those of one sender do not wait for each other. */
  @Test
  void usesAsManySlotsAsTheTargetHasFree() {
    agent.works(this::awaitGoOn);
    Agent target = queue.target(agent.url(), 3);
    Agent sender = queue.senderTo(target);
    List<Queued> messages = new ArrayList<>();
    delegate(sender, target);
    delegate(sender, target);
    for (Agent one : senders(target, 3)) {
      messages.add(queue.put(target, one, 50));
    }
    delegate(sender, target);

    client.heartbeat(target, ONE_AT_WORK);
    awaitInProgress(2);
    messages.add(putBeforeAHeartbeat(target, sender, 100, ONE_AT_WORK));
    client.heartbeat(target, ONE_AT_WORK);
    Agent another = queue.target(agent.url(), 1);
    Queued elsewhere = queue.put(another);
    client.heartbeat(another);
    queue.awaitState(elsewhere, "delivering");
    awaitInProgress(3);
    assertThat(delivering(target)).isEqualTo("2");
    assertThat(
            SERVER
                .database()
                .value(
                    "SELECT count(*) FROM deliveries WHERE kind = 'delegation' AND owner IS NOT"
                        + " NULL AND workspace_id = '"
                        + target.id()
                        + "'"))
        .isEqualTo("2");
    goOn.countDown();

    messages.forEach(message -> queue.awaitState(message, "delivered"));
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> open(target), "0"::equals);
    // one of the three is at the other target
    assertThat(agent.mostAtOnce()).isEqualTo(3);
    assertThat(agent.received()).hasSize(4 + 3 + 1).doesNotHaveDuplicates();
  }

  private void delegate(Agent caller, Agent callee) {
    Answer answer =
        client.post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"" + callee.id() + "\",\"task\":\"Do it.\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
  }

  private static String delivering(Agent target) {
    return count(target, "owner IS NOT NULL");
  }

  private static String open(Agent target) {
    return count(target, "true");
  }

  private static String count(Agent target, String condition) {
    return SERVER
        .database()
        .value(
            "SELECT count(*) FROM deliveries WHERE queued AND workspace_id = '%s' AND %s"
                .formatted(target.id(), condition));
  }

  /** The caller may be busy only because it waits for the result. */
  @Test
  void deliversAResultToACallerWithoutAFreeSlot() {
    Agent caller = queue.target(agent.url(), 1);
    Agent callee = queue.senderTo(caller);
    client.heartbeat(callee);
    client.heartbeat(caller, ONE_AT_WORK);
    Queued message = queue.put(caller);
    Answer delegated =
        client.post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"" + callee.id() + "\",\"task\":\"Do it.\"}");
    assertThat(delegated.status()).as(delegated.text()).isEqualTo(202);

    Answer ended =
        client.post(
            "/workspaces/"
                + callee.id()
                + "/delegations/"
                + delegated.field("delegation_id")
                + "/update",
            callee.token(),
            "{\"status\":\"completed\",\"result\":\"It is done.\"}");

    assertThat(ended.status()).as(ended.text()).isEqualTo(200);
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.received().size() == 1);
    assertThat(agent.timesReceived(message.messageId())).isZero();
    assertThat(queue.of(message, "q.state || q.attempts")).isEqualTo("waiting0");
    client.heartbeat(caller, NONE_AT_WORK);
    queue.awaitState(message, "delivered");
  }

  @Test
  void startsAMessageWhileAnotherIsInProgress() {
    Agent target = queue.target(agent.url(), 2);
    Queued slow = queue.put(target, queue.senderTo(target), 50);
    agent.works(messageId -> messageId.equals(slow.messageId()) ? awaitGoOn(messageId) : 200);
    client.heartbeat(target);
    awaitInProgress(1);

    Queued quick = putBeforeAHeartbeat(target, queue.senderTo(target), 50, NONE_AT_WORK);

    queue.awaitState(quick, "delivered");
    assertThat(queue.of(slow, "q.state")).isEqualTo("delivering");
    goOn.countDown();
    queue.awaitState(slow, "delivered");
  }

  @Test
  void waitsWhileTheTargetIsOfflineBusyPausedOrUnreachable() {
    Agent busy = queue.target(agent.url(), 1);
    client.heartbeat(busy, ONE_AT_WORK);
    Agent away = queue.target(agent.url(), 1);
    Agent paused = queue.target(agent.url(), 1);
    Agent nowhere = queue.target(agent.url(), 1);
    List<Queued> waiting =
        List.of(queue.put(busy), queue.put(away), queue.put(paused), queue.put(nowhere));
    client.post("/workspaces/" + paused.id() + "/pause", paused.token(), "");
    SERVER.database().execute("UPDATE workspaces SET url = '' WHERE id = '" + nowhere.id() + "'");
    for (Agent target : List.of(busy, paused, nowhere)) {
      client.heartbeat(target, target.equals(busy) ? ONE_AT_WORK : NONE_AT_WORK);
    }
    Agent there = queue.target(agent.url(), 1);
    Queued delivered = queue.put(there);
    client.heartbeat(there);
    queue.awaitState(delivered, "delivered");
    Queued found = awaitAnotherSweep();

    assertThat(agent.received()).isEqualTo(messageIds(delivered, found));
    for (Queued one : waiting) {
      assertThat(queue.of(one, "q.state || q.attempts")).isEqualTo("waiting0");
    }

    // a heartbeat that reports free slots, or causes WORKSPACE_ONLINE
    client.heartbeat(busy, NONE_AT_WORK);
    client.heartbeat(away);
    client.post("/workspaces/" + paused.id() + "/resume", paused.token(), "");
    client.heartbeat(paused);
    for (Queued one : waiting.subList(0, 3)) {
      queue.awaitState(one, "delivered");
    }
  }

  /** The periodic sweep finds a free slot without an event. */
  private Queued awaitAnotherSweep() {
    Agent target = queue.target(agent.url(), 1);
    client.heartbeat(target, ONE_AT_WORK);
    Queued later = queue.put(target);
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET active_tasks = 0 WHERE workspace_id = '"
                + target.id()
                + "'");
    queue.awaitState(later, "delivered");
    return later;
  }

  @Test
  void pausesAfterFailuresAndKeepsItsRow() {
    Map<String, Integer> refusals = new ConcurrentHashMap<>();
    agent.works(messageId -> refusals.merge(messageId, 1, Integer::sum) % 2 == 0 ? 503 : 429);
    Agent target = queue.target(agent.url(), 1);
    Queued queued = queue.put(target);
    Instant from = Instant.now();
    client.heartbeat(target);
    int[] pauses = {5, 10, 20, 40};
    for (int attempt = 1; attempt <= pauses.length; attempt++) {
      awaitPause(queued, attempt, from, pauses[attempt - 1]);
      assertThat(queue.show(queued).field("error"))
          .startsWith(attempt % 2 == 0 ? "HttpError 503" : "HttpError 429");
      boolean last = attempt == pauses.length;
      from = Instant.now();
      queue.set(queued, (last ? "attempts = 40, " : "") + "due_at = clock_timestamp()");
      client.heartbeat(target);
    }
    awaitPause(queued, 41, from, 300);
    assertThat(queue.open(queued, "deliveries")).as("deliveries to the agent").isEqualTo("0");
    assertThat(agent.received()).hasSize(5).containsOnly(queued.messageId());
  }

  /** Asserts the pause after the attempt that began after {@code from}. */
  private void awaitPause(Queued queued, int attempts, Instant from, int seconds) {
    Answer shown =
        Awaitility.await("attempt " + attempts)
            .atMost(TestQueue.TIMEOUT)
            .until(
                () -> queue.show(queued),
                now ->
                    now.field("state").equals("waiting")
                        && now.json().path("attempts").asInt() == attempts);
    assertThat(Instant.parse(shown.field("next_attempt_at")))
        .isBetween(from.plusSeconds(seconds), Instant.now().plusSeconds(seconds));
  }

  @Test
  void isRetriedAfterThePause() {
    agent.works(messageId -> agent.timesReceived(messageId) == 1 ? 503 : 200);
    Agent target = queue.target(agent.url(), 1);
    Queued queued = queue.put(target);

    client.heartbeat(target);

    queue.awaitState(queued, "delivered");
    Answer shown = queue.show(queued);
    assertThat(
            Duration.between(
                Instant.parse(shown.field("enqueued_at")), Instant.parse(shown.field("ended_at"))))
        .isGreaterThan(QueuedMessage.pauseAfter(0, Optional.empty()));
    assertThat(shown.json().path("attempts").asInt()).isEqualTo(2);
  }

  /** A replica has a bound on its concurrent calls of one target, whatever the target's slots. */
  @Test
  void countsNoAttemptWhenThisReplicaIsAtItsBoundForTheTarget() {
    agent.works(this::awaitGoOn);
    Agent target = queue.target(agent.url(), 1);
    client.heartbeat(target);
    List<Agent> senders = senders(target, 2);
    Executor threads = Executors.newVirtualThreadPerTaskExecutor();
    List<CompletableFuture<Answer>> sent = new ArrayList<>();
    for (int i = 0; i < MAX_DELIVERIES_OF_TARGET; i++) {
      int n = i;
      sent.add(
          CompletableFuture.supplyAsync(
              () -> queue.send(target, senders.get(n % 2), "direct-" + n, 50), threads));
    }
    awaitInProgress(MAX_DELIVERIES_OF_TARGET);

    Queued queued = queue.put(target);

    Awaitility.await("released without an attempt")
        .atMost(TestQueue.TIMEOUT)
        .until(
            () -> queue.open(queued, "owner IS NULL AND due_at > enqueued_at AND attempts = 0"),
            "t"::equals);
    goOn.countDown();
    queue.awaitState(queued, "delivered");
    assertThat(queue.of(queued, "q.attempts")).isEqualTo("1");
    assertThat(sent).allSatisfy(one -> assertThat(one.join().status()).isEqualTo(200));
  }
}
