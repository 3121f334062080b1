package dev.muster.platform.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;

/** A row that cannot be deleted does not keep the others (R6.11). */
@Slow
@Tag("sql")
class RetentionPoisonTest {

  /** Gives a test all jobs of a server. */
  static final class Jobs {

    private final List<RecurringJob> all;

    @Autowired
    Jobs(List<RecurringJob> all) {
      this.all = all;
    }

    void run(String name) {
      all.stream().filter(job -> job.name().equals(name)).findFirst().orElseThrow().body().run();
    }
  }

  /** The conditions for rows of the test, in tables that have others. */
  private static final Map<String, String> OWN_ROWS =
      Map.of("fleet_minutes", "online > 0", "workspaces", "removed_at IS NOT NULL");

  private static final TestServer SERVER =
      TestServer.startWith(TestDatabases.create(), List.of(Jobs.class));

  static {
    SERVER
        .database()
        .execute(
            """
            CREATE FUNCTION u(n integer) RETURNS uuid LANGUAGE sql AS 'SELECT md5(n::text)::uuid';
            CREATE FUNCTION h(n integer) RETURNS bytea LANGUAGE sql AS 'SELECT sha256(n::text::bytea)';
            CREATE FUNCTION old(n integer) RETURNS timestamptz LANGUAGE sql AS
                $$ SELECT now() - interval '200 days' + n * interval '1 hour' $$;
            CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = 'check_violation'; END $$;
            INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at, updated_at)
            VALUES (u(100), 'w', 3, 'external', '', 'poll', 1, 0, 0, now(), now());
            """);
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "audit-retention | operator_actions | id = u(1)"
            + " | (id, at, who, role, action, targets, outcome, request_id)"
            + " SELECT u(n), old(n), 'o', 'operator', 'POST /x', '{}', 'done', 'r'",
        "audit-retention | role_tokens | id = u(1)"
            + " | (id, name, role, hash, prefix, created_by, created_at, expires_at)"
            + " SELECT u(n), 't', 'viewer', h(n), 'p', 'admin', old(n), old(n)",
        "audit-retention | console_sessions | id = u(1) | (id, cookie_hash, page_hash, role, name,"
            + " maker_hash, created_at, expires_at, last_used_at) SELECT u(n), h(n), h(n),"
            + " 'viewer', 'v', h(n), old(n), old(n), old(n)",
        "audit-retention | console_links | id = u(1)"
            + " | (id, hash, role, name, maker_hash, created_at, expires_at)"
            + " SELECT u(n), h(n), 'viewer', 'v', h(n), old(n), old(n)",
        "token-retention | workspace_tokens | id = u(1)"
            + " | (id, workspace_id, hash, prefix, created_at, revoked_at, revoked_by)"
            + " SELECT u(n), u(100), h(n), 'p', old(n), old(n), 'operator'",
        "runtime-retention | runtime_segments | last_seq = 1 | (workspace_id, last_seq, events,"
            + " created_at, body) SELECT u(100), n, 1, old(n), '[]'",
        "runtime-retention | runtime_runs | first_seq = 1"
            + " | (workspace_id, first_seq, task_key, task_name, started_at, last_event_at)"
            + " SELECT u(100), n, u(n), 't', old(n), old(n)",
        "event-retention | events | seq = -1"
            + " | (id, seq, event_type, payload, created_at)"
            + " SELECT u(n), n - 2, 'WORKSPACE_UPDATED', '{}', old(n)",
        "workspace-retention | workspaces | id = u(1) | (id, name, tier, runtime, url,"
            + " delivery_mode, max_concurrent_tasks, x, y, created_at, updated_at, removed_at)"
            + " SELECT u(n), 'w', 3, 'external', '', 'poll', 1, 0, 0, old(n), old(n), old(n)",
        "delegation-retention | delegations | delegation_id = '1' | (delegation_id, id, caller_id,"
            + " callee_id, task_preview, status, deadline_s, deadline, created_at, updated_at)"
            + " SELECT n::text, u(n), u(100), u(100), 't', 'completed', 60, old(n), old(n), old(n)",
        "status-history-retention | ended_status_periods | seq = 1 | (workspace_id, since, seq,"
            + " until, status) SELECT u(100), old(n), n, old(n + 1), 'online'",
        "status-history-retention | fleet_minutes | online = 1 | (minute, awaiting_agent, online,"
            + " degraded, offline, paused, failed, other, transitions) SELECT old(n), 0, n, 0, 0,"
            + " 0, 0, 0, 0",
        "bulk-retention | bulk_runs | id = u(1)"
            + " | (id, action, cascade, who, targets, total, created_at, due_at, ended_at)"
            + " SELECT u(n), 'pause', false, 'o', '{}', 0, old(n), old(n), old(n)",
        "bulk-retention | bulk_items | position = 1"
            + " | (run_id, position, workspace_id, outcome) SELECT u(1), n, u(n), 'done'",
      })
  void deletesTheOthers(String job, String table, String poisoned, String rows) {
    execute("INSERT INTO %s %s FROM generate_series(1, 5) AS n".formatted(table, rows));
    switch (table) {
      case "workspaces" ->
          execute(
              "INSERT INTO workspace_heartbeats (workspace_id, status, status_since) SELECT id,"
                  + " 'removed', removed_at FROM workspaces WHERE removed_at IS NOT NULL");
      case "bulk_items" ->
          execute(
              """
              INSERT INTO bulk_runs (id, action, cascade, who, targets, total, created_at, due_at, ended_at)
              VALUES (u(1), 'pause', false, 'o', '{}', 0, old(1), old(1), old(1)) ON CONFLICT DO NOTHING
              """);
      default -> {}
    }
    execute(
        """
        CREATE FUNCTION poisons_%1$s(%1$s) RETURNS boolean LANGUAGE sql AS 'SELECT ($1).%2$s';
        CREATE TRIGGER poison BEFORE DELETE ON %1$s FOR EACH ROW WHEN (poisons_%1$s(OLD)) EXECUTE FUNCTION poison()
        """
            .formatted(table, poisoned.replace("'", "''")));
    try (Poison poison = Poison.of(SERVER, job)) {
      SERVER.bean(Jobs.class).run(job);

      assertThat(
              SERVER
                  .database()
                  .value(
                      "SELECT count(*) || ' ' || bool_and(%s) FROM %s WHERE %s"
                          .formatted(poisoned, table, OWN_ROWS.getOrDefault(table, "true"))))
          .isEqualTo("1 true");
      assertThat(poison.counted()).isEqualTo(1);
      assertThat(poison.lines(job)).hasSize(1);
      assertThat(poison.lines(job).getFirst()).contains("is passed over", "not this one");
    } finally {
      execute("DROP TRIGGER poison ON " + table);
    }
  }

  private static void execute(String sql) {
    SERVER.database().execute(sql);
  }
}
