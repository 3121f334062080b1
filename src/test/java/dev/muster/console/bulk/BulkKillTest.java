package dev.muster.console.bulk;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Nightly;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** A bulk run whose server is killed goes on at the next one, and does nothing twice. */
@Nightly
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class BulkKillTest {

  private static final int WORKSPACES = 3_000;

  /** In the second of three batches, which are in the order of the ids. */
  private static final String LOCK_ONE =
      """
      SELECT FROM workspace_heartbeats WHERE workspace_id =
          (SELECT id FROM workspaces WHERE name LIKE 'many %' ORDER BY id OFFSET 1500 LIMIT 1)
      FOR UPDATE
      """;

  private static final String SERVERS_CONNECTIONS =
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
      """;

  @TempDir Path folder;

  private final TestDatabase database = TestDatabases.create();

  private int count(String sql) {
    return Integer.parseInt(database.value(sql));
  }

  /** In the second of three batches, too. */
  private static final String LOCK_A_DELEGATION =
      """
      SELECT FROM delegations WHERE callee_id =
          (SELECT id FROM workspaces WHERE name LIKE 'below %' ORDER BY id OFFSET 1500 LIMIT 1)
      FOR UPDATE
      """;

  @Test
  void removalGoesOnAfterAKilledServer() throws Exception {
    UUID run;
    try (ServerProcess killed =
        ServerProcess.start(
                folder, ServerProcess.settings(database.url(), "LIVENESS_SWEEP_INTERVAL_S=86400"))
            .awaitReady()) {
      Agent caller = killed.client().create("Caller");
      Agent root = killed.client().create("Root");
      BulkFleet.insertBelow(database, root.id(), WORKSPACES, 2, caller.id());
      try (Connection connection = database.connect();
          Statement lock = connection.createStatement()) {
        connection.setAutoCommit(false);
        lock.execute(LOCK_A_DELEGATION);
        Answer removed =
            killed.client().delete("/workspaces/" + root.id() + "?confirm=true", ADMIN_TOKEN);
        run = UUID.fromString(removed.field("bulk_id"));
        Awaitility.await()
            .until(() -> count("SELECT handled FROM bulk_runs") > 0 && database.lockWaits() > 0);
        killed.kill();
      }
      Awaitility.await().until(() -> count(SERVERS_CONNECTIONS) == 0); // a commit may be under way
    }
    assertThat(count("SELECT count(*) FROM delegations WHERE terminal_status IS NULL"))
        .isBetween(1, WORKSPACES - 1);

    try (TestServer next = TestServer.startWithoutSweepsOn(database)) {
      JsonNode ended = BulkFleet.awaitEnd(next.client(), run);

      assertThat(ended.path("done").asInt()).isEqualTo(WORKSPACES + 1);
      assertThat(count("SELECT count(*) FROM delegations WHERE error_detail = 'callee removed'"))
          .isEqualTo(WORKSPACES);
      assertThat(count("SELECT count(*) FROM activity_logs WHERE source = 'system'"))
          .as("a result for each")
          .isEqualTo(WORKSPACES);
      // the sweep of the queue may hold the last ones
      Awaitility.await().until(() -> count("SELECT count(*) FROM deliveries") == 0);
    }
  }

  @Test
  void bulkGoesOnAfterAKilledServer() throws Exception {
    UUID run;
    int done;
    try (ServerProcess killed =
        ServerProcess.start(
                folder, ServerProcess.settings(database.url(), "LIVENESS_SWEEP_INTERVAL_S=86400"))
            .awaitReady()) {
      BulkFleet.insert(database, "many", WORKSPACES);
      try (Connection connection = database.connect();
          Statement lock = connection.createStatement()) {
        connection.setAutoCommit(false);
        lock.execute(LOCK_ONE);
        Answer started =
            BulkFleet.start(
                killed.client(),
                "\"action\":\"pause\",\"filter\":\"name:many\",\"expect_count\":" + WORKSPACES);
        run = UUID.fromString(started.field("bulk_id"));
        Awaitility.await()
            .until(() -> count("SELECT handled FROM bulk_runs") > 0 && database.lockWaits() > 0);
        killed.kill();
      }
      Awaitility.await().until(() -> count(SERVERS_CONNECTIONS) == 0); // a commit may be under way
      done = count("SELECT done FROM bulk_runs");
    }
    assertThat(done).isEqualTo(1000);
    assertThat(count("SELECT count(*) FROM workspace_heartbeats WHERE status = 'paused'"))
        .isEqualTo(done);
    assertThat(count("SELECT count(*) FROM bulk_items")).isEqualTo(done);

    try (TestServer next = TestServer.startWithoutSweepsOn(database)) {
      JsonNode ended = BulkFleet.awaitEnd(next.client(), run);

      assertThat(ended.path("state").asString()).isEqualTo("done");
      assertThat(ended.path("done").asInt()).isEqualTo(WORKSPACES);
      assertThat(count("SELECT count(*) FROM workspace_heartbeats WHERE status = 'paused'"))
          .isEqualTo(WORKSPACES);
      assertThat(
              database.value(
                  """
                  SELECT count(*) || ' of ' || count(DISTINCT workspace_id) FROM events
                  WHERE event_type = 'WORKSPACE_PAUSED'
                  """))
          .isEqualTo(WORKSPACES + " of " + WORKSPACES);
      assertThat(
              count("SELECT count(DISTINCT workspace_id) FROM bulk_items WHERE outcome = 'done'"))
          .isEqualTo(WORKSPACES);
    }
  }
}
