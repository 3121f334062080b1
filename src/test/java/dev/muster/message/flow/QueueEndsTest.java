package dev.muster.message.flow;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.DeliverySweepRepository;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Messages that end without a delivery: expired, dropped, or for a removed workspace (R7.7). */
@Slow
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class QueueEndsTest {

  private static final TestServer SERVER = TestServer.start("AGENT_URL_ALLOW=loopback");
  private static final String TOO_OLD = "expires_at = clock_timestamp() - interval '1 second'";

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void startEmpty() {
    SERVER.database().execute("DELETE FROM deliveries");
  }

  @Test
  void expireAfterTheirMaximumWait(CapturedOutput log) {
    Agent target = queue.target(1);
    Queued young = queue.put(target);
    Queued old = queue.put(target);
    Queued tried = queue.put(target);
    queue.set(tried, "error = 'refused', attempts = 1");
    Queued given = queue.put(target);
    queue.set(given, "error = 'broke off', attempts = 1, deliveries = 1");
    Queued held = queue.put(target);
    queue.claimByAnotherReplica(held);
    double before = ends("expired");

    // in one statement, since the server sweeps by itself as well
    SERVER
        .database()
        .execute("UPDATE deliveries SET " + TOO_OLD + " WHERE NOT (" + young.condition() + ")");
    sweep();

    for (Queued ended : List.of(old, tried, given)) {
      queue.awaitState(ended, "expired");
    }
    assertThat(queue.of(young, "q.state")).isEqualTo("waiting");
    assertThat(queue.of(held, "q.state")).isEqualTo("delivering");
    String outcome = "concat_ws(' ', m.state, m.answer_status, l.status) || ': ' || l.error_detail";
    assertThat(queue.of(old, outcome))
        .isEqualTo("refused 503 error: not delivered before it expired");
    assertThat(queue.of(tried, outcome))
        .isEqualTo("refused 503 error: not delivered before it expired; the last error: refused");
    assertThat(queue.of(given, outcome))
        .isEqualTo(
            "uncertain 504 error: not delivered before it expired; the last error: broke off");
    Awaitility.await().until(() -> ends("expired") - before == 3);
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(log)
                .contains("the queue is swept: 3 messages expired, 0 were for removed workspaces"));
  }

  @Test
  void areNotDeliveredAfterTheirExpiry() throws IOException {
    try (CountingAgent agent = new CountingAgent()) {
      Agent target = queue.target(agent.url(), 2);
      Queued old = queue.put(target, queue.senderTo(target), 100);
      queue.set(old, TOO_OLD);
      Queued young = queue.put(target);

      client.heartbeat(target);

      queue.awaitState(young, "delivered");
      assertThat(agent.received()).containsExactly(young.messageId());
    }
  }

  @Test
  void expireInBatches() {
    Agent target = queue.target(1);
    queue.fill(target, 450);
    DeliverySweepRepository repository = SERVER.bean(DeliverySweepRepository.class);
    SERVER.database().execute("UPDATE deliveries SET " + TOO_OLD);
    assertThat(repository.expired(List.of())).hasSizeLessThanOrEqualTo(200);

    sweep();

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(() -> count("delivery_outcomes", target, "queue_state = 'expired'") == 450);
    assertThat(count("deliveries", target, "true")).isZero();
  }

  @Test
  void areRolledBackWhenTheirDelegationCannotEnd() {
    Agent target = queue.target(1);
    Agent caller = queue.senderTo(target);
    String delegation = delegate(caller, target);
    Queued old = waiting(target).getFirst();
    double before = ends("expired");
    SERVER
        .database()
        .execute("ALTER TABLE delegations ADD CONSTRAINT none_fails CHECK (status <> 'failed')");
    try {
      queue.set(old, TOO_OLD);
      sweep();
      assertThat(queue.of(old, "q.state")).isEqualTo("waiting");
      assertThat(ends("expired")).isEqualTo(before);
    } finally {
      SERVER.database().execute("ALTER TABLE delegations DROP CONSTRAINT none_fails");
    }

    Awaitility.await()
        .until(() -> {
          sweep(); // it waits some seconds after its failure
          return queue.of(old, "q.state").equals("expired");
        });
    assertThat(
            client
                .get("/workspaces/" + caller.id() + "/delegations/" + delegation, caller.token())
                .field("status"))
        .isEqualTo("failed");
  }

  private String delegate(Agent caller, Agent target) {
    Answer answer =
        client.post(
            "/workspaces/" + caller.id() + "/delegate",
            caller.token(),
            "{\"target_id\":\"" + target.id() + "\",\"task\":\"Do it.\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("delegation_id");
  }

  private List<Queued> waiting(Agent target) {
    List<Queued> found = new ArrayList<>();
    client
        .get("/admin/a2a-queue?target_id=" + target.id(), ADMIN_TOKEN)
        .json()
        .forEach(row ->
            found.add(
                new Queued(target.id(), UUID.fromString(row.path("queue_id").asString()), "")));
    return found;
  }

  @Test
  void areDroppedByTheAdminWhenTheyAreStale() {
    Agent one = queue.target(1);
    Agent other = queue.target(1);
    Queued stale = queue.put(one);
    Queued staleOfOther = queue.put(other);
    Queued fresh = queue.put(one);
    Queued held = queue.put(one);
    for (Queued queued : List.of(stale, staleOfOther, held)) {
      queue.set(queued, "enqueued_at = clock_timestamp() - interval '61 minutes'");
    }
    queue.set(fresh, "enqueued_at = clock_timestamp() - interval '59 minutes'");
    queue.claimByAnotherReplica(held);
    double before = ends("dropped");

    assertThat(drop("?workspace_id=" + other.id()).text()).isEqualTo("{\"dropped\":1}");
    assertThat(queue.of(staleOfOther, "q.state")).isEqualTo("dropped");
    assertThat(queue.of(stale, "q.state")).isEqualTo("waiting");
    assertThat(drop("").text()).isEqualTo("{\"dropped\":1}");
    assertThat(queue.of(stale, "q.state || ': ' || q.error"))
        .isEqualTo("dropped: dropped by an operator, with all messages that waited for 60 minutes");
    assertThat(drop("?max_age_minutes=58&workspace_id=").text()).isEqualTo("{\"dropped\":1}");
    assertThat(queue.of(fresh, "q.state")).isEqualTo("dropped");
    assertThat(queue.of(held, "q.state")).isEqualTo("delivering");
    assertThat(ends("dropped") - before).isEqualTo(3);
    assertThat(drop("?workspace_id=" + UUID.randomUUID()).text()).isEqualTo("{\"dropped\":0}");
  }

  @Test
  void areDroppedByTheAdminInAnyNumber() {
    Agent one = queue.target(1);
    Agent other = queue.target(1);
    queue.fill(one, 450);
    queue.fill(other, 3);

    assertThat(drop("").text()).isEqualTo("{\"dropped\":453}");
  }

  private Answer drop(String query) {
    Answer answer = client.post("/admin/a2a-queue/drop-stale" + query, ADMIN_TOKEN, "");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  /** They end in the transaction of the removal, without a sweep. */
  @Test
  void areDroppedInTheTransactionThatRemovesTheirTarget() {
    Agent removed = queue.target(1);
    Queued waiting = queue.put(removed);
    Queued other = queue.put(queue.target(1));
    SERVER
        .database()
        .execute(
            "ALTER TABLE delivery_outcomes ADD CONSTRAINT none_drops CHECK (queue_state <>"
                + " 'dropped') NOT VALID");
    try {
      assertThat(client.delete("/workspaces/" + removed.id(), ADMIN_TOKEN).status()).isEqualTo(500);
    } finally {
      SERVER.database().execute("ALTER TABLE delivery_outcomes DROP CONSTRAINT none_drops");
    }
    assertThat(queue.of(waiting, "q.state")).isEqualTo("waiting");
    assertThat(client.read(removed).path("status").asString()).isNotEqualTo("removed");

    assertThat(client.delete("/workspaces/" + removed.id(), ADMIN_TOKEN).status()).isEqualTo(200);

    assertThat(queue.of(waiting, "q.state || ': ' || q.error"))
        .isEqualTo("dropped: the workspace was removed");
    assertThat(queue.of(other, "q.state")).isEqualTo("waiting");
  }

  @Test
  void areDroppedByTheSweepWhenTheirTargetIsRemovedDuringADelivery(CapturedOutput log) {
    Agent removed = queue.target(1);
    Queued held = queue.put(removed);
    queue.claimByAnotherReplica(held);
    client.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);
    sweep();
    assertThat(queue.of(held, "q.state")).isEqualTo("delivering");

    queue.release(held);
    sweep();

    queue.awaitState(held, "dropped");
    assertThat(queue.of(held, "q.error")).isEqualTo("the workspace was removed");
    Awaitility.await()
        .untilAsserted(() ->
            assertThat(log)
                .contains("0 messages expired, 1 were for removed workspaces [" + removed.id()));
  }

  @Test
  void areRefusedWhenAThousandWait() {
    Agent target = queue.target(1);
    queue.fill(target, 999);
    Answer last = queue.send(target, null, "last", 100);
    assertThat(last.status()).as(last.text()).isEqualTo(202);
    assertThat(last.json().path("queue_depth").asInt()).isEqualTo(1000);

    assertRefused(queue.send(target, null, "refused", 100), 503, "QUEUE_FULL");

    queue.put(queue.target(1));
    // a message in delivery does not count as waiting
    queue.claimByAnotherReplica(
        new Queued(target.id(), UUID.fromString(last.field("queue_id")), "last"));
    assertThat(queue.send(target, null, "refused", 100).status()).isEqualTo(202);
  }

  @ParameterizedTest
  @CsvSource({"7 days 1 minute, false", "6 days 23 hours, true"})
  void areShownForSevenDays(String ago, boolean shown) {
    Agent target = queue.target(1);
    Queued ended = queue.put(target);
    client.post("/admin/a2a-queue/" + ended.id() + "/cancel", ADMIN_TOKEN, "");
    SERVER
        .database()
        .execute(
            "UPDATE delivery_outcomes SET ended_at = clock_timestamp() - interval '"
                + ago
                + "' WHERE "
                + ended.condition());

    Answer found = queue.show(ended);
    Answer listed =
        client.get("/admin/a2a-queue?state=dropped&target_id=" + target.id(), ADMIN_TOKEN);

    if (shown) {
      assertThat(found.field("state")).isEqualTo("dropped");
    } else {
      assertRefused(found, 404, "NOT_FOUND");
      assertRefused(
          client.post("/admin/a2a-queue/" + ended.id() + "/cancel", ADMIN_TOKEN, ""),
          404,
          "NOT_FOUND");
    }
    assertThat(listed.json().size()).isEqualTo(shown ? 1 : 0);
    assertThat(count("delivery_outcomes", target, "true"))
        .as("kept as long as its row, by which a duplicate is known")
        .isEqualTo(1);
  }

  @Test
  void areNotCountedInTheQueueDepth() {
    Agent target = queue.target(1);
    queue.put(target);
    queue.put(target);
    Queued ended = queue.put(target);
    client.post("/admin/a2a-queue/" + ended.id() + "/cancel", ADMIN_TOKEN, "");
    queue.claimByAnotherReplica(queue.put(target));

    Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .untilAsserted(() -> assertThat(metric("muster_queue_depth")).isEqualTo(2));
  }

  @Test
  void areCountedByTheirOutcome() throws IOException {
    try (CountingAgent agent = new CountingAgent()) {
      Agent target = queue.target(agent.url(), 1);
      double delivered = ends("delivered");
      double failed = ends("failed");
      Queued good = queue.put(target);
      Queued bad = queue.put(target);
      agent.works(messageId -> messageId.equals(bad.messageId()) ? 422 : 200);

      client.heartbeat(target);

      queue.awaitState(good, "delivered");
      queue.awaitState(bad, "failed");
      Awaitility.await()
          .untilAsserted(() -> {
            assertThat(ends("delivered") - delivered).isEqualTo(1);
            assertThat(ends("failed") - failed).isEqualTo(1);
          });
    }
  }

  private static void sweep() {
    SERVER.bean(DeliverySweep.class).run();
  }

  private static double ends(String state) {
    return metric("muster_queue_messages_ended_total{state=\"" + state + "\"}");
  }

  private static Double metric(String name) {
    return Stream.of(SERVER.metrics().split("\n"))
        .filter(metric -> metric.startsWith(name + " "))
        .map(metric -> Double.valueOf(metric.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static int count(String table, Agent target, String condition) {
    return Integer.parseInt(
        SERVER
            .database()
            .value(
                "SELECT count(*) FROM %s WHERE workspace_id = '%s' AND %s"
                    .formatted(table, target.id(), condition)));
  }
}
