package dev.muster.a2a.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What waits is delivered when its target has room, in the order of the line (R7.7). */
@Slow
@Timeout(120)
@ResourceLock(Postman.ONLY_ONE)
class DeliveryTest {

  private static final TestServer SERVER =
      TestServer.startWith(
          TestDatabases.create(), List.of(Postman.class), "AGENT_URL_ALLOW=loopback");

  private final TestLine line = new TestLine(SERVER);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void startEmpty() {
    SERVER.database().execute("DELETE FROM a2a_queue; DELETE FROM delivery_jobs WHERE NOT picked");
    Postman.reset();
  }

  @Test
  void goesByPriorityAndThenByAge() {
    Agent target = line.target(1);
    UUID low = line.put(target, UUID.randomUUID(), 10);
    UUID middle = line.put(target, UUID.randomUUID(), 50);
    UUID high = line.put(target, UUID.randomUUID(), 100);
    UUID laterHigh = line.put(target, UUID.randomUUID(), 100);
    UUID laterMiddle = line.put(target, null, 50);

    SERVER.client().beat(target);

    line.awaitState(low, "delivered");
    assertThat(Postman.VISITED).containsExactly(high, laterHigh, middle, laterMiddle, low);
    assertThat(Postman.MOST_UNDER_WAY).hasValue(1);
    assertThat(
            line.of(
                low, "attempts || ' ' || (lease_owner IS NULL) || ' ' || (ended_at IS NOT NULL)"))
        .isEqualTo("1 true true");
  }

  @Test
  void letsNoMessageOvertakeAnotherOfTheSameSender() {
    Agent target = line.target(4);
    UUID sender = UUID.randomUUID();
    List<UUID> ofSender = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      ofSender.add(line.put(target, sender, 50));
    }
    UUID ofOther = line.put(target, UUID.randomUUID(), 10);
    AtomicInteger failures = new AtomicInteger();
    Postman.visit =
        (claimed, ends) ->
            claimed.message().queueId().equals(ofSender.get(1)) && failures.getAndIncrement() == 0
                ? new Attempt.Later("not yet")
                : Postman.DELIVER.of(claimed, ends);

    SERVER.client().beat(target);

    line.awaitState(ofOther, "delivered");
    Awaitility.await().atMost(TestLine.PATIENCE).until(() -> failures.get() > 0);
    line.awaitState(ofSender.get(1), "waiting");
    SERVER.client().beat(target);
    line.pass();
    assertThat(line.of(ofSender.get(2), "state || attempts")).isEqualTo("waiting0");

    line.set(ofSender.get(1), "next_attempt_at = clock_timestamp()");
    SERVER.client().beat(target);

    line.awaitState(ofSender.getLast(), "delivered");
    List<UUID> expected = new ArrayList<>(ofSender);
    expected.add(1, ofSender.get(1));
    assertThat(Postman.VISITED.stream().filter(ofSender::contains)).isEqualTo(expected);
    assertThat(line.of(ofSender.get(1), "attempts")).isEqualTo("2");
  }

  @Test
  void isMadeAsOftenAtOnceAsTheTargetHasRoom() throws Exception {
    Agent target = line.target(3);
    CountDownLatch both = new CountDownLatch(2);
    CountDownLatch goOn = new CountDownLatch(1);
    Postman.visit =
        (claimed, ends) -> {
          both.countDown();
          goOn.await();
          return Postman.DELIVER.of(claimed, ends);
        };
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ids.add(line.put(target, UUID.randomUUID(), 50));
    }

    SERVER.client().beat(target, "\"active_tasks\":1");
    both.await();
    line.put(target, UUID.randomUUID(), 100);
    SERVER.client().beat(target);
    SERVER.client().beat(target);
    assertThat(SERVER.database().value("SELECT count(*) FROM a2a_queue WHERE state = 'delivering'"))
        .isEqualTo("2");
    goOn.countDown();

    line.awaitState(ids.getLast(), "delivered");
    assertThat(Postman.MOST_UNDER_WAY).hasValue(2);
  }

  @Test
  void startsWhatComesInWhileAnotherIsUnderWay() throws Exception {
    Agent target = line.target(2);
    SERVER.client().beat(target);
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    Postman.visit =
        (claimed, ends) -> {
          if (first.getCount() > 0) {
            first.countDown();
            second.await();
          } else {
            second.countDown();
          }
          return Postman.DELIVER.of(claimed, ends);
        };
    UUID slow = line.put(target, UUID.randomUUID(), 50);
    first.await();

    UUID quick = line.put(target, UUID.randomUUID(), 50);

    line.awaitState(quick, "delivered");
    line.awaitState(slow, "delivered");
  }

  @Test
  void waitsWhileTheTargetIsNotThereOrBusyOrPaused() {
    Agent busy = line.target(1);
    SERVER.client().beat(busy, "\"active_tasks\":1");
    Agent away = line.target(1);
    Agent paused = line.target(1);
    SERVER.client().beat(paused);
    SERVER.client().post("/workspaces/" + paused.id() + "/pause", paused.token(), "");
    Agent nowhere = SERVER.client().createOnline("nowhere", "\"delivery_mode\":\"push\"");
    SERVER.database().execute("UPDATE workspaces SET url = '' WHERE id = '" + nowhere.id() + "'");
    List<UUID> ids =
        List.of(
            line.put(busy, null, 50),
            line.put(away, null, 50),
            line.put(paused, null, 50),
            line.put(nowhere, null, 50));
    Agent there = line.target(1);
    SERVER.client().beat(there);

    line.pass();
    SERVER.client().beat(paused);
    line.awaitState(line.put(there, null, 50), "delivered");

    Awaitility.await()
        .atMost(TestLine.PATIENCE)
        .until(() -> SERVER.database().value("SELECT count(*) FROM delivery_jobs").equals("0"));
    assertThat(Postman.VISITED).doesNotContainAnyElementsOf(ids);
    SERVER.client().beat(busy, "\"active_tasks\":0");
    line.awaitState(ids.getFirst(), "delivered");
  }

  @Test
  void backsOffAfterFailuresAndStaysTheSameRow() {
    Agent target = line.target(1);
    SERVER.client().beat(target);
    Postman.visit =
        (claimed, ends) -> {
          if (claimed.message().attempts() == 2) {
            throw new IllegalStateException("broke on Bearer " + "x".repeat(43));
          }
          return new Attempt.Later("refused");
        };
    UUID id = line.put(target, null, 50);
    int[] pauses = {5, 10, 20, 40};
    for (int attempt = 1; attempt <= pauses.length; attempt++) {
      awaitPause(id, attempt, pauses[attempt - 1]);
      String error = line.of(id, "error");
      if (attempt == 2) {
        assertThat(error).contains("broke on").doesNotContain("xxxxxxxx");
      } else {
        assertThat(error).isEqualTo("refused");
      }
      boolean last = attempt == pauses.length;
      line.set(id, (last ? "attempts = 40, " : "") + "next_attempt_at = clock_timestamp()");
      SERVER.client().beat(target);
    }
    awaitPause(id, 41, 300);
  }

  private void awaitPause(UUID id, int attempts, int seconds) {
    String left = "extract(epoch FROM next_attempt_at - clock_timestamp())";
    Awaitility.await("attempt " + attempts)
        .atMost(TestLine.PATIENCE)
        .until(() ->
            line.of(
                    id,
                    "state = 'waiting' AND attempts = %d AND %s BETWEEN %d AND %d"
                        .formatted(attempts, left, seconds - 4, seconds))
                .equals("t"));
  }

  @Test
  void comesBackByItselfWhenThePauseIsOver() {
    Agent target = line.target(1);
    SERVER.client().beat(target);
    Postman.visit =
        (claimed, ends) ->
            claimed.message().attempts() == 1
                ? new Attempt.Later(null)
                : Postman.DELIVER.of(claimed, ends);

    UUID id = line.put(target, null, 50);

    line.awaitState(id, "delivered");
    assertThat(line.of(id, "extract(epoch FROM ended_at - enqueued_at) BETWEEN 5 AND 9"))
        .isEqualTo("t");
  }

  @Test
  void countsNoAttemptWhenTheTargetRefusesForWantOfRoom() {
    Agent target = line.target(2);
    SERVER.client().beat(target);
    Postman.visit = (claimed, ends) -> new Attempt.NoRoom();
    UUID id = line.put(target, null, 50);
    Awaitility.await().atMost(TestLine.PATIENCE).until(() -> Postman.visitsTo(id) > 0);
    line.awaitState(id, "waiting");
    Awaitility.await()
        .atMost(TestLine.PATIENCE)
        .until(() -> SERVER.database().value("SELECT count(*) FROM delivery_jobs").equals("0"));
    assertThat(line.of(id, "attempts || ' ' || (next_attempt_at = enqueued_at)"))
        .isEqualTo("0 true");

    Postman.visit = Postman.DELIVER;
    line.queue().kick(List.of(target.id(), UUID.randomUUID()));

    line.awaitState(id, "delivered");
    assertThat(line.of(id, "attempts")).isEqualTo("1");
  }

  @Test
  void isEndedOnlyByWhoHoldsTheLease() {
    Agent target = line.target(1);
    SERVER.client().beat(target);
    Postman.visit =
        (claimed, ends) -> {
          var other = new Claimed(claimed.message(), claimed.owner() + "0");
          ends.as(other, EndState.FAILED, "not mine");
          assertThat(Postman.NOT_OURS).containsExactly(claimed.message().queueId());
          return ends.as(claimed, EndState.FAILED, "said no");
        };

    UUID id = line.put(target, null, 50);

    line.awaitState(id, "failed");
    assertThat(line.of(id, "error")).isEqualTo("said no");
    assertThat(SERVER.metrics()).contains("muster_queue_ends_total{state=\"failed\"} 1.0");
  }

  @Test
  void knowsWhatIsAheadOfANewMessage() {
    Agent target = line.target(1);
    UUID sender = UUID.randomUUID();
    assertThat(line.queue().ahead(target.id(), sender)).isEqualTo(new Ahead(0, false));
    UUID first = line.put(target, sender, 50);
    line.put(target, UUID.randomUUID(), 50);

    assertThat(line.queue().ahead(target.id(), sender)).isEqualTo(new Ahead(2, true));
    assertThat(line.queue().ahead(target.id(), null)).isEqualTo(new Ahead(2, false));
    line.put(target, null, 50);
    assertThat(line.queue().ahead(target.id(), null)).isEqualTo(new Ahead(3, true));
    line.set(
        first,
        "state = 'delivering', lease_owner = 'x', lease_until = clock_timestamp() + interval '1h'");
    assertThat(line.queue().ahead(target.id(), sender)).isEqualTo(new Ahead(2, true));
  }
}
