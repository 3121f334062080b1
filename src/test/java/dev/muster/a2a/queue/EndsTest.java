package dev.muster.a2a.queue;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.transaction.IllegalTransactionStateException;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages that end without a delivery: too old, dropped, or for a removed workspace (R7.7). */
@Slow
@Timeout(120)
@ResourceLock(Postman.ONLY_ONE)
@ExtendWith(OutputCaptureExtension.class)
class EndsTest {

  private static final TestServer SERVER =
      TestServer.startWith(
          TestDatabases.create(), List.of(Postman.class), "AGENT_URL_ALLOW=loopback");

  private static final String HELD =
      "state = 'delivering', lease_owner = 'somebody', lease_until = clock_timestamp() + interval"
          + " '1 minute'";
  private static final String LAPSED =
      "state = 'delivering', lease_owner = 'somebody', lease_until = clock_timestamp() - interval"
          + " '1 second'";
  private static final String TOO_OLD = "expires_at = clock_timestamp() - interval '1 second'";

  private final TestLine line = new TestLine(SERVER);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void startEmpty() {
    SERVER.database().execute("DELETE FROM a2a_queue");
    Postman.reset();
  }

  @Test
  void expireWhenTheirLifeIsOver(CapturedOutput log) {
    Agent target = line.target(1);
    UUID young = line.put(target, null, 50);
    UUID old = line.put(target, null, 50);
    line.set(old, TOO_OLD + ", error = 'refused'");
    UUID held = line.put(target, null, 50);
    line.set(held, TOO_OLD + ", " + HELD);
    UUID lapsed = line.put(target, null, 50);
    line.set(lapsed, TOO_OLD + ", " + LAPSED);
    double before = ends("expired");

    line.pass();

    assertThat(line.of(young, "state")).isEqualTo("waiting");
    assertThat(line.of(held, "state")).isEqualTo("delivering");
    assertThat(line.of(old, "state || ': ' || error"))
        .isEqualTo("expired: not delivered in its time; the last error: refused");
    assertThat(line.of(lapsed, "state || ': ' || error"))
        .isEqualTo("expired: not delivered in its time");
    assertThat(Postman.UNSENT)
        .extracting(EndedUnsent::queueId)
        .containsExactlyInAnyOrder(old, lapsed);
    assertThat(Postman.UNSENT).extracting(EndedUnsent::state).containsOnly(EndState.EXPIRED);
    assertThat(ends("expired") - before).isEqualTo(2);
    assertThat(log).contains("the queue is swept: 2 messages expired");
  }

  @Test
  void areNotDeliveredAfterTheirLife() {
    Agent target = line.target(2);
    UUID old = line.put(target, UUID.randomUUID(), 100);
    line.set(old, TOO_OLD);
    UUID young = line.put(target, UUID.randomUUID(), 50);

    SERVER.client().beat(target);

    line.awaitState(young, "delivered");
    assertThat(Postman.VISITED).containsExactly(young);
  }

  @Test
  void expireInBatches() {
    Agent target = line.target(1);
    SERVER
        .database()
        .execute(
            """
            INSERT INTO a2a_queue (queue_id, activity_id, target_id, priority, state, enqueued_at, next_attempt_at, expires_at)
            SELECT gen_random_uuid(), gen_random_uuid(), '%s', 50, 'waiting', now, now, now - interval '1 second'
            FROM generate_series(1, 450), clock_timestamp() AS now
            """
                .formatted(target.id()));
    assertThat(SERVER.bean(UnsentEnds.class).expireBatch()).isEqualTo(200);

    line.pass();

    assertThat(count("state = 'expired'")).isEqualTo(450);
    assertThat(Postman.UNSENT).hasSize(450);
  }

  @Test
  void areTakenBackWhenWhatHangsOnThemCannotEnd() {
    UUID old = line.put(line.target(1), null, 50);
    line.set(old, TOO_OLD);
    double before = ends("expired");
    Postman.whenUnsent =
        rows -> {
          throw new IllegalStateException("the record is locked");
        };
    assertThatThrownBy(line::pass).hasMessage("the record is locked");
    assertThat(line.of(old, "state")).isEqualTo("waiting");
    assertThat(ends("expired")).isEqualTo(before);

    Postman.whenUnsent = rows -> {};
    line.pass();

    assertThat(line.of(old, "state")).isEqualTo("expired");
  }

  @Test
  void areDroppedByTheAdminWhenTheyHaveWaitedTooLong() {
    Agent one = line.target(1);
    Agent other = line.target(1);
    UUID stale = line.put(one, null, 50);
    UUID staleOfOther = line.put(other, null, 50);
    UUID fresh = line.put(one, null, 50);
    UUID held = line.put(one, null, 50);
    for (UUID id : List.of(stale, staleOfOther, held)) {
      line.set(id, "enqueued_at = clock_timestamp() - interval '61 minutes'");
    }
    line.set(fresh, "enqueued_at = clock_timestamp() - interval '59 minutes'");
    line.set(held, HELD);

    assertThat(drop("?workspace_id=" + other.id()).text()).isEqualTo("{\"dropped\":1}");
    assertThat(line.of(staleOfOther, "state")).isEqualTo("dropped");
    assertThat(line.of(stale, "state")).isEqualTo("waiting");
    assertThat(drop("").text()).isEqualTo("{\"dropped\":1}");
    assertThat(line.of(stale, "state || ': ' || error"))
        .isEqualTo("dropped: dropped by an operator, with all that waited for 60 minutes");
    assertThat(drop("?max_age_minutes=58&workspace_id=").text()).isEqualTo("{\"dropped\":1}");
    assertThat(line.of(fresh, "state")).isEqualTo("dropped");
    assertThat(line.of(held, "state")).isEqualTo("delivering");
    assertThat(Postman.UNSENT).hasSize(3);
    assertThat(drop("?workspace_id=" + UUID.randomUUID()).text()).isEqualTo("{\"dropped\":0}");
  }

  private Answer drop(String query) {
    Answer answer = SERVER.client().post("/admin/a2a-queue/drop-stale" + query, ADMIN_TOKEN, "");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer;
  }

  @Test
  void areDroppedWhenTheirTargetIsRemoved() {
    Agent removed = line.target(1);
    Agent kept = line.target(1);
    UUID waiting = line.put(removed, null, 50);
    UUID held = line.put(removed, UUID.randomUUID(), 50);
    line.set(held, HELD);
    UUID other = line.put(kept, null, 50);
    SERVER.client().delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    line.pass();

    assertThat(line.of(waiting, "state || ': ' || error"))
        .isEqualTo("dropped: the workspace was removed");
    assertThat(line.of(held, "state")).isEqualTo("delivering");
    assertThat(line.of(other, "state")).isEqualTo("waiting");
    assertThat(Postman.UNSENT).extracting(EndedUnsent::queueId).containsExactly(waiting);

    line.set(held, LAPSED);
    line.pass();
    assertThat(line.of(held, "state")).isEqualTo("dropped");
  }

  @Test
  void areDroppedInTheTransactionOfWhoeverRemovesTheirTarget() {
    Agent removed = line.target(1);
    UUID waiting = line.put(removed, null, 50);
    TransactionTemplate transactions = SERVER.bean(TransactionTemplate.class);
    transactions.executeWithoutResult(status -> {
      assertThat(line.queue().dropOf(List.of(removed.id()), "gone")).isEqualTo(1);
      status.setRollbackOnly();
    });
    assertThat(line.of(waiting, "state")).isEqualTo("waiting");

    transactions.executeWithoutResult(status -> line.queue().dropOf(List.of(removed.id()), "gone"));

    assertThat(line.of(waiting, "state || ': ' || error")).isEqualTo("dropped: gone");
  }

  @Test
  void areRefusedInTheFirstPlaceWhenAThousandWait() {
    Agent target = line.target(1);
    SERVER
        .database()
        .execute(
            """
            INSERT INTO a2a_queue (queue_id, activity_id, target_id, priority, state, enqueued_at, next_attempt_at, expires_at)
            SELECT gen_random_uuid(), gen_random_uuid(), '%s', 50, 'waiting', now, now, now + interval '1 hour'
            FROM generate_series(1, 999), clock_timestamp() AS now
            """
                .formatted(target.id()));
    line.queue().requireRoom(target.id());
    Enqueued last =
        line.put(new NewQueued(UUID.randomUUID(), target.id(), null, 100, Duration.ofMinutes(1)));
    assertThat(last.depth()).isEqualTo(1000);

    assertThatThrownBy(() -> line.queue().requireRoom(target.id()))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refusal -> assertThat(refusal.code()).isEqualTo(ErrorCode.QUEUE_FULL));
    line.queue().requireRoom(line.target(1).id());
    line.set(last.queueId(), HELD);
    line.queue().requireRoom(target.id());
  }

  @Test
  void arePutIntoTheQueueOnlyWithATransaction() {
    Agent target = line.target(1);
    NewQueued message =
        new NewQueued(UUID.randomUUID(), target.id(), null, 50, Duration.ofSeconds(90));
    assertThatThrownBy(() -> line.queue().enqueueAll(List.of(message)))
        .isInstanceOf(IllegalTransactionStateException.class);
    SERVER
        .bean(TransactionTemplate.class)
        .executeWithoutResult(status -> {
          line.queue().enqueueAll(List.of(message));
          status.setRollbackOnly();
        });
    assertThat(count("true")).isZero();
    Agent other = line.target(1);

    List<Enqueued> enqueued =
        SERVER
            .bean(TransactionTemplate.class)
            .execute(status ->
                line.queue()
                    .enqueueAll(
                        List.of(
                            message,
                            new NewQueued(
                                UUID.randomUUID(), other.id(), null, 50, Duration.ofDays(1)),
                            new NewQueued(
                                UUID.randomUUID(), target.id(), null, 50, Duration.ofDays(1)))));

    assertThat(enqueued).extracting(Enqueued::depth).containsExactly(2, 1, 2);
    UUID first = enqueued.getFirst().queueId();
    assertThat(first.version()).isEqualTo(7);
    assertThat(line.of(first, "expires_at - enqueued_at")).isEqualTo("00:01:30");
    assertThat(line.of(first, "activity_id")).isEqualTo(message.activityId().toString());
    assertThat(line.queue().find(first).orElseThrow().state()).isEqualTo(QueueState.WAITING);
    assertThat(line.queue().find(UUID.randomUUID())).isEmpty();
  }

  @Test
  void areDeletedSevenDaysAfter() {
    Agent target = line.target(1);
    UUID old = ended(target, "7 days 1 minute");
    UUID young = ended(target, "6 days 23 hours");
    UUID waiting = line.put(target, null, 50);
    line.set(waiting, "enqueued_at = clock_timestamp() - interval '30 days'");
    QueueRetention retention = SERVER.bean(QueueRetention.class);

    assertThat(retention.sweep()).isEqualTo(1);
    assertThat(retention.sweep()).isZero();

    assertThat(count("queue_id = '" + old + "'")).isZero();
    assertThat(count("queue_id IN ('" + young + "', '" + waiting + "')")).isEqualTo(2);
  }

  private UUID ended(Agent target, String ago) {
    UUID id = line.put(target, null, 50);
    line.set(id, "state = 'delivered', ended_at = clock_timestamp() - interval '" + ago + "'");
    return id;
  }

  @Test
  void leaveTheDepthThatTheMetricsShow() {
    Agent target = line.target(1);
    line.put(target, null, 50);
    line.put(target, null, 50);
    ended(target, "1 day");

    org.awaitility.Awaitility.await()
        .atMost(TestLine.PATIENCE)
        .until(() -> metric("muster_queue_depth").equals(2.0));
  }

  private static double ends(String state) {
    return metric("muster_queue_ends_total{state=\"" + state + "\"}");
  }

  private static Double metric(String name) {
    return Stream.of(SERVER.metrics().split("\n"))
        .filter(metric -> metric.startsWith(name + " "))
        .map(metric -> Double.valueOf(metric.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static int count(String condition) {
    return Integer.parseInt(
        SERVER.database().value("SELECT count(*) FROM a2a_queue WHERE " + condition));
  }
}
