package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Removed workspaces are deleted after 90 days, with all their rows (R6.11). */
@Slow
@Tag("sql")
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of WorkspaceRetentionTest")
class WorkspaceRetentionTest {

  private static final TestServer SERVER = TestServer.start("REGISTRATION=open");

  private final TestClient client = SERVER.client();
  private final WorkspaceRetention retention = SERVER.bean(WorkspaceRetention.class);

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void removeAllWorkspaces() {
    SERVER
        .database()
        .execute(
            "TRUNCATE workspaces, workspace_heartbeats, activity_feeds, runtime_heads,"
                + " removed_workspaces CASCADE");
  }

  @Test
  void deletesARemovedFamilyFromItsLeavesUpWithAllItsRows() {
    Agent root = client.createOnline("root");
    Agent child = child("child", root);
    Agent leaf = child("leaf", child);
    remove(root);
    removedDaysAgo("90 days 1 minute", root, child, leaf);

    assertThat(retention.sweep()).isEqualTo(3);
    assertThat(retention.sweep()).isZero();

    assertThat(count("removed_workspaces")).isEqualTo(3);
    for (String table :
        new String[] {
          "workspaces",
          "workspace_heartbeats",
          "workspace_tokens",
          "activity_feeds",
          "runtime_heads"
        }) {
      assertThat(count(table)).as(table).isZero();
    }
  }

  @Test
  void keepsRecentlyRemovedAndLiveWorkspaces() {
    Agent live = client.createOnline("live");
    Agent goneLong = child("gone long", live);
    Agent goneLately = child("gone lately", live);
    remove(goneLong);
    remove(goneLately);
    removedDaysAgo("90 days 1 minute", goneLong);
    removedDaysAgo("89 days 23 hours 59 minutes", goneLately);

    assertThat(retention.sweep()).isEqualTo(1);

    assertThat(count("workspaces")).isEqualTo(2);
    assertThat(client.get("/workspaces/" + goneLately.id(), ADMIN_TOKEN).status()).isEqualTo(410);
    assertThat(client.heartbeat(live).status()).isEqualTo(200);
  }

  @Test
  void keepsAParentAsLongAsAChild() {
    Agent root = client.create("root");
    Agent child = child("child", root);
    remove(root);
    removedDaysAgo("91 days", root);
    removedDaysAgo("89 days", child);

    assertThat(retention.sweep()).isZero();

    assertThat(count("workspaces")).isEqualTo(2);
  }

  @Test
  void refusesTheTokenOfADeletedWorkspace() {
    Agent agent = client.createOnline("gone");
    remove(agent);
    assertThat(client.heartbeat(agent).status()).isEqualTo(410);
    removedDaysAgo("91 days", agent);

    retention.sweep();

    assertThat(client.heartbeat(agent).status()).isEqualTo(401);
  }

  @Test
  void keepTheirIdsReservedAndRemovedForEver() {
    Agent lead = client.create("lead");
    Agent sibling = child("sibling", lead);
    Agent gone = child("gone", lead);
    remove(gone);
    removedDaysAgo("91 days", gone);
    String removedAt = removedAt(gone);
    assertThat(retention.sweep()).isEqualTo(1);

    String path = "/workspaces/" + gone.id();
    String registration = "{\"id\":\"" + gone.id() + "\",\"agent_card\":{\"name\":\"x\"}}";
    for (String token : new String[] {ADMIN_TOKEN, sibling.token(), null}) {
      assertRemoved(client.post("/registry/register", token, registration), removedAt);
    }
    assertRemoved(client.get(path, ADMIN_TOKEN), removedAt);
    assertRemoved(client.get(path + "?include_removed=true", ADMIN_TOKEN), removedAt);
    assertRemoved(client.get(path, sibling.token()), removedAt);
    assertRemoved(client.patch(path, ADMIN_TOKEN, "{\"name\":\"x\"}"), removedAt);
    assertRemoved(client.delete(path, ADMIN_TOKEN), removedAt);
    assertRemoved(client.get(path + "/activity", ADMIN_TOKEN), removedAt);
    assertRemoved(client.post(path + "/pause", ADMIN_TOKEN, ""), removedAt);
    assertRemoved(client.post("/admin" + path + "/tokens", ADMIN_TOKEN, ""), removedAt);
    assertRemoved(
        client.get(
            "/registry/discover/" + gone.id(),
            sibling.token(),
            "X-Workspace-ID",
            sibling.id().toString()),
        removedAt);
    assertRefused(
        client.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"x\",\"id\":\"" + gone.id() + "\"}"),
        409,
        "ID_TAKEN");
    assertRefused(
        client.post("/registry/register", gone.token(), registration), 401, "UNAUTHENTICATED");
    assertThat(client.get(path + "/state", ADMIN_TOKEN).json().path("deleted").asBoolean())
        .isTrue();
    assertRefused(
        client.get("/workspaces/" + UUID.randomUUID(), ADMIN_TOKEN), 404, "WORKSPACE_NOT_FOUND");
    assertThat(count("workspaces")).isEqualTo(2);
  }

  private String removedAt(Agent agent) {
    return client.get("/workspaces/" + agent.id(), ADMIN_TOKEN).field("removed_at");
  }

  private static void assertRemoved(Answer answer, String removedAt) {
    assertRefused(answer, 410, "WORKSPACE_REMOVED");
    assertThat(answer.field("removed_at")).isEqualTo(removedAt);
    assertThat(answer.field("hint")).isNotEmpty();
  }

  @Test
  void leavesALockedWorkspaceToTheNextRun() throws Exception {
    Agent held = client.create("held");
    Agent free = client.create("free");
    remove(held);
    remove(free);
    removedDaysAgo("91 days", held, free);
    try (var connection = SERVER.database().connect();
        var statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM workspace_heartbeats WHERE workspace_id = '" + held.id() + "' FOR UPDATE");

      assertThat(retention.sweep()).isEqualTo(1);
      connection.rollback();
    }
    assertThat(retention.sweep()).isEqualTo(1);
  }

  @Test
  void deletesAThousandWorkspacesInATransaction() {
    SERVER
        .database()
        .execute(
            """
            INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y,
                created_at, updated_at, removed_at)
            SELECT gen_random_uuid(), 'w', 3, 'external', '', 'poll', 1, 0, 0, now(), now(), now() - interval '91 days'
            FROM generate_series(1, 2300);
            INSERT INTO workspace_heartbeats (workspace_id, status, status_since) SELECT id, 'removed', now() FROM workspaces
            """);

    assertThat(retention.deleteBatch(1000, 0)).isEqualTo(1000);
    assertThat(retention.sweep()).isEqualTo(1300);
  }

  private Agent child(String name, Agent parent) {
    return client.createOnline(name, "\"parent_id\":\"" + parent.id() + "\"");
  }

  private void remove(Agent agent) {
    client.delete("/workspaces/" + agent.id() + "?confirm=true", ADMIN_TOKEN);
  }

  private static void removedDaysAgo(String age, Agent... agents) {
    for (Agent agent : agents) {
      SERVER
          .database()
          .execute(
              "UPDATE workspaces SET removed_at = now() - interval '%s' WHERE id = '%s' AND removed_at IS NOT NULL"
                  .formatted(age, agent.id()));
    }
  }

  private static int count(String table) {
    return Integer.parseInt(SERVER.database().value("SELECT count(*) FROM " + table));
  }
}
