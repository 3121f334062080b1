package dev.muster.heartbeat;

import dev.muster.testing.TestDatabases.TestDatabase;
import java.time.Instant;
import java.util.UUID;

/** Workspaces written straight into the tables, with the last heartbeat that a test sets. */
record StaleFleet(TestDatabase database) {

  void clear() {
    database.execute(
        """
        TRUNCATE workspaces, workspace_heartbeats, activity_feeds, runtime_heads CASCADE;
        DELETE FROM events;
        UPDATE control_plane_uptime SET hold_since = NULL
        """);
  }

  UUID add(String status, Instant lastHeartbeatAt) {
    UUID id = UUID.randomUUID();
    insert("SELECT '" + id + "'::uuid AS id", status, "'" + lastHeartbeatAt + "'");
    return id;
  }

  void add(int many, String status, Instant lastHeartbeatAt) {
    addMany(many, status, "'" + lastHeartbeatAt + "'");
  }

  /** {@code lastHeartbeatAt} is an SQL expression. */
  void addMany(int many, String status, String lastHeartbeatAt) {
    insert(
        "SELECT gen_random_uuid() AS id FROM generate_series(1, " + many + ")",
        status,
        lastHeartbeatAt);
  }

  private void insert(String ids, String status, String lastHeartbeatAt) {
    String reason = status.equals("degraded") ? "'error_rate'" : "NULL";
    database.execute(
        """
        CREATE TEMPORARY TABLE new_ones AS %4$s;
        INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
            created_at, updated_at)
        SELECT id, 'w', 3, 'external', '', 'poll', 1, 0, 0, now(), now() FROM new_ones;
        INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at, degraded_reason, stalled,
            busy_since)
        SELECT id, '%1$s', now(), %2$s, %3$s, true, now() FROM new_ones;
        INSERT INTO activity_feeds (workspace_id) SELECT id FROM new_ones;
        DROP TABLE new_ones
        """
            .formatted(status, lastHeartbeatAt, reason, ids));
  }

  String statusOf(UUID id) {
    return database.value(
        "SELECT status FROM workspace_heartbeats WHERE workspace_id = '" + id + "'");
  }

  int count(String status) {
    return number("SELECT count(*) FROM workspace_heartbeats WHERE status = '" + status + "'");
  }

  int events(String type) {
    return number("SELECT count(*) FROM events WHERE event_type = '" + type + "'");
  }

  private int number(String sql) {
    return Integer.parseInt(database.value(sql));
  }
}
