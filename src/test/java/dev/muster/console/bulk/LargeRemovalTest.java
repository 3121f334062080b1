package dev.muster.console.bulk;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/**
 * A removal that leaves much open closes its workspaces at once, and a run ends the rest (section
 * 2).
 */
@Execution(ExecutionMode.SAME_THREAD)
class LargeRemovalTest {

  private static final int MANY = 1_100;

  private static final TestServer SERVER = TestServer.startWithoutSweeps();
  private static final TestClient CLIENT = SERVER.client();

  private final BulkWorker worker = SERVER.bean(BulkWorker.class);

  /** The sweep of the queue drops messages of removed workspaces as well. */
  @BeforeAll
  static void putOffTheSweep() {
    await()
        .until(
            () ->
                count(
                    """
                    WITH later AS (
                        UPDATE recurring_jobs SET execution_time = now() + interval '1 day'
                        WHERE task_name = 'delivery-sweep' AND NOT picked AND last_success IS NOT NULL
                        RETURNING task_name)
                    SELECT count(*) FROM later
                    """),
            changed -> changed == 1);
  }

  @AfterAll
  static void close() {
    SERVER.close();
  }

  @BeforeEach
  void stopRuns() {
    worker.stop();
  }

  @AfterEach
  void goOn() {
    worker.start();
  }

  private static int count(String sql) {
    return Integer.parseInt(SERVER.database().value(sql));
  }

  private static int openDelegations() {
    return count("SELECT count(*) FROM delegations WHERE terminal_status IS NULL");
  }

  private static int waiting() {
    return count("SELECT count(*) FROM deliveries");
  }

  private static String belowOf(Agent root) {
    return " workspace_id IN (SELECT id FROM workspaces WHERE parent_id = '" + root.id() + "')";
  }

  private static UUID removed(Agent root, int descendants) {
    Answer answer = CLIENT.delete("/workspaces/" + root.id() + "?confirm=true", ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    assertThat(answer.json().propertyNames())
        .containsExactlyInAnyOrder("status", "cascade_deleted", "bulk_id");
    assertThat(answer.field("status")).isEqualTo("removed");
    assertThat(answer.json().path("cascade_deleted").asInt()).isEqualTo(descendants);
    return UUID.fromString(answer.field("bulk_id"));
  }

  @Test
  void closesTheBranchAtOnceAndEndsTheRestInARun() {
    Agent caller = CLIENT.create("Caller");
    Agent root = CLIENT.create("Large branch");
    Agent child = CLIENT.createOnline("Child", "\"parent_id\":\"" + root.id() + "\"");
    BulkFleet.insertBelow(SERVER.database(), root.id(), MANY, 2, caller.id());

    UUID run = removed(root, MANY + 1);

    assertThat(CLIENT.heartbeat(child).status()).isEqualTo(410);
    assertRefused(
        CLIENT.post("/workspaces/" + child.id() + "/a2a", ADMIN_TOKEN, BulkFleet.MESSAGE),
        410,
        "WORKSPACE_REMOVED");
    String registration = "{\"id\":\"" + child.id() + "\",\"agent_card\":{\"name\":\"Child\"}}";
    for (String token : new String[] {child.token(), ADMIN_TOKEN}) {
      assertRefused(
          CLIENT.post("/registry/register", token, registration), 410, "WORKSPACE_REMOVED");
    }
    for (Agent parent : new Agent[] {root, child}) {
      String below = "{\"name\":\"Late\",\"parent_id\":\"" + parent.id() + "\"}";
      assertRefused(CLIENT.post("/workspaces", ADMIN_TOKEN, below), 422, "PARENT_NOT_FOUND");
    }
    assertThat(CLIENT.events(child.id(), "WORKSPACE_REMOVED")).hasSize(1);
    assertThat(openDelegations()).isEqualTo(MANY);
    assertThat(waiting()).isEqualTo(2 * MANY);

    worker.start();
    JsonNode ended = BulkFleet.awaitEnd(CLIENT, run);

    assertThat(ended.path("action").asString()).isEqualTo("remove");
    assertThat(ended.path("state").asString()).isEqualTo("done");
    assertThat(ended.path("done").asInt()).isEqualTo(MANY + 2);
    assertThat(openDelegations()).isZero();
    assertThat(count("SELECT count(*) FROM delegations WHERE error_detail = 'callee removed'"))
        .isEqualTo(MANY);
    assertThat(
            count(
                "SELECT count(DISTINCT delegation_id) FROM activity_logs WHERE workspace_id = '"
                    + caller.id()
                    + "' AND activity_type = 'a2a_receive' AND source = 'system'"))
        .isEqualTo(MANY);
    assertThat(waiting()).isZero();
    assertThat(
            count(
                "SELECT count(*) FROM delivery_outcomes WHERE queue_state = 'dropped' AND"
                    + belowOf(root)))
        .isEqualTo(2 * MANY);
    assertThat(
            count(
                "SELECT count(*) FROM events WHERE event_type = 'WORKSPACE_REMOVED' AND"
                    + belowOf(root)))
        .isEqualTo(MANY + 1);
    Answer undo = CLIENT.post("/admin/bulk/" + run + "/undo", ADMIN_TOKEN, "");
    assertRefused(undo, 409, "WRONG_STATE");
    assertThat(undo.field("detail")).contains("remove cannot be undone");
    JsonNode acts = CLIENT.get("/admin/audit?target=" + root.id(), ADMIN_TOKEN).json();
    assertThat(acts.path(0).path("detail").asString())
        .isEqualTo("remove of 1102 workspaces: 1102 done, 0 skipped, 0 failed");
  }

  @Test
  void ofOneWorkspaceEndsItsManyMessagesInARunThatCannotBeCancelled() {
    Agent alone = CLIENT.create("Much waits for it");
    BulkFleet.insertMessages(SERVER.database(), alone.id(), MANY);

    UUID run = removed(alone, 0);

    assertThat(waiting()).isEqualTo(MANY - 1000);
    JsonNode running = CLIENT.get("/admin/bulk/" + run, ADMIN_TOKEN).json().path("run");
    assertThat(running.path("cancellable").booleanValue()).isFalse();
    Answer refused = CLIENT.post("/admin/bulk/" + run + "/cancel", ADMIN_TOKEN, "");
    assertRefused(refused, 409, "WRONG_STATE");
    assertThat(refused.field("detail")).contains("the workspaces are removed");
    worker.start();
    assertThat(BulkFleet.awaitEnd(CLIENT, run).path("done").asInt()).isEqualTo(1);
    await().untilAsserted(() -> assertThat(waiting()).isZero());
  }

  @Test
  void ofOneWorkspaceEndsItsManyDelegations() {
    Agent callee = CLIENT.create("Much is delegated to it");
    BulkFleet.insertDelegations(SERVER.database(), CLIENT.create("Caller").id(), callee.id(), MANY);

    UUID run = removed(callee, 0);

    assertThat(openDelegations()).isEqualTo(MANY - 1000);
    worker.start();
    assertThat(BulkFleet.awaitEnd(CLIENT, run).path("done").asInt()).isEqualTo(1);
    assertThat(openDelegations()).isZero();
  }

  @Test
  void isRefusedForABranchThatIsTooLarge() {
    Agent root = CLIENT.create("Too large");
    BulkFleet.insertBelow(SERVER.database(), root.id(), 20_000, 0, root.id());

    Answer refused = CLIENT.delete("/workspaces/" + root.id() + "?confirm=true", ADMIN_TOKEN);

    assertRefused(refused, 400, "VALIDATION_FAILED");
    assertThat(refused.field("detail")).contains("more than 20000 workspaces");
    for (String verb : new String[] {"pause", "resume"}) {
      assertRefused(
          CLIENT.post("/workspaces/" + root.id() + "/" + verb + "?cascade=true", ADMIN_TOKEN, ""),
          400,
          "VALIDATION_FAILED");
    }
    assertThat(CLIENT.read(root).path("status").asString()).isEqualTo("awaiting_agent");
    SERVER.database().execute("DELETE FROM delegations WHERE caller_id = '" + root.id() + "'");
  }

  @Test
  void byABulkRunEndsAllThatItsWorkspacesLeave() {
    Agent one = CLIENT.create("bulky one");
    Agent other = CLIENT.create("bulky other");
    Agent parent = CLIENT.create("bulky parent");
    Agent kept = CLIENT.create("kept", "\"parent_id\":\"" + parent.id() + "\"");
    for (Agent agent : new Agent[] {one, other, parent}) {
      BulkFleet.insertMessages(SERVER.database(), agent.id(), MANY);
    }
    worker.start();

    JsonNode ended = BulkFleet.run(CLIENT, "\"action\":\"remove\",\"filter\":\"name:bulky\"");

    assertThat(ended.path("done").asInt()).isEqualTo(2);
    assertThat(ended.path("failed").asInt()).isEqualTo(1);
    await()
        .untilAsserted(() -> assertThat(waiting()).as("those of the refused one").isEqualTo(MANY));
    assertThat(CLIENT.read(kept).path("status").asString()).isEqualTo("awaiting_agent");
    SERVER.database().execute("DELETE FROM deliveries");
  }
}
