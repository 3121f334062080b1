package dev.muster.console.bulk;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;

/** A fleet of any size, and the calls for changes of many of it. */
public final class BulkFleet {

  private BulkFleet() {}

  /** Inserts online workspaces that have no agent, named {@code <name> 1} and so on. */
  public static void insert(TestDatabase database, String name, int workspaces) {
    database.execute(
        """
        CREATE TEMPORARY TABLE more AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, %d) n;
        INSERT INTO workspaces (id, name, role, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
            updated_at)
        SELECT id, '%s ' || n, 'many', 1, 'external', '', 'poll', 1, 0, 0, now(), now() FROM more;
        INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
        SELECT id, 'online', now(), now() FROM more;
        INSERT INTO activity_feeds (workspace_id) SELECT id FROM more;
        DROP TABLE more;
        """
            .formatted(workspaces, name));
  }

  /** Says what a change would do; {@code fields} are JSON. */
  public static JsonNode preview(TestClient client, String fields) {
    return client.post("/admin/bulk?dry_run=true", ADMIN_TOKEN, "{" + fields + "}").json();
  }

  public static Answer start(TestClient client, String fields) {
    return client.post("/admin/bulk", ADMIN_TOKEN, "{" + fields + "}");
  }

  /** Starts with the count of a preview, and waits for the end; returns the run. */
  public static JsonNode run(TestClient client, String fields) {
    int count = preview(client, fields).path("count").asInt();
    Answer started = start(client, fields + ",\"expect_count\":" + count);
    if (started.status() != 202) {
      throw new AssertionError(started);
    }
    return awaitEnd(client, UUID.fromString(started.field("bulk_id")));
  }

  public static JsonNode read(TestClient client, UUID run) {
    return client.get("/admin/bulk/" + run, ADMIN_TOKEN).json();
  }

  public static JsonNode awaitEnd(TestClient client, UUID run) {
    return Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(50))
        .until(
            () -> read(client, run).path("run"),
            state -> !state.path("state").asString().equals("running"));
  }
}
