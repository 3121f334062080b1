package dev.muster.message.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.QueueRepository;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/** For which targets the queue's worker claims messages (R7.7). */
class QueueCapacityTest {

  private static final TestServer SERVER = TestServer.shared();

  private final TestClient client = SERVER.client();
  private final TestQueue queue = TestQueue.of(SERVER);
  private final QueueRepository repository = SERVER.bean(QueueRepository.class);

  private Agent online(int activeTasks) {
    Agent agent = queue.target(1);
    client.heartbeat(agent, "\"active_tasks\":" + activeTasks);
    return agent;
  }

  @Test
  void asksForThoseWithAFreeSlotAndThosePolling() {
    UUID idle = online(0).id();
    UUID busy = online(1).id();
    UUID silent = queue.target(1).id();
    UUID polls = client.create("Polls", "\"delivery_mode\":\"poll\"").id();

    assertThat(repository.canTake(List.of(polls, busy, silent, idle, UUID.randomUUID()), _ -> 1))
        .containsExactly(polls, idle);
    assertThat(repository.canTake(List.of(idle), _ -> 0)).isEmpty();
  }

  /** In a transaction that is undone, so that the worker does not claim the result. */
  @Test
  void asksForThoseWhoseOnlySlotIsInUseWhenAResultWaits() {
    Agent busy = online(1);
    Queued message = queue.put(busy);
    JdbcClient db = SERVER.bean(JdbcClient.class);
    SERVER
        .bean(TransactionTemplate.class)
        .executeWithoutResult(transaction -> {
          transaction.setRollbackOnly();
          String result = "UPDATE deliveries SET kind = 'result' WHERE " + message.condition();
          String late = "UPDATE deliveries SET expires_at = now() WHERE " + message.condition();
          assertThat(repository.canTake(List.of(busy.id()), _ -> 1)).isEmpty();
          db.sql(result).update();
          assertThat(repository.canTake(List.of(busy.id()), _ -> 1)).containsExactly(busy.id());
          db.sql(late).update();
          assertThat(repository.canTake(List.of(busy.id()), _ -> 1)).isEmpty();
        });
  }

  @Test
  void countsWhatIsBeingDelivered() {
    Agent target = queue.target(1);
    queue.claimByAnotherReplica(queue.put(target));
    client.heartbeat(target);
    assertThat(repository.canTake(List.of(target.id()), _ -> 1)).isEmpty();
    SERVER
        .database()
        .execute("UPDATE workspaces SET max_concurrent_tasks = 2 WHERE id = '" + target.id() + "'");
    assertThat(repository.canTake(List.of(target.id()), _ -> 1)).isEmpty();
    assertThat(repository.canTake(List.of(target.id()), _ -> 2)).containsExactly(target.id());
  }

  /** A lock would keep the next message from being stored until the claim has ended. */
  @Test
  void locksNoFeedOfABusyAgent() throws IOException {
    Agent busy = online(1);
    try (TestPeer peer = TestPeer.start()) {
      Agent idle = queue.target(peer.url(), 1);
      Queued forIdle = queue.put(idle);
      Queued forBusy = queue.put(busy);
      String lastLock = lastLock(busy);
      client.heartbeat(busy, "\"active_tasks\":1");
      client.heartbeat(idle);
      queue.awaitState(forIdle, "delivered");
      assertThat(queue.open(forBusy, "attempts")).isEqualTo("0");
      assertThat(lastLock(busy)).isEqualTo(lastLock);
    }
  }

  private static String lastLock(Agent agent) {
    return SERVER
        .database()
        .value("SELECT xmax FROM activity_feeds WHERE workspace_id = '" + agent.id() + "'");
  }
}
