package dev.muster.message.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Unread messages of an earlier version are queued on the terms that they had (R3.2, R7.7). */
@Tag("sql")
class DeliveryTermsMigrationTest {

  private static final UUID CALLER = UUID.randomUUID();
  private static final UUID CALLEE = UUID.randomUUID();

  @Test
  void keepsDeadlinesOfDelegationsAndThePriorityOfResults() {
    TestDatabase database = TestDatabases.createEmpty();
    Flyway.configure()
        .dataSource(database.url(), null, null)
        .locations("classpath:db/migration")
        .target("17")
        .load()
        .migrate();
    database.execute(
        """
        INSERT INTO delegations (delegation_id, id, caller_id, callee_id, task_preview, status, retry_count, deadline_s,
            deadline, created_at, updated_at)
        SELECT id, gen_random_uuid(), '%1$s', '%2$s', 'task', status, retries, 60, '2026-03-01T10:00:00Z', now(), now()
        FROM (VALUES ('first', 'dispatched', 0), ('retried', 'dispatched', 1), ('ended', 'completed', 0))
            AS one (id, status, retries);
        INSERT INTO activity_feeds (workspace_id, last_seq, last_created_at, last_acked_seq)
        VALUES ('%1$s', 2, now(), 1), ('%2$s', 6, now(), 0)
        """
            .formatted(CALLER, CALLEE));
    insert(database, CALLEE, 1, "p", CALLER, "first", "first");
    insert(database, CALLEE, 2, "p", CALLER, "retried", "retried");
    insert(database, CALLEE, 3, "p", CALLER, "retried~1", "retried");
    insert(database, CALLEE, 4, "p", CALLER, "ended", "ended");
    insert(database, CALLEE, 5, "p", UUID.randomUUID(), "first", "first");
    insert(database, CALLEE, 6, "p", CALLER, "other", "first");
    insert(database, CALLER, 1, "s", null, "read", "first");
    insert(database, CALLER, 2, "s", null, "unread", "first");

    database.migrate();

    assertThat(termsIn(database, CALLEE))
        .isEqualTo(
            "1 delegation 50 2026-03-01 10:15:00, 2 delegation 50 -,"
                + " 3 delegation 50 2026-03-01 10:15:00, 4 delegation 50 -, 5 -, 6 -");
    assertThat(termsIn(database, CALLER)).isEqualTo("1 -, 2 result 100 -");
  }

  private static void insert(
      TestDatabase database,
      UUID target,
      int seq,
      String rowClass,
      @Nullable UUID sender,
      String messageId,
      String delegation) {
    database.execute(
        """
        INSERT INTO activity_logs (workspace_id, seq, class, activity_type, source, source_id, status, message_id,
            delegation_id, request_body, request_bytes, listed_bytes, created_at, feed_bytes)
        VALUES ('%s', %d, '%s', 'a2a_receive', '%s', %s, 'ok', '%s', '%s', '{}', 2, 100, now(), 0)
        """
            .formatted(
                target,
                seq,
                rowClass,
                sender == null ? "system" : "peer_agent",
                sender == null ? "NULL" : "'" + sender + "'",
                messageId,
                delegation));
  }

  private static String termsIn(TestDatabase database, UUID feed) {
    return database.value(
        """
        SELECT string_agg(seq || ' ' || coalesce(delivery_kind || ' ' || priority || ' ', '')
            || coalesce(to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS'), '-'), ', ' ORDER BY seq)
        FROM activity_logs WHERE workspace_id = '%s'
        """
            .formatted(feed));
  }
}
