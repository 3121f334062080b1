package dev.muster.message.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.flow.CountingAgent;
import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.ReplicaLease;
import dev.muster.testing.FastPace;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent's answer to a queued message survives a database outage. */
@Slow
@Timeout(240)
class QueueOutageTest {

  private static TestServer startFast() {
    return TestServer.startWith(
        TestDatabases.create(), List.of(FastPace.class), "AGENT_URL_ALLOW=loopback");
  }

  /**
   * The agent has answered, and the database refuses writes for longer than one attempt to store
   * it.
   */
  @Test
  void isStoredAfterAnOutageWithoutAnotherDelivery() throws Exception {
    try (TestServer alone = startFast();
        CountingAgent agent = new CountingAgent();
        Connection connection = alone.database().connect();
        Statement lock = connection.createStatement()) {
      connection.setAutoCommit(false);
      agent.works(messageId -> {
        lock("LOCK TABLE delivery_outcomes", lock);
        return 200;
      });
      TestQueue ofAlone = TestQueue.of(alone);
      Agent target = ofAlone.target(agent.url(), 1);
      Queued queued = ofAlone.put(target);
      alone.client().heartbeat(target);
      awaitTry(alone, awaitTry(alone, ""));

      connection.rollback();

      ofAlone.awaitState(queued, "delivered");
      assertThat(agent.received()).containsExactly(queued.messageId());
    }
  }

  /**
   * The outage lasts longer than an attempt and than the lease; no other replica can renew its
   * lease either.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void isStoredAfterAnOutageThatOutlastsTheLease(boolean isQueued) throws Exception {
    try (TestServer alone = startFast();
        CountingAgent agent = new CountingAgent();
        Connection connection = alone.database().connect();
        Statement lock = connection.createStatement()) {
      connection.setAutoCommit(false);
      agent.works(messageId -> {
        lock("LOCK TABLE replicas, delivery_outcomes", lock);
        return 200;
      });
      TestQueue ofAlone = TestQueue.of(alone);
      Agent target = ofAlone.target(agent.url(), 1);
      Optional<Queued> queued = isQueued ? Optional.of(ofAlone.put(target)) : Optional.empty();
      alone.client().heartbeat(target);
      if (!isQueued) {
        assertThat(ofAlone.send(target, null, "direct", 50).status()).isEqualTo(503);
      }
      awaitTry(alone, awaitTry(alone, ""));
      ReplicaLease lease = alone.bean(ReplicaLease.class);
      Awaitility.await().atMost(TestQueue.TIMEOUT.multipliedBy(2)).until(() -> !lease.isAlive());

      connection.rollback();

      Awaitility.await()
          .atMost(TestQueue.TIMEOUT)
          .until(
              () -> alone.database().value("SELECT string_agg(state, ' ') FROM delivery_outcomes"),
              "answered"::equals);
      assertThat(agent.received()).containsExactly(queued.map(Queued::messageId).orElse("direct"));
      assertThat(alone.database().value("SELECT count(*) FROM deliveries")).isEqualTo("0");
    }
  }

  private static void lock(String sql, Statement statement) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Waits for an attempt to store the outcome, other than {@code before}, that the lock holds;
   * returns when it began.
   */
  private static String awaitTry(TestServer server, String before) {
    return Awaitility.await()
        .atMost(TestQueue.TIMEOUT)
        .until(
            () ->
                server
                    .database()
                    .value(
                        """
                        SELECT max(query_start) FROM pg_stat_activity
                        WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%WITH ended AS%'
                        """),
            at -> !at.equals("null") && !at.equals(before));
  }
}
