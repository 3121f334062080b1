package dev.muster.runtime;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The runs of all workspaces in one list. */
class FleetRunsTest {

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  /** The status of the list is computed by the database; that of a workspace's by the code. */
  @Test
  void agreesWithTheRunsOfEachWorkspace() {
    TestStream one = stream("One");
    TestStream two = stream("Two");
    one.add(start("ok"), new RuntimeStdout("ok", "hello"), end("ok", 0));
    two.add(start("bad"), end("bad", -1));
    one.add(start("error"), new RuntimeError("error", "Timeout", "too slow"));
    two.add(start("cancelled"), new RuntimeError("cancelled", "Cancelled", ""));
    one.add(start("running"), new RuntimeStdout("other", "without a start"));
    two.add(start("lost"), start("lost"));

    List<JsonNode> all = list("?limit=1000");
    for (JsonNode run : all) {
      TestStream stream =
          run.path("workspace_id").asString().equals(one.agent().id().toString()) ? one : two;
      JsonNode whole =
          stream
              .runs("?limit=1000")
              .valueStream()
              .filter(other -> other.path("run_id").equals(run.path("run_id")))
              .findFirst()
              .orElseThrow();
      for (String field : run.propertyNames()) {
        if (!field.equals("workspace_id")) {
          assertThat(run.path(field)).as(field + " of " + run).isEqualTo(whole.path(field));
        }
      }
    }
    assertThat(all.stream().map(run -> run.path("task_name").asString()))
        .containsExactlyInAnyOrder(
            "ok", "bad", "error", "cancelled", "running", "other", "lost", "lost");
    assertThat(statuses(all))
        .contains("succeeded", "failed", "errored", "cancelled", "running", "lost");
    assertThat(all.stream().map(run -> run.path("started_at").asString()))
        .isSortedAccordingTo(Comparator.reverseOrder());
    for (String status : List.of("succeeded", "failed", "errored", "cancelled", "lost")) {
      assertThat(statuses(list("?status=" + status))).containsOnly(status).hasSize(1);
    }
    assertThat(list("?workspace_id=" + one.agent().id())).hasSize(4);
    assertThat(list("?task_name=lost")).hasSize(2);
    assertThat(list("?workspace_id=" + two.agent().id() + "&task_name=lost&status=running"))
        .hasSize(1);
    assertThat(list("?workspace_id=6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a99")).isEmpty();
    for (int limit : List.of(1, 3)) {
      assertThat(list("?limit=" + limit)).isEqualTo(all);
    }
  }

  /** A rare run far back costs a few pages, and no long look. */
  @Test
  void looksAtSomeThousandRowsForAPage() {
    TestStream stream = stream("Many");
    stream.add(start("rare"), end("rare", 7));
    SERVER
        .database()
        .execute(
            """
            INSERT INTO runtime_runs (workspace_id, first_seq, task_key, task_name, started_at, last_event_at)
            SELECT workspace_id, 1000 + n, gen_random_uuid(), 'many', now() + n / 4 * interval '1 ms', now()
            FROM runtime_runs, generate_series(1, 12000) AS n WHERE task_name = 'rare'
            """);
    for (String query :
        List.of(
            "?status=failed",
            "?task_name=rare",
            "?status=failed&workspace_id=" + stream.agent().id())) {
      List<JsonNode> found = new ArrayList<>();
      int pages = pages("/admin/runtime-runs" + query, found);

      assertThat(found.stream().map(run -> run.path("task_name").asString()))
          .contains("rare")
          .doesNotContain("many");
      assertThat(pages).isEqualTo(3);
    }
    List<JsonNode> all = new ArrayList<>();
    pages("/admin/runtime-runs?limit=1000&workspace_id=" + stream.agent().id(), all);
    assertThat(all.stream().map(run -> run.path("run_id").asString()))
        .hasSize(12_001)
        .doesNotHaveDuplicates();
    SERVER.database().execute("DELETE FROM runtime_runs WHERE task_name = 'many'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status=done",
        "workspace_id=7",
        "cursor=1.2.3",
        "cursor=zzzzzzzzzzz.x.1",
        "limit=x"
      })
  void refusesWhatItCannotUse(String query) {
    Answer answer = CLIENT.get("/admin/runtime-runs?" + query, ADMIN_TOKEN);
    assertRefused(answer, 400, query.startsWith("workspace") ? "INVALID_ID" : "VALIDATION_FAILED");
  }

  private static TestStream stream(String name) {
    return TestStream.create(CLIENT, name);
  }

  private static RuntimeStart start(String task) {
    return new RuntimeStart(task, "sh", "bash");
  }

  private static RuntimeEnd end(String task, int code) {
    return new RuntimeEnd(task, code, BigInteger.TEN);
  }

  private static List<String> statuses(List<JsonNode> runs) {
    return runs.stream().map(run -> run.path("status").asString()).toList();
  }

  private static List<JsonNode> list(String query) {
    List<JsonNode> all = new ArrayList<>();
    pages("/admin/runtime-runs" + query, all);
    return all;
  }

  /** Reads all pages; returns how many there were. */
  private static int pages(String path, List<JsonNode> all) {
    int pages = 0;
    for (String next = path; !next.isEmpty(); pages++) {
      Answer answer = CLIENT.get(next, ADMIN_TOKEN);
      TestStream.rows(answer).forEach(all::add);
      next = answer.next();
    }
    return pages;
  }
}
