package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The cost of a heartbeat, counted by the database itself and not timed. */
@Slow
class HeartbeatCostTest {

  private static final int AGENTS = 40;
  private static final int HEARTBEATS = 25;

  @Test
  void sendsOneStatementForABatchOfSteadyHeartbeatsAndNoneForACachedToken() throws Exception {
    try (TestServer server = TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400")) {
      assumeThat(server.database().value("SHOW shared_preload_libraries"))
          .contains("pg_stat_statements");
      server.database().execute("CREATE EXTENSION pg_stat_statements");
      TestClient client = server.client();
      List<Agent> fleet =
          IntStream.range(0, AGENTS).mapToObj(i -> client.createOnline("a" + i)).toList();
      var batches =
          server
              .bean(MeterRegistry.class)
              .get("muster.commit.batch.size")
              .tag("name", "heartbeat")
              .summary();
      long batchesBefore = batches.count();
      server.database().execute("SELECT pg_stat_statements_reset()");

      heartbeatAtOnce(client, fleet);

      assertThat(batches.count() - batchesBefore).isLessThan(AGENTS * HEARTBEATS);
      long queueSweeps = calls(server, "%FROM deliveries%workspace_heartbeats%");
      assertThat(calls(server, "%workspace_heartbeats%") - queueSweeps)
          .isEqualTo(batches.count() - batchesBefore);
      assertThat(calls(server, "%WHERE hash = %")).isZero();
      // those of background loops: the publisher, the uptime, the bulk runs, and the queue
      assertThat(calls(server, "BEGIN%"))
          .isLessThanOrEqualTo(
              calls(server, "%event_head%")
                  + calls(server, "%UPDATE control_plane_uptime%")
                  + calls(server, "%FROM bulk_runs%")
                  + calls(server, "%set_config(%"));
    }
  }

  @Test
  void updatesRowsOfTheHotTableInPlace() throws Exception {
    TestDatabase database = TestDatabases.create();
    try (TestServer server = TestServer.startOn(database)) {
      TestClient client = server.client();
      List<Agent> fleet =
          IntStream.range(0, AGENTS).mapToObj(i -> client.createOnline("a" + i)).toList();
      heartbeatAtOnce(client, fleet);
    }
    // the counts of a connection that is closed come at once, those of an idle one after 10 s
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> updates(database, "n_tup_upd") >= AGENTS * HEARTBEATS);
    assertThat(updates(database, "n_tup_hot_upd"))
        .isGreaterThanOrEqualTo(95 * updates(database, "n_tup_upd") / 100);
  }

  private static void heartbeatAtOnce(TestClient client, List<Agent> fleet) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> beating = new ArrayList<>();
      for (Agent agent : fleet) {
        beating.add(
            threads.submit(() -> {
              for (int i = 0; i < HEARTBEATS; i++) {
                assertThat(client.heartbeatOnce(agent, "\"active_tasks\":1").status())
                    .isEqualTo(200);
              }
            }));
      }
      for (Future<?> one : beating) {
        one.get();
      }
    }
  }

  private static long updates(TestDatabase database, String column) {
    String counted =
        "SELECT " + column + " FROM pg_stat_user_tables WHERE relname = 'workspace_heartbeats'";
    return Long.parseLong(database.value(counted));
  }

  private static long calls(TestServer server, String like) {
    return Long.parseLong(
        server
            .database()
            .value(
                """
                SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
                WHERE d.datname = current_database() AND query LIKE '%s'
                """
                    .formatted(like)));
  }
}
