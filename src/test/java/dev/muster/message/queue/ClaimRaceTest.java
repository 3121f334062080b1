package dev.muster.message.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.DelegationMessage;
import dev.muster.message.DelegationMessageOutcome;
import dev.muster.message.flow.CountingAgent;
import dev.muster.message.flow.QueueCompletion;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.Completions;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.DeliveryOutcome;
import dev.muster.message.store.DeliveryOutcome.OutcomeState;
import dev.muster.message.store.MessageStore;
import dev.muster.message.store.Messages;
import dev.muster.message.store.ProxyResponse;
import dev.muster.message.store.QueueRepository;
import dev.muster.message.store.QueueRepository.Claimed;
import dev.muster.message.store.QueueState;
import dev.muster.message.store.QueuedMessage;
import dev.muster.message.store.ReplicaLease;
import dev.muster.testing.Race;
import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Replicas that claim deliveries of one target's queue at the same moment (R7.7). */
@Slow
@Tag("sql")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the servers of ClaimRaceTest")
class ClaimRaceTest {

  private static final int MESSAGES = Rounds.of(30, 60);
  private static final int SENDERS = 12;
  private static final Duration TIMEOUT = Duration.ofSeconds(90);

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback");
  private static final TestServer OTHER = TestServer.startOn(DATABASE, "AGENT_URL_ALLOW=loopback");
  private static final List<TestServer> REPLICAS = List.of(ONE, OTHER);

  private final TestQueue queue = TestQueue.of(ONE);
  private final CountingAgent agent;

  ClaimRaceTest() throws IOException {
    agent = new CountingAgent();
  }

  @AfterEach
  void end() throws IOException {
    REPLICAS.stream()
        .map(replica -> replica.bean(QueueWorker.class))
        .filter(worker -> !worker.isRunning())
        .forEach(QueueWorker::start);
    agent.close();
  }

  @AfterAll
  static void close() {
    ONE.close();
    OTHER.close();
  }

  private List<Queued> queueFor(Agent target) {
    List<Agent> senders = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      senders.add(queue.senderTo(target));
    }
    List<Queued> queued = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      queued.add(queue.put(target, senders.get(i % SENDERS), i % 3 == 0 ? 100 : 50));
    }
    return queued;
  }

  private static String count(Agent target, String table, String condition) {
    return DATABASE.value(
        "SELECT count(*) FROM %s WHERE workspace_id = '%s' AND %s"
            .formatted(table, target.id(), condition));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void sendsEachMessageOnceAndNoMoreAtOnceThanThereAreSlots(int slots) {
    Agent target = queue.target(agent.url(), slots);
    List<Queued> queued = queueFor(target);

    Race.run(
        4,
        racer -> {
          while (agent.received().size() < MESSAGES) {
            REPLICAS.get(racer % 2).client().heartbeat(target);
          }
          return racer;
        });

    Awaitility.await()
        .atMost(TIMEOUT)
        .until(() -> count(target, "deliveries", "true"), "0"::equals);
    assertThat(agent.received())
        .containsExactlyInAnyOrderElementsOf(queued.stream().map(Queued::messageId).toList());
    assertThat(agent.mostAtOnce()).isBetween(1, slots);
    assertThat(count(target, "delivery_outcomes", "queue_state = 'delivered' AND deliveries = 1"))
        .isEqualTo(String.valueOf(MESSAGES));
  }

  /** As above without an agent: claims follow each other as fast as the database allows. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void claimsNothingTwiceAndNoMoreThanThereAreSlots(int slots) {
    REPLICAS.forEach(replica -> replica.bean(QueueWorker.class).stop());
    Agent target = queue.target(agent.url(), slots);
    List<Queued> queued = queueFor(target);
    ONE.client().heartbeat(target);
    List<UUID> claimed = new CopyOnWriteArrayList<>();
    Set<String> atWork = ConcurrentHashMap.newKeySet();

    Race.run(
        4,
        racer -> {
          TestServer replica = REPLICAS.get(racer % 2);
          while (claimed.size() < MESSAGES) {
            List<QueuedMessage> held = claim(replica, target);
            held.forEach(message -> claimed.add(message.id()));
            if (!held.isEmpty()) {
              atWork.add(count(target, "deliveries", "owner IS NOT NULL"));
            }
            held.forEach(message -> assertThat(end(replica, message)).isTrue());
          }
          return racer;
        });

    assertThat(claimed)
        .containsExactlyInAnyOrderElementsOf(queued.stream().map(Queued::id).toList());
    assertThat(atWork).isSubsetOf(List.of("1", "2", "3").subList(0, slots));
    assertThat(count(target, "delivery_outcomes", "queue_state = 'failed' AND attempts = 1"))
        .isEqualTo(String.valueOf(MESSAGES));
  }

  private static List<QueuedMessage> claim(TestServer replica, Agent target) {
    QueueRepository repository = replica.bean(QueueRepository.class);
    DeliveryClaim claim = replica.bean(ReplicaLease.class).begin();
    return replica
        .bean(TransactionTemplate.class)
        .execute(status -> {
          List<UUID> locked =
              replica.bean(MessageStore.class).lockSkippingLocked(List.of(target.id()));
          return locked.isEmpty()
              ? List.of()
              : repository.claim(locked, _ -> MESSAGES, claim, MESSAGES).stream()
                  .map(Claimed::queued)
                  .toList();
        });
  }

  private static DeliveryOutcome refused(String why) {
    return DeliveryOutcome.withoutAnswer(
        new ProxyResponse(503, "application/problem+json", new byte[0]),
        OutcomeState.REFUSED,
        why,
        0);
  }

  private static boolean end(TestServer replica, QueuedMessage message) {
    DeliveryOutcome outcome = refused("not sent");
    return replica
        .bean(Completions.class)
        .complete(outcome.completion(message.key(), message.heldBy(), QueueState.FAILED));
  }

  /** What holds it may be an append, which decides by the queue as it is. */
  @Test
  void claimsNothingWhileTheHeadOfTheFeedIsLocked() throws SQLException {
    Agent locked = queue.target(agent.url(), 1);
    Agent free = queue.target(agent.url(), 1);
    Queued waits = queue.put(locked);
    Queued goes = queue.put(free);
    try (Connection connection = DATABASE.connect();
        Statement lock = connection.createStatement()) {
      connection.setAutoCommit(false);
      lock.execute(
          "SELECT FROM activity_feeds WHERE workspace_id = '"
              + locked.id()
              + "' FOR NO KEY UPDATE");
      ONE.client().heartbeat(locked);
      ONE.client().heartbeat(free);

      queue.awaitState(goes, "delivered");

      assertThat(queue.of(waits, "concat_ws(' ', q.state, q.attempts)")).isEqualTo("waiting 0");
      connection.rollback();
    }
    queue.awaitState(waits, "delivered");
  }

  /** A replica that resumes after it lost its claim changes nothing of the new claim's delivery. */
  @Test
  void leavesAMessageToItsNewOwner() {
    REPLICAS.forEach(replica -> replica.bean(QueueWorker.class).stop());
    Agent target = queue.target(agent.url(), 1);
    Queued queued = queue.put(target);
    ONE.client().heartbeat(target);
    QueuedMessage lost = claim(ONE, target).getFirst();
    queue.release(queued);
    QueuedMessage held = claim(OTHER, target).getFirst();
    String standing =
        "concat_ws(' ', owner, claim, claimed_at, attempts, deliveries, due_at, error)";
    String before = queue.open(queued, standing);
    QueueRepository ofOne = ONE.bean(QueueRepository.class);

    assertThat(ofOne.releaseUntried(lost, Duration.ZERO)).isFalse();
    assertThat(ofOne.release(lost.key(), lost.heldBy(), "too late", null, 1, null, Duration.ZERO))
        .isFalse();
    assertThat(end(ONE, lost)).isFalse();
    // the right owner with another number, or the right number with another owner, is refused too
    DeliveryClaim otherNumber =
        new DeliveryClaim(held.heldBy().owner(), held.heldBy().number() + 1_000_000);
    DeliveryClaim otherOwner = new DeliveryClaim(lost.heldBy().owner(), held.heldBy().number());
    for (DeliveryClaim claim : List.of(otherNumber, otherOwner)) {
      assertThat(ofOne.release(lost.key(), claim, "too late", null, 1, null, Duration.ZERO))
          .isFalse();
      DeliveryOutcome outcome = refused("not sent");
      assertThat(
              ONE.bean(Completions.class)
                  .complete(outcome.completion(lost.key(), claim, QueueState.FAILED)))
          .isFalse();
    }

    assertThat(queue.open(queued, standing)).isEqualTo(before);
    assertThat(count(target, "delivery_outcomes", "true")).isEqualTo("0");
    assertThat(end(OTHER, held)).isTrue();
    assertThat(queue.of(queued, "q.state || ' ' || q.attempts")).isEqualTo("failed 2");
  }

  /** As above: the delegation of the message belongs to the new owner too (R8.3). */
  @Test
  void leavesADelegationToTheNewOwnerOfItsMessage() {
    REPLICAS.forEach(replica -> replica.bean(QueueWorker.class).stop());
    Agent target = queue.target(agent.url(), 1);
    Agent caller = queue.senderTo(target);
    String id =
        ONE.client()
            .post(
                "/workspaces/" + caller.id() + "/delegate",
                caller.token(),
                "{\"target_id\":\"" + target.id() + "\",\"task\":\"Do it.\"}")
            .field("delegation_id");
    Awaitility.await()
        .atMost(TIMEOUT)
        .until(() -> count(target, "deliveries", "true"), "1"::equals);
    ONE.client().heartbeat(target);
    QueuedMessage lost = claim(ONE, target).getFirst();
    queue.release(new Queued(target.id(), lost.id(), ""));
    QueuedMessage held = claim(OTHER, target).getFirst();

    endWithDelegation(ONE, lost, "too late");
    assertThat(delegation(id)).isEqualTo("dispatched");

    endWithDelegation(OTHER, held, "not sent");
    assertThat(delegation(id)).isEqualTo("failed not sent");
  }

  private static void endWithDelegation(TestServer replica, QueuedMessage message, String why) {
    QueueCompletion completion = replica.bean(QueueCompletion.class);
    DelegationMessage ofDelegation =
        replica.bean(Messages.class).delegated(List.of(message.key())).getFirst();
    completion.end(
        message,
        refused(why),
        QueueState.FAILED,
        new DelegationMessageOutcome.Failed(ofDelegation, why));
  }

  private static String delegation(String id) {
    return DATABASE.value(
        "SELECT concat_ws(' ', status, error_detail) FROM delegations WHERE delegation_id = '"
            + id
            + "'");
  }

  @Test
  void sendsOneAtATimeWhenBothGetAHeartbeat() {
    Agent target = queue.target(agent.url(), 1);
    List<Queued> queued = new ArrayList<>();

    for (int i = 0; i < MESSAGES / 3; i++) {
      ONE.client().heartbeat(target, "\"active_tasks\":1");
      TestQueue by = TestQueue.of(REPLICAS.get(i % 2));
      queued.add(by.put(target, null, i % 3 == 0 ? 100 : 50));
      Race.run(
          2,
          replica -> {
            REPLICAS.get(replica).client().heartbeat(target, "\"active_tasks\":0");
            return replica;
          });
    }

    queued.forEach(one -> queue.awaitState(one, "delivered"));
    assertThat(agent.received())
        .containsExactlyInAnyOrderElementsOf(queued.stream().map(Queued::messageId).toList());
    assertThat(agent.mostAtOnce()).isEqualTo(1);
  }
}
