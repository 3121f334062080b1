package dev.muster.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.delivery.TestQueue.Queued;
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

/** What waits is delivered when its target has room, in the order of the queue (R7.7). */
@Slow
@Timeout(180)
class QueueOrderTest {

  private static final TestServer SERVER = TestServer.shared();
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

  /** Until the latch opens. */
  private int awaitGoOn(String messageId) throws InterruptedException {
    goOn.await();
    return 200;
  }

  private static List<String> messageIds(Queued... messages) {
    return List.of(messages).stream().map(Queued::messageId).toList();
  }

  private void awaitUnderWay(int messages) {
    Awaitility.await("under way")
        .atMost(TestQueue.TIMEOUT)
        .until(agent::underWay, now -> now == messages);
  }

  /** Claims for the target were made since: a message that nothing is in the way of has come. */
  private void awaitAnotherClaim(Agent target) {
    queue.awaitState(putBeforeABeat(target, queue.senderTo(target), 0, NONE_AT_WORK), "delivered");
  }

  /**
   * Not sent at once, since the agent says that it has no room, until it says how many are at work.
   */
  private Queued putBeforeABeat(Agent target, Agent sender, int priority, String then) {
    client.heartbeat(target, "\"active_tasks\":9");
    Queued queued = queue.put(target, sender, priority);
    client.heartbeat(target, then);
    return queued;
  }

  @Test
  void goesByPriorityAndThenByAge() {
    Agent target = queue.target(agent.url(), 1);
    List<Agent> senders = senders(target, 4);
    Queued low = queue.put(target, senders.get(0), 10);
    Queued middle = queue.put(target, senders.get(1), 50);
    Queued high = queue.put(target, senders.get(2), 100);
    Queued laterHigh = queue.put(target, senders.get(3), 100);
    Queued laterMiddle = queue.put(target);

    client.heartbeat(target);

    queue.awaitState(low, "delivered");
    assertThat(agent.given()).isEqualTo(messageIds(high, laterHigh, middle, laterMiddle, low));
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
  void letsNoMessageOvertakeAnotherOfTheSameSender() {
    Agent target = queue.target(agent.url(), 4);
    Agent sender = queue.senderTo(target);
    List<Queued> ofSender = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ofSender.add(queue.put(target, sender, 50));
    }
    Queued second = ofSender.get(1);
    agent.works(messageId ->
        messageId.equals(second.messageId()) && agent.timesGiven(messageId) == 1 ? 503 : 200);

    client.heartbeat(target);

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> queue.open(second, "owner IS NULL AND attempts = 1"), "t"::equals);
    queue.set(second, "due_at = clock_timestamp() + interval '1 hour'");
    awaitAnotherClaim(target);
    assertThat(queue.of(ofSender.get(2), "q.state || q.attempts")).isEqualTo("waiting0");
    Answer sent = queue.send(target, sender, "newest", 50);
    assertThat(sent.status()).as("goes behind them: " + sent.text()).isEqualTo(202);
    queue.set(second, "due_at = clock_timestamp()");
    client.heartbeat(target);

    queue.awaitState(ofSender.getLast(), "delivered");
    List<String> expected = new ArrayList<>();
    ofSender.forEach(one -> expected.add(one.messageId()));
    expected.add(1, second.messageId());
    assertThat(agent.given().stream().filter(expected::contains)).isEqualTo(expected);
    assertThat(queue.of(second, "q.attempts")).isEqualTo("2");
  }

  /** However urgent the second is. */
  @ParameterizedTest
  @ValueSource(ints = {50, 100})
  void letsOnlyOneMessageOfASenderBeOnItsWay(int priority) {
    Agent target = queue.target(agent.url(), 4);
    Agent sender = queue.senderTo(target);
    Queued first = queue.put(target, sender, 50);
    agent.works(messageId -> messageId.equals(first.messageId()) ? awaitGoOn(messageId) : 200);
    client.heartbeat(target);
    awaitUnderWay(1);

    Queued second = queue.put(target, sender, priority);

    awaitAnotherClaim(target);
    assertThat(queue.of(second, "q.state || q.attempts")).isEqualTo("waiting0");
    assertThat(queue.of(first, "q.state")).isEqualTo("delivering");
    goOn.countDown();
    queue.awaitState(second, "delivered");
    assertThat(agent.timesGiven(first.messageId())).isEqualTo(1);
  }

  /** Delegations count, of which one sender's do not wait for each other. */
  @Test
  void isMadeAsOftenAtOnceAsTheTargetHasFreeSlots() {
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
    awaitUnderWay(2);
    messages.add(putBeforeABeat(target, sender, 100, ONE_AT_WORK));
    client.heartbeat(target, ONE_AT_WORK);
    Agent another = queue.target(agent.url(), 1);
    Queued elsewhere = queue.put(another);
    client.heartbeat(another);
    queue.awaitState(elsewhere, "delivering");
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
    // one of them at the other target
    assertThat(agent.mostAtOnce()).isEqualTo(3);
    assertThat(agent.given()).hasSize(4 + 3 + 1).doesNotHaveDuplicates();
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

  /** Its caller may be at work only because it waits for the result. */
  @Test
  void bringsTheResultOfADelegationToACallerWithoutAFreeSlot() {
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
    Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> agent.given().size() == 1);
    assertThat(agent.timesGiven(message.messageId())).isZero();
    assertThat(queue.of(message, "q.state || q.attempts")).isEqualTo("waiting0");
    client.heartbeat(caller, NONE_AT_WORK);
    queue.awaitState(message, "delivered");
  }

  @Test
  void startsWhatComesInWhileAnotherIsUnderWay() {
    Agent target = queue.target(agent.url(), 2);
    Queued slow = queue.put(target, queue.senderTo(target), 50);
    agent.works(messageId -> messageId.equals(slow.messageId()) ? awaitGoOn(messageId) : 200);
    client.heartbeat(target);
    awaitUnderWay(1);

    Queued quick = putBeforeABeat(target, queue.senderTo(target), 50, NONE_AT_WORK);

    queue.awaitState(quick, "delivered");
    assertThat(queue.of(slow, "q.state")).isEqualTo("delivering");
    goOn.countDown();
    queue.awaitState(slow, "delivered");
  }

  @Test
  void waitsWhileTheTargetIsNotThereOrBusyOrPausedOrNowhere() {
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
    Queued found = awaitAnotherLook();

    assertThat(agent.given()).isEqualTo(messageIds(delivered, found));
    for (Queued one : waiting) {
      assertThat(queue.of(one, "q.state || q.attempts")).isEqualTo("waiting0");
    }

    // a beat tells of room, or makes WORKSPACE_ONLINE
    client.heartbeat(busy, NONE_AT_WORK);
    client.heartbeat(away);
    client.post("/workspaces/" + paused.id() + "/resume", paused.token(), "");
    client.heartbeat(paused);
    for (Queued one : waiting.subList(0, 3)) {
      queue.awaitState(one, "delivered");
    }
  }

  /** What nobody tells of is found too: here a target that has room again. */
  private Queued awaitAnotherLook() {
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
  void backsOffAfterFailuresAndStaysTheSameRow() {
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
    assertThat(queue.open(queued, "deliveries")).as("times that the agent took it").isEqualTo("0");
    assertThat(agent.given()).hasSize(5).containsOnly(queued.messageId());
  }

  /** The pause of the attempt that was made since {@code from}. */
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
  void comesBackByItselfWhenThePauseIsOver() {
    agent.works(messageId -> agent.timesGiven(messageId) == 1 ? 503 : 200);
    Agent target = queue.target(agent.url(), 1);
    Queued queued = queue.put(target);

    client.heartbeat(target);

    queue.awaitState(queued, "delivered");
    Answer shown = queue.show(queued);
    assertThat(
            Duration.between(
                Instant.parse(shown.field("enqueued_at")), Instant.parse(shown.field("ended_at"))))
        .isGreaterThan(ExponentialDelay.delay(0));
    assertThat(shown.json().path("attempts").asInt()).isEqualTo(2);
  }

  /** A replica sends as much at once to one target as it may, however many slots that has. */
  @Test
  void countsNoAttemptWhenThisReplicaSendsTooMuchToTheTarget() {
    agent.works(this::awaitGoOn);
    Agent target = queue.target(agent.url(), 1);
    client.heartbeat(target);
    List<Agent> senders = senders(target, 2);
    Executor threads = Executors.newVirtualThreadPerTaskExecutor();
    List<CompletableFuture<Answer>> sent = new ArrayList<>();
    for (int i = 0; i < DeliverySlots.MAX_DELIVERIES_OF_TARGET; i++) {
      int n = i;
      sent.add(
          CompletableFuture.supplyAsync(
              () -> queue.send(target, senders.get(n % 2), "direct-" + n, 50), threads));
    }
    awaitUnderWay(DeliverySlots.MAX_DELIVERIES_OF_TARGET);

    Queued queued = queue.put(target);

    Awaitility.await("given back untried")
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
