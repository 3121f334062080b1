package dev.muster.a2a.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionTemplate;

/** Replicas that claim from one target's line at the same moment (R7.7). */
@Slow
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(Postman.ONLY_ONE)
class ClaimRaceTest {

  private static final int MESSAGES = 60;

  private static final TestDatabase DATABASE = TestDatabases.create();
  private static final TestServer ONE = replica();
  private static final TestServer OTHER = replica();

  private final TestLine line = new TestLine(ONE);
  private final List<UUID> claimed = new CopyOnWriteArrayList<>();
  private final Set<String> atWork = ConcurrentHashMap.newKeySet();

  private static TestServer replica() {
    return TestServer.startWith(DATABASE, List.of(Postman.class), "AGENT_URL_ALLOW=loopback");
  }

  @AfterAll
  static void close() {
    ONE.close();
    OTHER.close();
  }

  @BeforeEach
  void startEmpty() {
    DATABASE.execute("DELETE FROM a2a_queue; DELETE FROM delivery_jobs WHERE NOT picked");
    Postman.reset();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void claimNothingTwiceAndNoMoreThanThereIsRoomFor(int places) {
    Agent target = line.target(places);
    List<UUID> senders = Stream.generate(UUID::randomUUID).limit(12).toList();
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      ids.add(line.put(target, senders.get(i % senders.size()), 50));
    }

    Race.run(
        4,
        racer -> {
          claimAll(racer % 2 == 0 ? ONE : OTHER, target, places, "racer-" + racer);
          return racer;
        });

    assertThat(claimed).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(DATABASE.value("SELECT count(*) FROM a2a_queue WHERE state = 'delivered'"))
        .isEqualTo(String.valueOf(MESSAGES));
    assertThat(DATABASE.value("SELECT max(attempts) FROM a2a_queue")).isEqualTo("1");
    assertThat(atWork).as("at work at once").isSubsetOf(upTo(places));
  }

  /** Whoever stood still finds that its message is another's, whatever it does then. */
  @Test
  void leaveAMessageToWhoeverHasItNow() {
    Agent target = line.target(1);
    UUID id = line.put(target, UUID.randomUUID(), 50);
    var claims = ONE.bean(ClaimRepository.class);
    Claimed lost = new Claimed(claims.claim(target.id(), 1, "first").getFirst(), "first");
    line.set(id, "lease_until = clock_timestamp()");
    assertThat(OTHER.bean(ClaimRepository.class).claim(target.id(), 1, "second")).hasSize(1);
    String standing = "concat_ws(' ', state, lease_owner, attempts, lease_until, error)";
    String held = line.of(id, standing);
    assertThat(held).startsWith("delivering second 2 ");

    assertThat(claims.renew(List.of(lost))).isEmpty();
    assertThat(line.of(id, standing)).isEqualTo(held);
    claims.giveBackUntried(lost);
    assertThat(line.of(id, standing)).isEqualTo(held);
    claims.giveBack(lost, "too late", Duration.ZERO);
    assertThat(line.of(id, standing)).isEqualTo(held);
  }

  private static List<String> upTo(int places) {
    return Stream.iterate(1, n -> n + 1).limit(places).map(String::valueOf).toList();
  }

  private void claimAll(TestServer replica, Agent target, int places, String racer) {
    var claims = replica.bean(ClaimRepository.class);
    var ends =
        new Postman.Ends(
            replica.bean(MessageQueue.class), replica.bean(TransactionTemplate.class), () -> {});
    for (int n = 0; claimed.size() < MESSAGES; n++) {
      String owner = racer + "/" + n;
      List<QueuedMessage> mine = claims.claim(target.id(), places, owner);
      for (QueuedMessage message : mine) {
        claimed.add(message.queueId());
        atWork.add(DATABASE.value("SELECT count(*) FROM a2a_queue WHERE state = 'delivering'"));
      }
      for (QueuedMessage message : mine) {
        ends.as(new Claimed(message, owner), EndState.DELIVERED, null);
      }
    }
  }

  @Test
  void deliverOneAtATimeThoughBothHearTheTargetBeat() {
    Agent target = line.target(1);
    List<UUID> ids = new ArrayList<>();
    List<TestServer> replicas = List.of(ONE, OTHER);

    for (int i = 0; i < 20; i++) {
      TestServer from = replicas.get(i % 2);
      ids.add(new TestLine(from).put(target, UUID.randomUUID(), i % 3 == 0 ? 100 : 50));
      Race.run(
          2,
          replica -> {
            replicas.get(replica).client().beat(target);
            return replica;
          });
    }

    ids.forEach(id -> line.awaitState(id, "delivered"));
    assertThat(Postman.VISITED).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(Postman.MOST_UNDER_WAY).hasValue(1);
    assertThat(Postman.NOT_OURS).isEmpty();
  }
}
