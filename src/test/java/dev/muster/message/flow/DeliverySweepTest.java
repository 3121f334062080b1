package dev.muster.message.flow;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.DeliveryClaim;
import dev.muster.message.store.ReplicaLease;
import dev.muster.testing.FastPace;
import dev.muster.testing.OwnLog;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Deliveries without a process that works on them, whatever their claim says (R7.3, R7.7). */
@Slow
@Timeout(180)
class DeliverySweepTest {

  private static final TestServer SERVER =
      startFast("REGISTRATION=open", "AGENT_URL_ALLOW=loopback");

  /** A direct delivery, whose sender waits for it; it is not in the queue. */
  private static final String AT_ONCE = "queued = false, ";

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);
  private final ReplicaLease lease = SERVER.bean(ReplicaLease.class);
  private final CountingAgent agent;

  DeliverySweepTest() throws IOException {
    agent = new CountingAgent();
  }

  private static TestServer startFast(String... settings) {
    return TestServer.startWith(TestDatabases.create(), List.of(FastPace.class), settings);
  }

  @AfterEach
  void close() throws IOException {
    agent.close();
  }

  @AfterAll
  static void closeServer() {
    SERVER.close();
  }

  private static String heldSince(UUID owner, long claim, String ago) {
    return "owner = '%s', claim = %d, claimed_at = clock_timestamp() - interval '%s', attempts = 1"
        .formatted(owner, claim, ago);
  }

  /** A claim number that this replica has not used. */
  private long unknownClaim() {
    return lease.begin().number() + 1_000_000_000;
  }

  /** The claiming statement committed, and its response was lost. */
  @Test
  void releaseClaimsThatThisReplicaDoesNotKnow() {
    Queued queued = queue.put(queue.target(1));

    queue.set(queued, heldSince(lease.owner(), unknownClaim(), "11 seconds"));

    queue.awaitState(queued, "waiting");
    assertThat(queue.open(queued, "concat_ws(' ', owner, claim, claimed_at, attempts, deliveries)"))
        .isEqualTo("0 0");
    assertThat(queue.open(queued, "due_at <= clock_timestamp()")).isEqualTo("t");
  }

  /** A younger one may be of a statement whose response is still under way. */
  @Test
  void releaseUnknownClaimsAfterTenSeconds() {
    Queued queued = queue.put(queue.target(1));
    String now = SERVER.database().value("SELECT clock_timestamp()");

    queue.set(
        queued,
        "owner = '%s', claim = %d, claimed_at = '%s', attempts = 1"
            .formatted(lease.owner(), unknownClaim(), now));

    queue.awaitState(queued, "waiting");
    // released at due_at
    assertThat(
            queue.open(
                queued,
                "due_at - '%s'::timestamptz > interval '%d ms'"
                    .formatted(now, FastPace.seconds(10).toMillis())))
        .isEqualTo("t");
  }

  @Test
  void refuseDirectDeliveriesThatThisReplicaDoesNotKnow() {
    Agent target = queue.target(agent.url(), 1);
    Queued queued = queue.put(target);

    queue.set(queued, AT_ONCE + heldSince(lease.owner(), unknownClaim(), "11 seconds"));

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> queue.of(queued, "m.state"), "refused"::equals);
    assertThat(queue.of(queued, "concat_ws(' ', l.status, m.deliveries, m.answer_status, q.state)"))
        .isEqualTo("error 0 503");
    assertThat(queue.of(queued, "l.error_detail"))
        .isEqualTo("the server did not learn of its delivery claim in time, and sent nothing");
    client.heartbeat(target);
    assertThat(queue.send(target, null, queued.messageId(), 50).text())
        .isEqualTo(CountingAgent.ANSWER);
    assertThat(agent.received()).containsExactly(queued.messageId());
  }

  @Test
  void keepKnownAndRecentClaimsAndThoseOfOtherReplicas() {
    Agent target = queue.target(1);
    DeliveryClaim known = lease.begin();
    Queued ofKnown = queue.put(target);
    Queued young = queue.put(target);
    Queued ofAnother = queue.put(target);
    Queued unknown = queue.put(target);
    queue.claimByAnotherReplica(ofAnother);
    String state = "concat_ws(' ', owner, claim, claimed_at)";
    queue.set(ofKnown, heldSince(lease.owner(), known.number(), "1 hour"));
    queue.set(young, heldSince(lease.owner(), unknownClaim(), "-1 minute"));
    queue.set(ofAnother, "claimed_at = clock_timestamp() - interval '1 hour'");
    String before =
        queue.open(ofKnown, state) + queue.open(young, state) + queue.open(ofAnother, state);

    queue.set(unknown, heldSince(lease.owner(), unknownClaim(), "11 seconds"));

    queue.awaitState(unknown, "waiting");
    assertThat(queue.open(ofKnown, state) + queue.open(young, state) + queue.open(ofAnother, state))
        .isEqualTo(before);
    lease.end(known);
    queue.awaitState(ofKnown, "waiting");
  }

  @Test
  void takeOverTheDeliveriesOfADeadReplica() {
    Queued queued = queue.put(queue.target(1));
    Queued sent = queue.put(queue.target(1));

    queue.set(queued, heldSince(UUID.randomUUID(), 1, "0 seconds"));
    queue.set(sent, AT_ONCE + heldSince(UUID.randomUUID(), 1, "0 seconds"));

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT.multipliedBy(2))
        .until(
            () -> queue.of(queued, "q.state") + queue.of(sent, "m.state"),
            "waitinguncertain"::equals);

    assertThat(queue.open(queued, "concat_ws(' ', owner, claim, claimed_at, attempts, deliveries)"))
        .isEqualTo("1 1");
    assertThat(queue.of(sent, "concat_ws(' ', l.status, m.deliveries, m.answer_status)"))
        .isEqualTo("error 1 504");
    assertThat(queue.of(sent, "l.error_detail")).isEqualTo(DeliverySweep.SERVER_LOST);
  }

  /** The server's own sweep may be quicker: then the claim is set again. */
  @Test
  void logWhatTheyTakeOver() {
    Agent target = queue.target(1);
    Queued queued = queue.put(target);

    Awaitility.await()
        .until(
            () ->
                OwnLog.of(
                    DeliverySweep.class,
                    () -> {
                      queue.set(queued, heldSince(UUID.randomUUID(), 1, "0 seconds"));
                      SERVER.bean(DeliverySweep.class).takeOver();
                    }),
            lines ->
                lines.stream()
                    .filter(line -> line.contains("deliveries of replicas that ended"))
                    .anyMatch(line -> line.contains(target.id().toString())));
  }

  /**
   * The agent received the message, answered by a message of its own, and aborted the first call.
   */
  @Test
  void closeDeliveriesThatTheAgentHasAnsweredMeanwhile() {
    CountDownLatch answered = new CountDownLatch(1);
    agent.works(messageId -> {
      answered.await();
      return CountingAgent.CLOSE_WITHOUT_ANSWER;
    });
    Agent target = queue.target(agent.url(), 1);
    Agent sender = queue.senderTo(target);
    Queued queued = queue.put(target, sender, 50);
    client.heartbeat(target);
    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> agent.timesReceived(queued.messageId()) == 1);
    answerByMessage(target, sender, queued);

    answered.countDown();

    queue.awaitState(queued, "delivered");
    Answer shown = queue.show(queued);
    assertThat(shown.field("state")).isEqualTo("delivered");
    assertThat(shown.text()).contains("Done.");
    assertThat(client.get("/admin/a2a-queue?target_id=" + target.id(), ADMIN_TOKEN).json().size())
        .isZero();
    assertThat(agent.received()).containsExactly(queued.messageId());
  }

  private void answerByMessage(Agent target, Agent sender, Queued queued) {
    Answer reply =
        client.post(
            "/workspaces/" + sender.id() + "/a2a",
            target.token(),
            """
            {"method":"message/send","params":{"message":{"messageId":"r","parts":[{"kind":"text","text":"Done."}],
            "metadata":{"reply_to":"%s"}}}}
            """
                .formatted(queued.messageId()));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
  }

  /** As above, by a replica that died before it saw how the call ended. */
  @Test
  void closeAnsweredDeliveriesOfADeadReplica() {
    Agent target = queue.target(1);
    Agent sender = queue.senderTo(target);
    Queued queued = queue.put(target, sender, 50);
    queue.claimByAnotherReplica(queued);
    answerByMessage(target, sender, queued);

    queue.set(queued, "owner = gen_random_uuid()");

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT.multipliedBy(2))
        .until(() -> queue.of(queued, "q.state"), "delivered"::equals);
  }

  /**
   * Without retries of ambiguous failures, no replica sends the message again, though it was
   * queued.
   */
  @Test
  void endPossiblySentDeliveriesOfADeadReplicaAsUncertain() {
    try (TestServer cautious = startFast("A2A_RETRY_AMBIGUOUS=false", "AGENT_URL_ALLOW=loopback")) {
      TestQueue ofCautious = TestQueue.of(cautious);
      Agent target = ofCautious.target(agent.url(), 1);
      Queued queued = ofCautious.put(target);
      ofCautious.set(queued, heldSince(UUID.randomUUID(), 1, "0 seconds"));
      cautious.client().heartbeat(target);

      Awaitility.await()
          .atMost(TestQueue.TIMEOUT.multipliedBy(2))
          .until(() -> ofCautious.of(queued, "q.state"), "failed"::equals);

      assertThat(ofCautious.of(queued, "m.state || ' ' || l.status || ' ' || m.deliveries"))
          .isEqualTo("uncertain error 1");
      assertThat(agent.received()).isEmpty();
    }
  }

  /** The outcome of one delivery cannot be stored; it comes first. */
  @Test
  void takeOverTheOthersWhenOneCannotBeTakenOver() {
    Queued poisoned = queue.put(queue.target(1));
    Queued sent = queue.put(queue.target(1));
    Queued queued = queue.put(queue.target(1));
    try (Poison poison = refuseOutcomesOf(poisoned, "delivery-takeover")) {
      for (Queued one : List.of(poisoned, sent)) {
        queue.set(one, AT_ONCE + heldSince(UUID.randomUUID(), 1, "0 seconds"));
      }
      queue.set(queued, heldSince(UUID.randomUUID(), 1, "0 seconds"));

      Awaitility.await()
          .atMost(TestQueue.TIMEOUT.multipliedBy(2))
          .until(
              () -> queue.of(queued, "q.state") + queue.of(sent, "m.state"),
              "waitinguncertain"::equals);

      assertSaidOnce(poison, poisoned);
    }
  }

  @Test
  void releaseTheOtherUnknownClaimsWhenOneCannotBeReleased() {
    List<Queued> all = Stream.generate(() -> queue.put(queue.target(1))).limit(5).toList();
    try (Poison poison = refuseOutcomesOf(all.getFirst(), "delivery-takeover")) {
      all.forEach(
          one -> queue.set(one, AT_ONCE + heldSince(lease.owner(), unknownClaim(), "11 seconds")));

      for (Queued one : all.subList(1, all.size())) {
        Awaitility.await()
            .atMost(TestQueue.TIMEOUT)
            .until(() -> queue.of(one, "m.state"), "refused"::equals);
      }
      assertSaidOnce(poison, all.getFirst());
    }
  }

  @Test
  void endTheOtherExpiredMessagesWhenOneCannotBeEnded() {
    List<Queued> all = Stream.generate(() -> queue.put(queue.target(1))).limit(5).toList();
    try (Poison poison = refuseOutcomesOf(all.getFirst(), "delivery-sweep")) {
      all.forEach(one -> queue.set(one, "expires_at = now() - interval '1 minute'"));

      all.subList(1, all.size()).forEach(one -> queue.awaitState(one, "expired"));

      assertSaidOnce(poison, all.getFirst());
      assertThat(queue.of(all.getFirst(), "q.state")).isEqualTo("waiting");
    }
  }

  /** Both are found by one look at all targets. */
  @Test
  void deliverToOthersWhenTheMessagesOfOneTargetCannotBeClaimed() {
    List<Queued> all =
        Stream.generate(() -> queue.put(queue.target(agent.url(), 1))).limit(5).toList();
    Queued poisoned = all.getFirst();
    try (Poison poison =
        Poison.check(
            SERVER,
            "queue-worker",
            "deliveries",
            "owner IS NULL OR workspace_id <> '" + poisoned.targetId() + "'")) {
      putOnline(all);

      all.subList(1, all.size()).forEach(one -> queue.awaitState(one, "delivered"));

      Awaitility.await().until(() -> poison.counted() >= 1);
      Awaitility.await()
          .untilAsserted(() -> assertThat(poison.lines(poisoned.targetId().toString())).hasSize(1));
      assertThat(queue.of(poisoned, "q.state")).isEqualTo("waiting");
    }
  }

  /**
   * It is delivered, and each attempt to store that fails: it waits as after any failed attempt.
   */
  @Test
  void deliverTheOthersWhenTheAttemptsOfOneFail() {
    List<Queued> all =
        Stream.generate(() -> queue.put(queue.target(agent.url(), 1))).limit(3).toList();
    Queued poisoned = all.getFirst();
    try (Poison poison = refuseOutcomesOf(poisoned, "queue-worker")) {
      putOnline(all);

      all.subList(1, all.size()).forEach(one -> queue.awaitState(one, "delivered"));

      Awaitility.await()
          .untilAsserted(() -> assertThat(poison.lines("message " + poisoned.id())).hasSize(1));
      Awaitility.await().until(() -> queue.of(poisoned, "q.state"), "waiting"::equals);
      assertThat(poison.counted()).isPositive();
    }
  }

  /** They were queued while their workspaces were being removed. */
  @Test
  void dropTheQueuesOfOtherRemovedWorkspacesWhenOneCannotBeDropped() {
    List<Queued> all = Stream.generate(() -> queue.put(queue.target(1))).limit(4).toList();
    Queued poisoned = all.getFirst();
    try (Poison poison = refuseOutcomesOf(poisoned, "delivery-sweep")) {
      SERVER
          .database()
          .execute("UPDATE workspaces SET removed_at = now() WHERE id IN (" + ids(all) + ")");

      all.subList(1, all.size())
          .forEach(one ->
              Awaitility.await()
                  .atMost(TestQueue.TIMEOUT)
                  .until(() -> queue.of(one, "q.state"), "dropped"::equals));

      assertSaidOnce(poison, poisoned);
      assertThat(queue.of(poisoned, "q.state")).isEqualTo("waiting");
    }
  }

  private static void putOnline(List<Queued> all) {
    SERVER
        .database()
        .execute(
            "UPDATE workspace_heartbeats SET status = 'online' WHERE workspace_id IN ("
                + ids(all)
                + ")");
  }

  private static String ids(List<Queued> all) {
    return all.stream().map(one -> "'" + one.targetId() + "'").collect(Collectors.joining(","));
  }

  private static Poison refuseOutcomesOf(Queued poisoned, String loop) {
    return Poison.check(
        SERVER, loop, "delivery_outcomes", "workspace_id <> '" + poisoned.targetId() + "'");
  }

  /** Waits for the second failure: the first is the only one that is logged. */
  private static void assertSaidOnce(Poison poison, Queued poisoned) {
    Awaitility.await().until(() -> poison.counted() >= 2);
    assertThat(poison.lines(poisoned.targetId().toString())).hasSize(1);
  }

  /** Another client of the database locks the row; the lease is on the replica, not on the row. */
  @Test
  void keepTheLeaseWhileARowIsLocked() throws SQLException {
    Queued queued = queue.put(queue.target(1));
    queue.set(queued, heldSince(lease.owner(), lease.begin().number(), "0 seconds"));
    try (var connection = SERVER.database().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("SELECT 1 FROM deliveries WHERE " + queued.condition() + " FOR UPDATE");
      String until = aliveUntil();

      Awaitility.await().atMost(TestQueue.TIMEOUT).until(() -> !aliveUntil().equals(until));

      assertThat(lease.isAlive()).isTrue();
      connection.rollback();
    }
  }

  private String aliveUntil() {
    return SERVER
        .database()
        .value("SELECT alive_until FROM replicas WHERE id = '" + lease.owner() + "'");
  }
}
