package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A stall that lasts when the server is upgraded keeps its begin. */
@Tag("sql")
class StalledSinceMigrationTest {

  @Test
  void takesTheTimeOfTheNewestEvent() {
    TestDatabase database = TestDatabases.createEmpty();
    Flyway.configure()
        .dataSource(database.url(), null, null)
        .locations("classpath:db/migration")
        .target("12")
        .load()
        .migrate();
    UUID stalled = UUID.randomUUID();
    UUID withoutEvent = UUID.randomUUID();
    UUID writing = UUID.randomUUID();
    for (UUID id : new UUID[] {stalled, withoutEvent, writing}) {
      database.execute(
          """
          INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
              updated_at)
          VALUES ('%1$s', 'w', 3, 'external', '', 'poll', 1, 0, 0, now(), now());
          INSERT INTO workspace_heartbeats (workspace_id, status, status_since, stalled)
          VALUES ('%1$s', 'online', now(), %2$s)
          """
              .formatted(id, !id.equals(writing)));
    }
    for (UUID id : new UUID[] {stalled, writing}) {
      database.execute(
          """
          INSERT INTO events (id, event_type, workspace_id, payload, created_at)
          SELECT gen_random_uuid(), type, '%s', '{}', time::timestamptz FROM (VALUES
              ('WORKSPACE_STALLED', '2026-03-01T09:00:00Z'), ('WORKSPACE_STALLED', '2026-03-01T10:00:00Z'),
              ('WORKSPACE_UPDATED', '2026-03-01T11:00:00Z')) AS one (type, time)
          """
              .formatted(id));
    }

    database.migrate();

    assertThat(since(database, stalled)).isEqualTo("2026-03-01 10:00:00");
    assertThat(since(database, withoutEvent)).isEqualTo("none");
    assertThat(since(database, writing)).isEqualTo("none");
  }

  private static String since(TestDatabase database, UUID id) {
    return database.value(
        """
        SELECT coalesce(to_char(stalled_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), 'none')
        FROM api_workspace_status WHERE workspace_id = '%s'
        """
            .formatted(id));
  }
}
