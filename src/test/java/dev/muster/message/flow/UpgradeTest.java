package dev.muster.message.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestPeer.Delivery;
import dev.muster.testing.TestServer;
import java.util.UUID;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/**
 * What waited in the database of an earlier version goes on after an upgrade: messages in their
 * order, and a bulk run that was half done. Costs the start of a server.
 */
@Slow
@Tag("sql")
@Timeout(90)
class UpgradeTest {

  /** Before the queue had lanes, and bulk runs the number of their stored outcomes. */
  private static final String EARLIER = "6";

  private static final int WAITING = 3;

  @Test
  void goesOnWithWhatWaited() throws Exception {
    TestDatabase database = TestDatabases.createEmpty();
    Flyway.configure()
        .dataSource(database.url(), null, null)
        .locations("classpath:db/migration")
        .target(EARLIER)
        .load()
        .migrate();
    try (TestPeer peer = TestPeer.start().usually(PeerBehavior.echo())) {
      UUID called = insertWorkspace(database, "push", peer.url(), "online");
      insertWaiting(database, called);
      UUID done = insertWorkspace(database, "poll", "", "paused");
      UUID next = insertWorkspace(database, "poll", "", "online");
      UUID run = insertHalfDoneRun(database, done, next);

      database.migrate();
      database.execute(
          "UPDATE control_plane_uptime SET down_since = now(), up_since = now(), alive_until ="
              + " now()");
      try (TestServer server =
          TestServer.startOn(
              database, "AGENT_URL_ALLOW=loopback", "LIVENESS_SWEEP_INTERVAL_S=86400")) {
        assertThat(peer.awaitDeliveries(WAITING))
            .extracting(UpgradeTest::messageId)
            .containsExactly("m-1", "m-2", "m-3");
        await().until(() -> database.value("SELECT count(*) FROM deliveries").equals("0"));

        JsonNode stored = awaitEnd(server, run);
        assertThat(Stream.of("done", "skipped", "failed").map(stored::path).map(JsonNode::asInt))
            .containsExactly(2, 0, 0);
        assertThat(
                database.value(
                    "SELECT status FROM workspace_heartbeats WHERE workspace_id = '" + next + "'"))
            .isEqualTo("paused");
      }
    }
  }

  private static String messageId(Delivery delivery) {
    return delivery.text().replaceFirst("(?s).*\"messageId\":\"([^\"]+)\".*", "$1");
  }

  private static JsonNode awaitEnd(TestServer server, UUID run) {
    return await()
        .until(
            () ->
                server
                    .client()
                    .get("/admin/bulk/" + run, TestServer.ADMIN_TOKEN)
                    .json()
                    .path("run"),
            state -> state.path("state").asString().equals("done"));
  }

  private static UUID insertWorkspace(
      TestDatabase database, String mode, String url, String status) {
    UUID id = UUID.randomUUID();
    database.execute(
        """
        INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
            updated_at)
        VALUES ('%1$s', 'w', 3, 'external', '%2$s', '%3$s', 1, 0, 0, now(), now());
        INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
        VALUES ('%1$s', '%4$s', now(), now())
        """
            .formatted(id, url, mode, status));
    return id;
  }

  /** Queues messages of one sender, the last first. */
  private static void insertWaiting(TestDatabase database, UUID target) {
    database.execute(
        """
        INSERT INTO activity_feeds (workspace_id, last_seq, last_created_at) VALUES ('%1$s', %2$d, now());
        INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, method, status, message_id,
            request_body, request_bytes, listed_bytes, created_at, feed_bytes)
        SELECT '%1$s', n, 'p', 'a2a_receive', 'peer_agent', '%3$s', 'message/send', 'ok', 'm-' || n,
            '{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m-' || n || '"}}}', 90, 100,
            now() + n * interval '1 us', 0
        FROM generate_series(1, %2$d) AS n;
        INSERT INTO deliveries (workspace_id, seq, sender_id, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
        SELECT workspace_id, seq, source_id, 'message', true, seq, 50, created_at, now(), now() + interval '1 hour'
        FROM activity_logs WHERE workspace_id = '%1$s' ORDER BY seq DESC
        """
            .formatted(target, WAITING, UUID.randomUUID()));
  }

  private static UUID insertHalfDoneRun(TestDatabase database, UUID done, UUID next) {
    UUID id = UUID.randomUUID();
    database.execute(
        """
        INSERT INTO bulk_runs (id, action, filter, cascade, who, targets, total, handled, done, created_at, due_at)
        VALUES ('%1$s', 'pause', 'name:w', false, 'admin', '{%2$s,%3$s}', 2, 1, 1, now(), now());
        INSERT INTO bulk_items (run_id, position, workspace_id, outcome, changed_at) VALUES ('%1$s', 1, '%2$s', 'done', now())
        """
            .formatted(id, done, next));
    return id;
  }
}
