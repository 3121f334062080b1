package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** Creating, reading and awaiting delegations (R8.2, R8.6, R8.9). */
class DelegateTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);

  @Test
  void isInTheLedgerAndInTheCallersFeed() {
    Answer answer = LEDGER.tryToDelegate(caller, callee.id(), "Do it.");

    assertThat(answer.status()).isEqualTo(202);
    String id = answer.field("delegation_id");
    assertThat(answer.json().toString())
        .isEqualTo(
            "{\"delegation_id\":\"%s\",\"status\":\"delegated\",\"target_id\":\"%s\"}"
                .formatted(id, callee.id()));
    JsonNode row =
        LEDGER
            .client()
            .get("/workspaces/" + caller.id() + "/activity?type=delegation", caller.token())
            .json()
            .path(0);
    assertThat(row.path("method").asString()).isEqualTo("delegate");
    assertThat(row.path("source").asString()).isEqualTo("self");
    assertThat(row.path("source_id").asString()).isEqualTo(caller.id().toString());
    assertThat(row.path("target_id").asString()).isEqualTo(callee.id().toString());
    assertThat(row.at("/data/delegation_id").asString()).isEqualTo(id);
    JsonNode sent = LEDGER.client().events(caller.id(), "DELEGATION_SENT").path(0);
    assertThat(sent.path("payload").toString())
        .isEqualTo(
            "{\"delegation_id\":\"%s\",\"target_id\":\"%s\",\"task_preview\":\"Do it.\"}"
                .formatted(id, callee.id()));
    assertThat(LEDGER.row(id, "deadline = created_at + interval '6 hours'")).isEqualTo("t");
  }

  @ParameterizedTest
  @CsvSource({"60, 60", "60.9, 60", "0, 1", "-5, 1", "604801, 604800"})
  void hasTheDeadlineThatItsCallerGives(String asked, int given) {
    String id = LEDGER.delegate(caller, callee, "Do it.", "\"deadline_s\":" + asked);

    assertThat(LEDGER.row(id, "extract(epoch FROM deadline - created_at)::int"))
        .isEqualTo(Integer.toString(given));
  }

  @Test
  void isRefusedBeforeAnythingIsStored() {
    Agent unrelated = LEDGER.polling(LEDGER.team());
    Agent removed = LEDGER.polling(team);
    LEDGER.client().delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    assertThat(LEDGER.tryToDelegate(caller, UUID.randomUUID(), "x").status()).isEqualTo(404);
    assertThat(LEDGER.tryToDelegate(caller, removed.id(), "x").status()).isEqualTo(410);
    assertThat(LEDGER.tryToDelegate(caller, unrelated.id(), "x").status()).isEqualTo(403);
    Answer self = LEDGER.tryToDelegate(caller, caller.id(), "x");
    assertThat(self.status()).isEqualTo(400);
    assertThat(self.field("error")).isEqualTo("self-delegation not permitted");
    assertThat(LEDGER.tryToDelegate(caller, callee.id(), "").status()).isEqualTo(400);
    for (String body :
        List.of(
            "",
            "[]",
            "{}",
            "{\"task\":\"x\"}",
            "{\"target_id\":\"x\",\"task\":\"x\"}",
            "{\"target_id\":\"" + callee.id() + "\",\"task\":7}")) {
      assertThat(
              LEDGER
                  .client()
                  .post("/workspaces/" + caller.id() + "/delegate", caller.token(), body)
                  .status())
          .as(body)
          .isEqualTo(400);
    }
    assertThat(
            LEDGER
                .client()
                .post(
                    "/workspaces/" + caller.id() + "/delegate",
                    unrelated.token(),
                    "{\"target_id\":\"" + callee.id() + "\",\"task\":\"x\"}")
                .status())
        .isEqualTo(403);
    assertThat(
            SERVER
                .database()
                .value("SELECT count(*) FROM delegations WHERE caller_id = '" + caller.id() + "'"))
        .isEqualTo("0");
  }

  @Test
  void acceptsTheOlderForm() {
    Answer answer =
        LEDGER
            .client()
            .post(
                "/workspaces/" + callee.id() + "/delegate",
                caller.token(),
                "{\"task\":\"Do it.\",\"idempotency_key\":\"k\"}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    JsonNode delegation = LEDGER.read(caller, answer.field("delegation_id"));
    assertThat(delegation.path("caller_id").asString()).isEqualTo(caller.id().toString());
    assertThat(delegation.path("callee_id").asString()).isEqualTo(callee.id().toString());
  }

  @Test
  void isCreatedOnceForOneKey() {
    String key = "\"idempotency_key\":\"k\"";
    Set<String> ids = new HashSet<>();
    List<Answer> answers =
        Race.run(16, n -> LEDGER.tryToDelegate(caller, callee.id(), "Do it.", key));
    answers.forEach(answer -> ids.add(answer.field("delegation_id")));

    assertThat(ids).hasSize(1);
    assertThat(answers.stream().filter(answer -> answer.status() == 202)).hasSize(1);
    String id = ids.iterator().next();
    LEDGER.await(caller, id, "dispatched");
    assertThat(LEDGER.tryToDelegate(caller, callee.id(), "Do it.", key).json().toString())
        .isEqualTo(
            "{\"delegation_id\":\"%s\",\"status\":\"dispatched\",\"target_id\":\"%s\",\"idempotent_hit\":true}"
                .formatted(id, callee.id()));
    assertThat(LEDGER.inbox(callee).size()).isEqualTo(1);
    assertThat(LEDGER.delegate(callee, caller, "Do it.", key)).isNotEqualTo(id);
  }

  @Test
  void freesItsKeyWhenItFailedOrEndedLongAgo() {
    String key = "\"idempotency_key\":\"k\"";
    String failed = LEDGER.delegate(caller, callee, "Do it.", key);
    LEDGER.update(callee, failed, "{\"status\":\"failed\"}");
    String completed = LEDGER.delegate(caller, callee, "Do it.", key);
    LEDGER.update(callee, completed, "{\"status\":\"completed\"}");

    assertThat(LEDGER.tryToDelegate(caller, callee.id(), "Do it.", key).field("delegation_id"))
        .isEqualTo(completed);
    LEDGER.set(completed, "updated_at = now() - interval '23 hours 59 minutes'");
    assertThat(LEDGER.tryToDelegate(caller, callee.id(), "Do it.", key).field("delegation_id"))
        .isEqualTo(completed);
    LEDGER.set(completed, "updated_at = now() - interval '24 hours 1 minute'");
    assertThat(LEDGER.delegate(caller, callee, "Do more.", key)).isNotEqualTo(completed);
  }

  @Test
  void distinguishesLongKeys() {
    String begin = "k".repeat(300);
    String first =
        LEDGER.delegate(caller, callee, "Do it.", "\"idempotency_key\":\"" + begin + "1\"");
    String second =
        LEDGER.delegate(caller, callee, "Do it.", "\"idempotency_key\":\"" + begin + "2\"");

    assertThat(second).isNotEqualTo(first);
    assertThat(
            LEDGER
                .tryToDelegate(
                    caller, callee.id(), "Do it.", "\"idempotency_key\":\"" + begin + "1\"")
                .field("delegation_id"))
        .isEqualTo(first);
  }

  @Test
  void keepsTheWholeTask() {
    String task = "ü".repeat(60_000);

    String id = LEDGER.delegate(caller, callee, task);

    JsonNode delegation = LEDGER.await(caller, id, "dispatched");
    assertThat(delegation.path("task").asString()).isEqualTo(task);
    assertThat(delegation.path("task_preview").asString()).isEqualTo("ü".repeat(2048));
    assertThat(LEDGER.inbox(callee).at("/0/data/text").asString()).isEqualTo(task);
  }

  @Test
  void isListedForCallerAndCalleeNewestFirst() {
    String first = LEDGER.delegate(caller, callee, "first");
    String second = LEDGER.delegate(callee, caller, "second");
    String third = LEDGER.delegate(caller, callee, "third");
    LEDGER.await(caller, third, "dispatched");

    assertThat(ids(list(caller, ""))).containsExactly(third, second, first);
    assertThat(ids(list(caller, "?direction=sent"))).containsExactly(third, first);
    assertThat(ids(list(caller, "?direction=received"))).containsExactly(second);
    assertThat(ids(list(caller, "?direction=sent&status=failed"))).isEmpty();
    JsonNode entry = list(callee, "?direction=received").path(0);
    assertThat(entry.path("type").asString()).isEqualTo("delegation");
    assertThat(entry.path("direction").asString()).isEqualTo("received");
    assertThat(entry.path("source_id").asString()).isEqualTo(caller.id().toString());
    assertThat(entry.path("target_id").asString()).isEqualTo(callee.id().toString());
    assertThat(entry.path("summary").asString()).isEqualTo("third");
    assertThat(entry.propertyNames())
        .containsExactly(
            "delegation_id",
            "type",
            "source_id",
            "target_id",
            "direction",
            "summary",
            "status",
            "response_preview",
            "error",
            "error_detail",
            "error_kind",
            "last_heartbeat",
            "deadline",
            "created_at",
            "updated_at");
    Answer page =
        LEDGER.client().get("/workspaces/" + caller.id() + "/delegations?limit=2", caller.token());
    assertThat(ids(page.json())).containsExactly(third, second);
    String next = page.header("Link").replaceAll("<(.*)>.*", "$1");
    assertThat(ids(LEDGER.client().get(next, caller.token()).json())).containsExactly(first);
    for (String bad : List.of("?status=none", "?direction=up", "?limit=x", "?cursor=x")) {
      assertThat(
              LEDGER
                  .client()
                  .get("/workspaces/" + caller.id() + "/delegations" + bad, caller.token())
                  .status())
          .as(bad)
          .isEqualTo(400);
    }
  }

  private static JsonNode list(Agent of, String query) {
    return LEDGER
        .client()
        .get("/workspaces/" + of.id() + "/delegations" + query, of.token())
        .json();
  }

  private static List<String> ids(JsonNode list) {
    return list.valueStream().map(one -> one.path("delegation_id").asString()).toList();
  }

  @Test
  void isAwaitedOnEveryReplica() throws Exception {
    try (TestServer other = TestServer.startOn(SERVER.database())) {
      String id = LEDGER.delegate(caller, callee, "Do it.");
      String path = "/workspaces/" + caller.id() + "/delegations/" + id + "?wait=25";
      CompletableFuture<Answer> here =
          CompletableFuture.supplyAsync(
              () -> LEDGER.client().get(path, caller.token()), Thread::startVirtualThread);
      CompletableFuture<Answer> there =
          CompletableFuture.supplyAsync(
              () -> other.client().get(path, caller.token()), Thread::startVirtualThread);
      Awaitility.await().until(other::metrics, text -> text.contains("muster_polls_waiting 1.0"));

      LEDGER.update(callee, id, "{\"status\":\"completed\",\"result\":\"Here.\"}");

      assertThat(here.get(10, TimeUnit.SECONDS).field("result")).isEqualTo("Here.");
      assertThat(there.get(10, TimeUnit.SECONDS).field("result")).isEqualTo("Here.");
    }
  }

  @Test
  void isAnsweredWithItsCurrentStateAfterTheTimeout() {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");

    Answer answer =
        LEDGER
            .client()
            .get("/workspaces/" + callee.id() + "/delegations/" + id + "?wait=0.2", callee.token());

    assertThat(answer.field("status")).isEqualTo("dispatched");
    for (String bad : List.of("x", "-1", "61", "NaN")) {
      assertThat(
              LEDGER
                  .client()
                  .get(
                      "/workspaces/" + callee.id() + "/delegations/" + id + "?wait=" + bad,
                      callee.token())
                  .status())
          .as(bad)
          .isEqualTo(400);
    }
    Agent other = LEDGER.polling(team);
    assertThat(
            LEDGER
                .client()
                .get("/workspaces/" + other.id() + "/delegations/" + id, other.token())
                .status())
        .isEqualTo(404);
  }

  @Test
  void isListedAndCountedForOperators() {
    String inFlight = LEDGER.delegate(caller, callee, "Do it.");
    String stuck = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, stuck, "dispatched");
    LEDGER.set(stuck, "status = 'stuck'");
    String failed = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.update(callee, failed, "{\"status\":\"failed\"}");

    assertThat(ids(adminList(""))).contains(inFlight, stuck).doesNotContain(failed);
    assertThat(ids(adminList("?status=in_flight&limit=1000"))).contains(inFlight, stuck);
    assertThat(ids(adminList("?status=stuck"))).contains(stuck).doesNotContain(inFlight);
    assertThat(ids(adminList("?status=failed"))).contains(failed).doesNotContain(stuck);
    for (String bad : List.of("?status=queued", "?limit=0", "?limit=1001", "?limit=x")) {
      Answer refused = LEDGER.client().get("/admin/delegations" + bad, ADMIN_TOKEN);
      assertThat(refused.status()).as(bad).isEqualTo(400);
      assertThat(refused.field("error")).containsAnyOf("in_flight, stuck, failed", "1 to 1000");
    }
    JsonNode stats = LEDGER.client().get("/admin/delegations/stats", ADMIN_TOKEN).json();
    assertThat(stats.propertyNames())
        .containsExactly("queued", "dispatched", "in_progress", "stuck", "completed", "failed");
    assertThat(stats.path("stuck").asInt()).isPositive();
    for (String path : List.of("", "/stats")) {
      assertThat(LEDGER.client().get("/admin/delegations" + path, caller.token()).status())
          .isEqualTo(403);
    }
  }

  private static JsonNode adminList(String query) {
    return LEDGER.client().get("/admin/delegations" + query, ADMIN_TOKEN).json();
  }
}
