package dev.muster.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether the delivery mode of a workspace was said, when an existing database is migrated. */
@Tag("sql")
class DeliveryModeMigrationTest {

  @Test
  void countsAsSaidUnlessNoAgentEverPolled() {
    TestDatabase database = TestDatabases.createEmpty();
    Flyway.configure()
        .dataSource(database.url(), null, null)
        .locations("classpath:db/migration")
        .target("14")
        .load()
        .migrate();
    UUID named = workspace(database, "poll", "NULL");
    UUID polls = workspace(database, "poll", "now()");
    UUID waits = workspace(database, "push", "NULL");
    UUID pushed = workspace(database, "push", "now()");

    database.migrate();

    assertThat(said(database, named)).isEqualTo("false null");
    assertThat(said(database, polls)).isEqualTo("true null");
    assertThat(said(database, waits)).isEqualTo("true null");
    assertThat(said(database, pushed)).isEqualTo("true null");
  }

  private static UUID workspace(TestDatabase database, String mode, String lastHeartbeatAt) {
    UUID id = UUID.randomUUID();
    database.execute(
        """
        INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
            updated_at)
        VALUES ('%1$s', 'w', 3, 'external', '', '%2$s', 1, 0, 0, now(), now());
        INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
        VALUES ('%1$s', 'awaiting_agent', now(), %3$s)
        """
            .formatted(id, mode, lastHeartbeatAt));
    return id;
  }

  private static String said(TestDatabase database, UUID id) {
    return database.value(
        "SELECT mode_said || ' ' || coalesce(agent_protocol, 'null') FROM workspaces WHERE id = '%s'"
            .formatted(id));
  }
}
