package dev.muster.console.bulk;

import static dev.muster.console.bulk.BulkFleet.awaitEnd;
import static dev.muster.console.bulk.BulkFleet.preview;
import static dev.muster.console.bulk.BulkFleet.run;
import static dev.muster.console.bulk.BulkFleet.start;
import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.console.bulk.BulkBatchRepository.Batch;
import dev.muster.console.bulk.BulkRun.Item;
import dev.muster.console.bulk.BulkRun.Outcome;
import dev.muster.testing.Poison;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;

/** Changes of many workspaces: what they would do, what they did, and how they are taken back. */
@Slow
@Timeout(120)
@Execution(ExecutionMode.SAME_THREAD)
class BulkRunsTest {

  private static final TestServer SERVER =
      TestServer.start("LIVENESS_SWEEP_INTERVAL_S=86400", "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  /** An advisory lock that stops a statement of the server. */
  private static final int GATE = 4711;

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static List<Agent> online(String name, int number) {
    return IntStream.range(0, number).mapToObj(i -> CLIENT.createOnline(name + " " + i)).toList();
  }

  private static String pausing(String filter) {
    return "\"action\":\"pause\",\"filter\":\"" + filter + "\"";
  }

  private static String status(Agent agent) {
    return CLIENT.read(agent).path("status").asString();
  }

  private static void pause(Agent agent) {
    CLIENT.post("/workspaces/" + agent.id() + "/pause", ADMIN_TOKEN, "");
  }

  /** Runs {@code work} while the database refuses rows that break this constraint. */
  private static JsonNode withConstraint(String table, String constraint, Supplier<JsonNode> work) {
    SERVER.database().execute("ALTER TABLE " + table + " ADD CONSTRAINT poison " + constraint);
    try {
      return work.get();
    } finally {
      SERVER.database().execute("ALTER TABLE " + table + " DROP CONSTRAINT poison");
    }
  }

  private static UUID idOf(JsonNode run) {
    return UUID.fromString(run.path("bulk_id").asString());
  }

  private static JsonNode undo(JsonNode run) {
    Answer started = CLIENT.post("/admin/bulk/" + idOf(run) + "/undo", ADMIN_TOKEN, "");
    assertThat(started.status()).as(started.text()).isEqualTo(202);
    return awaitEnd(CLIENT, UUID.fromString(started.field("bulk_id")));
  }

  @Test
  void previewCountsWhatWouldChangeAndWhatNotAndChangesNothing() {
    List<Agent> fleet = online("previewed", 5);
    pause(fleet.get(0));
    CLIENT.create("previewed, never connected");
    Agent lead = CLIENT.createOnline("previewed lead");
    CLIENT.createOnline("not among them", "\"parent_id\":\"" + lead.id() + "\"");

    JsonNode seen = preview(CLIENT, pausing("name:previewed"));

    assertThat(seen.path("count").asInt()).isEqualTo(7);
    assertThat(seen.path("changes").asInt()).isEqualTo(5);
    assertThat(seen.path("by_status").toString())
        .isEqualTo("{\"online\":5,\"awaiting_agent\":1,\"paused\":1}");
    assertThat(seen.path("skips").toString())
        .isEqualTo("{\"has children that would not be changed with it\":1,\"paused already\":1}");
    assertThat(seen.path("sample")).hasSize(5);
    assertThat(status(fleet.get(1))).isEqualTo("online");
    JsonNode branch = preview(CLIENT, pausing("name:previewed") + ",\"cascade\":true");
    assertThat(branch.path("count").asInt()).isEqualTo(8);
    assertThat(branch.path("changes").asInt()).isEqualTo(7);
  }

  @Test
  void pausesThoseThatMatchOnceEachAndUndoesExactlyThese() {
    List<Agent> fleet = online("undone", 4);
    pause(fleet.get(0));

    JsonNode run = run(CLIENT, pausing("name:undone") + ",\"note\":\"night\"");

    assertThat(run.path("state").asString()).isEqualTo("done");
    assertThat(run.path("done").asInt()).isEqualTo(3);
    assertThat(run.path("skipped").asInt()).isEqualTo(1);
    assertThat(run.path("who").asString()).isEqualTo("admin");
    assertThat(run.path("note").asString()).isEqualTo("night");
    assertThat(fleet).allSatisfy(one -> assertThat(status(one)).isEqualTo("paused"));
    JsonNode event = CLIENT.events(fleet.get(1).id(), "WORKSPACE_PAUSED");
    assertThat(event).hasSize(1);
    assertThat(event.path(0).path("payload").path("name").asString()).isEqualTo("undone 1");
    assertThat(event.path(0).path("payload").path("previous_status").asString())
        .isEqualTo("online");

    // an operator resumes one and pauses it again: that pause is not the run's
    CLIENT.post("/workspaces/" + fleet.get(1).id() + "/resume", ADMIN_TOKEN, "");
    CLIENT.heartbeat(fleet.get(1));
    pause(fleet.get(1));
    JsonNode undone = undo(run);

    assertThat(undone.path("undo_of").asString()).isEqualTo(idOf(run).toString());
    assertThat(undone.path("total").asInt()).isEqualTo(3);
    assertThat(undone.path("done").asInt()).isEqualTo(2);
    assertThat(fleet.stream().map(BulkRunsTest::status))
        .containsExactly("paused", "paused", "awaiting_agent", "awaiting_agent");
    assertRefused(
        CLIENT.post("/admin/bulk/" + idOf(run) + "/undo", ADMIN_TOKEN, ""), 409, "WRONG_STATE");
    JsonNode read = BulkFleet.read(CLIENT, idOf(run)).path("run");
    assertThat(read.path("undone_by")).isEqualTo(undone.path("bulk_id"));
  }

  @Test
  void undoOfAResumePausesThemAgainButNotThoseThatWerePausedSince() {
    List<Agent> fleet = online("resumed", 3);
    run(CLIENT, pausing("name:resumed"));
    JsonNode run = run(CLIENT, "\"action\":\"resume\",\"filter\":\"name:resumed\"");
    fleet.forEach(CLIENT::heartbeat); // a heartbeat is no change by a person: they are online by it
    pause(fleet.get(0));
    CLIENT.post("/workspaces/" + fleet.get(0).id() + "/resume", ADMIN_TOKEN, "");

    JsonNode undone = undo(run);

    assertThat(undone.path("done").asInt()).isEqualTo(2);
    assertThat(undone.path("skipped").asInt()).isEqualTo(1);
    assertThat(fleet.stream().map(BulkRunsTest::status))
        .containsExactly("awaiting_agent", "paused", "paused");
  }

  /** Retention deletes the oldest events first. */
  private static void deleteEvents(Agent agent, String olderThan) {
    SERVER
        .database()
        .execute(
            "DELETE FROM events WHERE workspace_id = '%s' AND (%s)"
                .formatted(agent.id(), olderThan));
  }

  private static void pauseAndResume(Agent agent) {
    pause(agent);
    CLIENT.post("/workspaces/" + agent.id() + "/resume", ADMIN_TOKEN, "");
  }

  @Test
  void undoOfAResumePausesNoneOfWhichItCannotTellWhetherItWasPausedSince() {
    List<Agent> fleet = online("forgotten", 5);
    run(CLIENT, pausing("name:forgotten"));
    JsonNode run = run(CLIENT, "\"action\":\"resume\",\"filter\":\"name:forgotten\"");
    Agent pausedSince = fleet.get(0);
    pauseAndResume(pausedSince);
    CLIENT.heartbeat(pausedSince);
    Agent onlineSince = fleet.get(1);
    CLIENT.heartbeat(onlineSince);
    Agent unchanged = fleet.get(2);
    Agent ofTheResume = fleet.get(3);
    CLIENT.heartbeat(ofTheResume);
    Agent pausedNow = fleet.get(4);
    pauseAndResume(pausedNow);
    pause(pausedNow);
    fleet.forEach(one -> CLIENT.events(one.id(), "WORKSPACE_PAUSED")); // gives all their numbers
    deleteEvents(pausedSince, "event_type <> 'WORKSPACE_ONLINE'");
    deleteEvents(onlineSince, "event_type <> 'WORKSPACE_ONLINE'");
    deleteEvents(unchanged, "true");
    deleteEvents(pausedNow, "true");
    deleteEvents(
        ofTheResume,
        "seq < (SELECT max(seq) FROM events WHERE event_type = 'WORKSPACE_AWAITING_AGENT' AND"
            + " workspace_id = '"
            + ofTheResume.id()
            + "')");

    JsonNode undone = undo(run);

    assertThat(fleet.stream().map(BulkRunsTest::status))
        .containsExactly("online", "online", "paused", "paused", "paused");
    assertThat(undone.path("done").asInt()).isEqualTo(2);
    JsonNode skipped =
        CLIENT.get("/admin/bulk/" + idOf(undone) + "?outcome=skipped", ADMIN_TOKEN).json();
    assertThat(skipped.path("items").findValuesAsString("code"))
        .containsExactly("WRONG_STATE", "WRONG_STATE", "WRONG_STATE");
    String untold =
        "its events since then are deleted, so whether it was paused in between cannot be told; it"
            + " stays as it is";
    assertThat(skipped.path("items").findValuesAsString("detail"))
        .containsExactlyInAnyOrder(
            untold, untold, "its status was changed since; it stays as it is");
  }

  /** No event gets its number while another transaction holds the last one. */
  @Test
  void undoOfAResumeKnowsItsOwnEventBeforeThatHasANumber() throws Exception {
    List<Agent> fleet = online("unstamped", 2);
    run(CLIENT, pausing("name:unstamped"));
    try (Connection holder = SERVER.database().connect()) {
      holder.setAutoCommit(false);
      holder.createStatement().execute("SELECT FROM event_head FOR UPDATE");
      JsonNode run = run(CLIENT, "\"action\":\"resume\",\"filter\":\"name:unstamped\"");
      CLIENT.heartbeat(fleet.getFirst());

      assertThat(undo(run).path("done").asInt()).isEqualTo(2);

      holder.rollback();
    }
  }

  @Test
  void undoOfAResumeSeesAPauseWhoseEventHasNoNumberYet() throws Exception {
    Agent one = online("unnumbered", 1).getFirst();
    run(CLIENT, pausing("name:unnumbered"));
    JsonNode run = run(CLIENT, "\"action\":\"resume\",\"filter\":\"name:unnumbered\"");
    try (Connection holder = SERVER.database().connect()) {
      holder.setAutoCommit(false);
      holder.createStatement().execute("SELECT FROM event_head FOR UPDATE");
      pause(one);
      CLIENT.post("/workspaces/" + one.id() + "/resume", ADMIN_TOKEN, "");
      assertThat(
              SERVER
                  .database()
                  .value(
                      "SELECT count(*) FROM events WHERE seq IS NULL AND event_type ="
                          + " 'WORKSPACE_PAUSED' AND workspace_id = '"
                          + one.id()
                          + "'"))
          .isEqualTo("1");

      assertThat(undo(run).path("skipped").asInt()).isEqualTo(1);

      assertThat(status(one)).isEqualTo("awaiting_agent");
      holder.rollback();
    }
  }

  /** Until the message is stored, its workspace keeps the way that the message takes. */
  @Test
  void aMessageTakesTheWayOfTheModeThatItsWorkspaceChangesTo() throws Exception {
    Agent one = CLIENT.createOnline("changing", "\"url\":\"http://127.0.0.1:9/\"");
    String message =
        "\"action\":\"message\",\"ids\":[\"%s\"],\"text\":\"look\",\"expect_count\":1"
            .formatted(one.id());
    UUID run;
    try (Connection change = SERVER.database().connect()) {
      change.setAutoCommit(false);
      Statement statement = change.createStatement();
      statement.execute(
          "SELECT FROM activity_feeds WHERE workspace_id = '" + one.id() + "' FOR UPDATE");
      run = UUID.fromString(start(CLIENT, message).field("bulk_id"));
      Awaitility.await().until(() -> SERVER.database().lockWaits() == 1);
      statement.execute(
          "UPDATE workspaces SET delivery_mode = 'poll' WHERE id = '" + one.id() + "'");
      change.commit();
    }

    assertThat(awaitEnd(CLIENT, run).path("done").asInt()).isEqualTo(1);
    assertThat(
            SERVER
                .database()
                .value(
                    """
                    SELECT (SELECT count(*) FROM deliveries WHERE workspace_id = '%1$s')
                        + (SELECT count(*) FROM delivery_outcomes WHERE workspace_id = '%1$s')
                    """
                        .formatted(one.id())))
        .as("it never was in the queue, which would soon have put it into the feed, too")
        .isEqualTo("0");
  }

  @Test
  void refusesAChangedCountAndChangesNothing() {
    List<Agent> fleet = online("counted", 3);

    Answer refused = start(CLIENT, pausing("name:counted") + ",\"expect_count\":2");

    assertRefused(refused, 409, "COUNT_CHANGED");
    assertThat(refused.field("detail"))
        .isEqualTo(
            "3 workspaces match now, not 2; nothing was changed (expected: at most 1 % more or"
                + " fewer); look at the preview again");
    assertThat(refused.json().path("count").asInt()).isEqualTo(3);
    assertThat(status(fleet.getFirst())).isEqualTo("online");
  }

  @Test
  void reportsEachFailureWithTheSentenceOfItsOwnRequest() {
    Agent lead = CLIENT.createOnline("failing lead");
    CLIENT.createOnline("its child", "\"parent_id\":\"" + lead.id() + "\"");
    Agent other = CLIENT.createOnline("failing other");

    JsonNode run = run(CLIENT, pausing("name:failing"));

    assertThat(run.path("done").asInt()).isEqualTo(1);
    assertThat(run.path("failed").asInt()).isEqualTo(1);
    assertThat(status(other)).isEqualTo("paused");
    JsonNode failures =
        CLIENT.get("/admin/bulk/" + idOf(run) + "?outcome=failed", ADMIN_TOKEN).json();
    JsonNode failure = failures.path("items").path(0);
    assertThat(failures.path("items")).hasSize(1);
    assertThat(failures.path("next").isNull()).isTrue();
    assertThat(failure.path("name").asString()).isEqualTo("failing lead");
    assertThat(failure.path("code").asString()).isEqualTo("CONFIRMATION_REQUIRED");
    assertThat(failure.path("detail").asString())
        .isEqualTo(
            "the workspace has children (1) that are not among those to pause; choose them too, or"
                + " add cascade");
  }

  @Test
  void endsARunThatChangesNothing() {
    online("before", 2).forEach(BulkRunsTest::pause);

    JsonNode run = run(CLIENT, pausing("name:before"));

    assertThat(run.path("state").asString()).isEqualTo("done");
    assertThat(run.path("done").asInt()).isZero();
    assertThat(run.path("skipped").asInt()).isEqualTo(2);
  }

  /** All of them are removed between the start of the run and its first batch. */
  @ParameterizedTest
  @ValueSource(strings = {"pause", "resume", "restart", "remove", "message"})
  void endsARunWhoseWorkspacesAreGone(String action) {
    String filter = "name:vanishing" + action;
    List<Agent> gone = online("vanishing" + action, 2);
    if (action.equals("resume")) {
      gone.forEach(BulkRunsTest::pause);
    }
    String name = "later_" + action;
    SERVER
        .database()
        .execute(
            """
            CREATE FUNCTION %1$s() RETURNS trigger LANGUAGE plpgsql AS
                'BEGIN NEW.due_at = ''infinity''; RETURN NEW; END';
            CREATE TRIGGER %1$s BEFORE INSERT ON bulk_runs
                FOR EACH ROW WHEN (NEW.filter = '%2$s') EXECUTE FUNCTION %1$s()
            """
                .formatted(name, filter));
    String wanted = "\"action\":\"%s\",\"filter\":\"%s\"".formatted(action, filter);
    String text = action.equals("message") ? ",\"text\":\"stop at six\"" : "";
    Answer started = start(CLIENT, wanted + text + ",\"expect_count\":2");
    assertThat(started.status()).as(started.text()).isEqualTo(202);
    UUID id = UUID.fromString(started.field("bulk_id"));
    gone.forEach(agent -> CLIENT.delete("/workspaces/" + agent.id(), ADMIN_TOKEN));

    SERVER
        .database()
        .execute(
            "DROP FUNCTION %s CASCADE; UPDATE bulk_runs SET due_at = statement_timestamp() WHERE id = '%s'"
                .formatted(name, id));

    JsonNode run = awaitEnd(CLIENT, id);
    assertThat(run.path("state").asString()).isEqualTo("done");
    assertThat(run.path("done").asInt()).isZero();
    assertThat(run.path("skipped").asInt()).isZero();
    assertThat(run.path("failed").asInt()).isEqualTo(2);
    JsonNode items = BulkFleet.read(CLIENT, id).path("items");
    assertThat(items.findValuesAsString("code")).containsOnly("WORKSPACE_REMOVED");
    online("after-" + action, 1);
    assertThat(run(CLIENT, pausing("name:after-" + action)).path("done").asInt()).isEqualTo(1);
  }

  @Test
  void continuesAfterAWorkspaceThatCannotBeChanged() {
    List<Agent> fleet = online("poisoned", 3);
    UUID poisoned = fleet.get(1).id();
    String constraint =
        "CHECK (status <> 'paused' OR workspace_id <> '" + poisoned + "') NOT VALID";

    JsonNode run =
        withConstraint(
            "workspace_heartbeats", constraint, () -> run(CLIENT, pausing("name:poisoned")));

    assertThat(run.path("state").asString()).isEqualTo("done");
    assertThat(run.path("done").asInt()).isEqualTo(2);
    assertThat(run.path("failed").asInt()).isEqualTo(1);
    assertThat(fleet.stream().map(BulkRunsTest::status))
        .containsExactly("paused", "online", "paused");
    JsonNode failures =
        CLIENT.get("/admin/bulk/" + idOf(run) + "?outcome=failed", ADMIN_TOKEN).json();
    assertThat(failures.path("items")).hasSize(1);
    assertThat(failures.path("items").path(0).path("code").asString()).isEqualTo("INTERNAL");
  }

  /** Each half of a batch is tried, so that many workspaces before it take a few transactions. */
  @Test
  void findsTheWorkspaceThatCannotBeChangedByHalves() {
    List<Agent> fleet = online("halved", 40);
    UUID poisoned = fleet.get(37).id();
    try (Poison poison =
        Poison.check(
            SERVER,
            "bulk-runs",
            "workspace_heartbeats",
            "status <> 'paused' OR workspace_id <> '" + poisoned + "'")) {
      JsonNode run = run(CLIENT, pausing("name:halved"));

      assertThat(run.path("done").asInt()).isEqualTo(39);
      assertThat(run.path("failed").asInt()).isEqualTo(1);
      assertThat(poison.lines(poisoned.toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  /** As one of a newer version would be. */
  @Test
  void aRunThatCannotBeReadDoesNotStopOthers() {
    UUID unreadable = UUID.randomUUID();
    online("readable", 1);
    try (Poison poison = Poison.of(SERVER, "bulk-runs")) {
      SERVER
          .database()
          .execute(
              """
              INSERT INTO bulk_runs (id, action, cascade, who, targets, expected, total, created_at, due_at)
              VALUES ('%s', 'pause', false, 'operator', ARRAY[gen_random_uuid()], ARRAY[now(), now()], 1, now(),
                  now() - interval '1 hour')
              """
                  .formatted(unreadable));

      assertThat(run(CLIENT, pausing("name:readable")).path("done").asInt()).isEqualTo(1);

      assertThat(poison.lines(unreadable.toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
      String delayed = "SELECT due_at > now() FROM bulk_runs WHERE id = '" + unreadable + "'";
      assertThat(SERVER.database().value(delayed)).isEqualTo("t");
    } finally {
      SERVER.database().execute("DELETE FROM bulk_runs WHERE id = '" + unreadable + "'");
    }
  }

  @Test
  void aRunWhoseOutcomeCannotBeStoredDoesNotStopOthers() {
    UUID poisoned = online("unstorable", 1).getFirst().id();
    online("harmless", 1);
    UUID first;
    try (Poison poison =
        Poison.check(SERVER, "bulk-runs", "bulk_items", "workspace_id <> '" + poisoned + "'")) {
      String alone = pausing("name:unstorable") + ",\"expect_count\":1";
      first = UUID.fromString(start(CLIENT, alone).field("bulk_id"));

      assertThat(run(CLIENT, pausing("name:harmless")).path("done").asInt()).isEqualTo(1);

      assertThat(poison.lines(first.toString())).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
    SERVER.database().execute("UPDATE bulk_runs SET due_at = now() WHERE id = '" + first + "'");
    assertThat(awaitEnd(CLIENT, first).path("done").asInt()).isEqualTo(1);
  }

  /**
   * Another replica holds a run that is older. It is killed at the moment when this replica tries
   * the broken workspace alone, so that the older run is free again.
   */
  @Test
  void storesNoFailureForAnotherRunThatIsFreeMeanwhile() throws Exception {
    UUID healthy = online("healthy", 1).getFirst().id();
    UUID broken = online("broken", 1).getFirst().id();
    SERVER
        .database()
        .execute(
            """
            CREATE SEQUENCE tries;
            CREATE FUNCTION refuses(id uuid, status text) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                IF id <> '%s' OR status <> 'paused' THEN
                    RETURN true;
                END IF;
                IF nextval('tries') = 2 THEN
                    PERFORM pg_advisory_xact_lock(%d);
                END IF;
                RETURN false;
            END $$
            """
                .formatted(broken, GATE));
    BulkWorker worker = SERVER.bean(BulkWorker.class);
    worker.stop();
    String one = ",\"expect_count\":1";
    UUID older = UUID.fromString(start(CLIENT, pausing("name:healthy") + one).field("bulk_id"));
    UUID newer = UUID.fromString(start(CLIENT, pausing("name:broken") + one).field("bulk_id"));

    withConstraint(
        "workspace_heartbeats",
        "CHECK (refuses(workspace_id, status)) NOT VALID",
        () -> {
          try (Connection replica = SERVER.database().connect();
              Connection gate = SERVER.database().connect()) {
            gate.setAutoCommit(false);
            gate.createStatement().execute("SELECT pg_advisory_xact_lock(" + GATE + ")");
            replica.setAutoCommit(false);
            replica
                .createStatement()
                .execute("SELECT FROM bulk_runs WHERE id = '" + older + "' FOR UPDATE");
            worker.start();
            awaitWaitingAtTheGate();
            replica.rollback();
            gate.rollback();
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
          return awaitEnd(CLIENT, newer);
        });

    JsonNode run = awaitEnd(CLIENT, older);
    assertThat(run.path("done").asInt()).as(BulkFleet.read(CLIENT, older).toString()).isEqualTo(1);
    assertThat(CLIENT.get("/workspaces/" + healthy, ADMIN_TOKEN).field("status"))
        .isEqualTo("paused");
    JsonNode items = BulkFleet.read(CLIENT, newer).path("items");
    assertThat(items).hasSize(1);
    assertThat(items.path(0).path("code").asString()).isEqualTo("INTERNAL");
  }

  private static void awaitWaitingAtTheGate() {
    Awaitility.await()
        .until(() ->
            SERVER
                .database()
                .value(
                    """
                    SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                    WHERE d.datname = current_database() AND l.locktype = 'advisory' AND l.objid = %d AND NOT l.granted
                    """
                        .formatted(GATE))
                .equals("1"));
  }

  @Test
  void storesNoFailureInABatchThatAnotherReplicaHasStored() {
    BulkWorker worker = SERVER.bean(BulkWorker.class);
    worker.stop();
    online("moved on", 2);
    UUID run =
        UUID.fromString(
            start(CLIENT, pausing("name:moved") + ",\"expect_count\":2").field("bulk_id"));
    BulkBatchRepository batches = SERVER.bean(BulkBatchRepository.class);
    TransactionTemplate transactions = SERVER.bean(TransactionTemplate.class);
    Batch batch =
        Objects.requireNonNull(transactions.execute(_ -> batches.lockNext()))
            .orElseThrow()
            .first(1);
    assertThat(batch.runId()).isEqualTo(run);

    Boolean isFree = transactions.execute(_ -> batches.lockAgain(batch));
    assertThat(isFree).isTrue();
    Item stored = new Item(1, batch.ids().getFirst(), Outcome.DONE, null, null, batch.at());
    transactions.executeWithoutResult(_ -> batches.store(batch, List.of(stored), true));

    Boolean isFreeLater = transactions.execute(_ -> batches.lockAgain(batch));
    worker.start(); // the other tests need it, whatever this one finds
    assertThat(isFreeLater).isFalse();
    assertThat(awaitEnd(CLIENT, run).path("done").asInt()).isEqualTo(2);
  }

  @Test
  void removesWholeBranchesFromBelow() {
    Agent lead = CLIENT.createOnline("removed lead");
    Agent child = CLIENT.createOnline("below", "\"parent_id\":\"" + lead.id() + "\"");
    Agent grandchild = CLIENT.create("far below", "\"parent_id\":\"" + child.id() + "\"");
    String removing = "\"action\":\"remove\",\"ids\":[\"" + lead.id() + "\"],\"cascade\":true";

    assertThat(run(CLIENT, removing).path("done").asInt()).isEqualTo(3);

    for (Agent gone : List.of(lead, child, grandchild)) {
      assertThat(CLIENT.get("/workspaces/" + gone.id(), ADMIN_TOKEN).status()).isEqualTo(410);
    }
    assertThat(CLIENT.heartbeat(child).status()).isEqualTo(410);
  }

  @Test
  void wantsTheExactCountOfThoseToRemove() {
    BulkFleet.insert(SERVER.database(), "exact", 300);
    String removing = "\"action\":\"remove\",\"filter\":\"name:exact\"";

    assertRefused(start(CLIENT, removing + ",\"expect_count\":299"), 409, "COUNT_CHANGED");
    assertThat(start(CLIENT, pausing("name:exact") + ",\"expect_count\":299").status())
        .isEqualTo(202); // a fleet moves while one reads
  }

  @Test
  void asksEachForARestartAndSendsEachTheMessageOnce() {
    List<Agent> polling = online("told", 3);
    pause(polling.getLast()); // it reads its feed, so the message waits there
    Agent push =
        CLIENT.create("told push", "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");
    Agent paused =
        CLIENT.create(
            "told paused", "\"delivery_mode\":\"push\"", "\"url\":\"http://127.0.0.1:9/\"");
    pause(paused);

    run(CLIENT, "\"action\":\"restart\",\"filter\":\"name:told\",\"text\":\"new release\"");
    JsonNode sent =
        run(CLIENT, "\"action\":\"message\",\"filter\":\"name:told\",\"text\":\"stop at six\"");

    assertThat(CLIENT.read(push).path("restart_requested_at").isString()).isTrue();
    assertThat(
            CLIENT
                .events(push.id(), "WORKSPACE_RESTART_REQUESTED")
                .path(0)
                .path("payload")
                .path("reason")
                .asString())
        .isEqualTo("new release");
    assertThat(sent.path("done").asInt()).isEqualTo(4);
    assertThat(sent.path("failed").asInt()).isEqualTo(1);
    JsonNode feed =
        CLIENT.get("/workspaces/" + polling.getFirst().id() + "/activity", ADMIN_TOKEN).json();
    assertThat(feed).hasSize(1);
    assertThat(feed.toString()).contains("\"text\":\"stop at six\"");
    JsonNode queued = CLIENT.get("/admin/a2a-queue?target_id=" + push.id(), ADMIN_TOKEN).json();
    assertThat(queued).hasSize(1);
  }

  @Test
  void theAuditHasOneEntryForTheRunWithItsTargetsAndResult() {
    online("audited", 2);
    String operator =
        CLIENT
            .post("/admin/tokens", ADMIN_TOKEN, "{\"name\":\"night shift\",\"role\":\"operator\"}")
            .field("auth_token");
    Answer started =
        CLIENT.post(
            "/admin/bulk", operator, "{" + pausing("name:audited") + ",\"expect_count\":2}");
    awaitEnd(CLIENT, UUID.fromString(started.field("bulk_id")));

    List<JsonNode> entries =
        CLIENT
            .get("/admin/audit?limit=100", ADMIN_TOKEN)
            .json()
            .valueStream()
            .filter(entry -> entry.toString().contains(started.field("bulk_id")))
            .toList();

    assertThat(entries).hasSize(1);
    assertThat(entries.getFirst().path("who").asString()).isEqualTo("night shift");
    assertThat(entries.getFirst().path("action").asString()).isEqualTo("POST /admin/bulk");
    assertThat(entries.getFirst().path("detail").asString())
        .isEqualTo("pause of 2 workspaces by “name:audited”: 2 done, 0 skipped, 0 failed");
  }

  @Test
  void goesThroughOutcomesPageByPageAndListsTheNewestRunFirst() {
    BulkFleet.insert(SERVER.database(), "paged", 25);
    JsonNode run = run(CLIENT, pausing("name:paged"));

    String page = "/admin/bulk/" + idOf(run) + "?limit=10";
    JsonNode first = CLIENT.get(page, ADMIN_TOKEN).json();
    JsonNode last = CLIENT.get(page + "&cursor=20", ADMIN_TOKEN).json();

    assertThat(first.path("items")).hasSize(10);
    assertThat(first.path("next").asInt()).isEqualTo(10);
    assertThat(last.path("items")).hasSize(5);
    assertThat(last.path("next").isNull()).isTrue();
    Answer list = CLIENT.get("/admin/bulk?limit=1", ADMIN_TOKEN);
    assertThat(list.json().path(0).path("bulk_id")).isEqualTo(run.path("bulk_id"));
  }

  @Test
  void refusesWhatCannotBe() {
    String pause = "\"action\":\"pause\"";
    assertRefused(start(CLIENT, pause), 400, "VALIDATION_FAILED");
    assertRefused(start(CLIENT, pause + ",\"filter\":\"\",\"ids\":[]"), 400, "VALIDATION_FAILED");
    assertRefused(start(CLIENT, pausing("")), 409, "CONFIRMATION_REQUIRED");
    assertRefused(
        start(CLIENT, pausing("colour:red") + ",\"expect_count\":1"), 400, "VALIDATION_FAILED");
    assertRefused(start(CLIENT, "\"action\":\"fly\",\"filter\":\"\""), 400, "VALIDATION_FAILED");
    assertRefused(
        start(CLIENT, pausing("name:nobody-has-this") + ",\"expect_count\":0"),
        409,
        "COUNT_CHANGED");
    assertRefused(
        start(CLIENT, "\"action\":\"message\",\"filter\":\"\",\"expect_count\":1"),
        400,
        "VALIDATION_FAILED");
    assertRefused(CLIENT.get("/admin/bulk/" + UUID.randomUUID(), ADMIN_TOKEN), 404, "NOT_FOUND");
    assertRefused(
        CLIENT.post("/admin/bulk/" + UUID.randomUUID() + "/cancel", ADMIN_TOKEN, ""),
        404,
        "NOT_FOUND");
    online("restarted", 1);
    JsonNode run = run(CLIENT, "\"action\":\"restart\",\"filter\":\"name:restarted\"");
    for (String end : List.of("undo", "cancel")) {
      assertRefused(
          CLIENT.post("/admin/bulk/" + idOf(run) + "/" + end, ADMIN_TOKEN, ""), 409, "WRONG_STATE");
    }
  }

  @Test
  void deletesRunsAfter90Days() {
    BulkFleet.insert(SERVER.database(), "aged", 3);
    JsonNode run = run(CLIENT, pausing("name:aged"));
    SERVER
        .database()
        .execute(
            "UPDATE bulk_runs SET created_at = now() - interval '91 days' WHERE id = '"
                + idOf(run)
                + "'");

    assertThat(SERVER.bean(BulkRetention.class).sweep()).isEqualTo(4);

    assertThat(CLIENT.get("/admin/bulk/" + idOf(run), ADMIN_TOKEN).status()).isEqualTo(404);
  }
}
