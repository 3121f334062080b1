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

  public static final String MESSAGE =
      """
      {"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","parts":[
          {"kind":"text","text":"Hello."}]}}}
      """;

  /** Leaves the table {@code more} with the ids. */
  private static final String INSERT =
      """
      CREATE TEMPORARY TABLE more AS SELECT gen_random_uuid() AS id, n FROM generate_series(1, %1$d) n;
      INSERT INTO workspaces (id, name, role, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
          updated_at, parent_id)
      SELECT id, '%2$s ' || n, 'many', 1, 'external', '', 'poll', 1, 0, 0, now(), now(), %3$s FROM more;
      INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
      SELECT id, 'online', now(), now() FROM more;
      INSERT INTO activity_feeds (workspace_id) SELECT id FROM more;
      """;

  private BulkFleet() {}

  /** Inserts online workspaces that have no agent, named {@code <name> 1} and so on. */
  public static void insert(TestDatabase database, String name, int workspaces) {
    database.execute(INSERT.formatted(workspaces, name, "NULL::uuid") + "DROP TABLE more;");
  }

  /** Inserts messages that are not due yet for each workspace of the table {@code more}. */
  private static final String MESSAGES =
      """
      INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, status, listed_bytes, created_at, feed_bytes)
      SELECT id, 1000000 + i, 'c', 'a2a_receive', 'canvas_user', 'ok', 0, now(), 0
      FROM more CROSS JOIN generate_series(1, %1$d) AS i;
      INSERT INTO deliveries (workspace_id, seq, kind, queued, depth, priority, enqueued_at, due_at, expires_at)
      SELECT id, 1000000 + i, 'message', true, 0, 50, now(), now() + interval '1 hour', now() + interval '1 day'
      FROM more CROSS JOIN generate_series(1, %1$d) AS i;
      """;

  private static final String DELEGATIONS =
      """
      INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, deadline_s, deadline,
          created_at, updated_at)
      SELECT 'd-' || gen_random_uuid(), gen_random_uuid(), '%s', %s, 'Do it.', 'in_progress', 3600,
          now() + interval '1 hour', now(), now()
      """;

  /**
   * Inserts children of a workspace. For each wait {@code messages} messages, and one delegation
   * from the caller.
   */
  public static void insertBelow(
      TestDatabase database, UUID parent, int workspaces, int messages, UUID caller) {
    database.execute(
        INSERT.formatted(workspaces, "below", "'" + parent + "'")
            + MESSAGES.formatted(messages)
            + DELEGATIONS.formatted(caller, "id")
            + "FROM more; DROP TABLE more");
  }

  /** Inserts delegations that are in progress. */
  public static void insertDelegations(
      TestDatabase database, UUID caller, UUID callee, int delegations) {
    database.execute(
        DELEGATIONS.formatted(caller, "'" + callee + "'")
            + "FROM generate_series(1, "
            + delegations
            + ")");
  }

  /** Inserts messages that wait for one workspace. */
  public static void insertMessages(TestDatabase database, UUID target, int messages) {
    database.execute(
        "CREATE TEMPORARY TABLE more AS SELECT CAST('"
            + target
            + "' AS uuid) AS id;"
            + MESSAGES.formatted(messages)
            + "DROP TABLE more;");
  }

  /** Says what a change would do; {@code fields} are JSON. */
  public static JsonNode preview(TestClient client, String fields) {
    Answer seen = client.post("/admin/bulk?dry_run=true", ADMIN_TOKEN, "{" + fields + "}");
    if (seen.status() != 200) {
      throw new AssertionError(seen);
    }
    return seen.json();
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
