package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Who may do what with delegations, also during a wait (section 8, R1.4 to R1.6). */
@Slow
class LedgerAccessTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final Delegations LEDGER = new Delegations(SERVER);
  private static final TestClient CLIENT = LEDGER.client();
  private static final TestServer OTHER = TestServer.startOn(SERVER.database());

  private final Agent team = LEDGER.team();
  private final Agent caller = LEDGER.polling(team);
  private final Agent callee = LEDGER.polling(team);

  @AfterAll
  static void stop() {
    OTHER.close();
  }

  private String dispatched() {
    String id = LEDGER.delegate(caller, callee, "Do it.");
    LEDGER.await(caller, id, "dispatched");
    return id;
  }

  /** {@code W} in a route is a workspace, {@code D} a delegation of it. */
  private static Answer call(String route, UUID workspace, String id, @Nullable String token) {
    String[] parts = route.replace("W", workspace.toString()).replace("D", id).split(" ", 3);
    return parts[0].equals("GET")
        ? CLIENT.get(parts[1], token)
        : CLIENT.post(parts[1], token, parts.length > 2 ? parts[2] : "");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /workspaces/W/delegations",
        "GET /workspaces/W/delegations/D",
        "POST /workspaces/W/delegations/D/heartbeat",
        "POST /workspaces/W/delegations/D/update {\"status\":\"in_progress\"}",
      })
  void admitsTheWorkspaceItselfAndTheAdmin(String route) {
    String id = dispatched();
    Agent sibling = LEDGER.polling(team);
    Agent removed = LEDGER.polling(team);
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    assertThat(call(route, callee.id(), id, null).status()).isEqualTo(401);
    assertThat(call(route, callee.id(), id, "no-such-token").status()).isEqualTo(401);
    assertThat(call(route, callee.id(), id, sibling.token()).status()).isEqualTo(403);
    assertThat(call(route, callee.id(), id, caller.token()).status()).isEqualTo(403);
    assertThat(call(route, callee.id(), id, team.token()).status()).isEqualTo(403);
    assertThat(call(route, removed.id(), id, removed.token()).status()).isEqualTo(401);
    assertThat(call(route, callee.id(), id, removed.token()).status()).isEqualTo(401);
    assertThat(call(route, removed.id(), id, ADMIN_TOKEN).status()).isIn(404, 410);
    assertThat(call(route, UUID.randomUUID(), id, ADMIN_TOKEN).status()).isEqualTo(404);
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
    assertThat(call(route, callee.id(), id, ADMIN_TOKEN).status()).isEqualTo(200);
    assertThat(call(route, callee.id(), id, callee.token()).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /admin/delegations",
        "GET /admin/delegations/stats",
        "POST /admin/delegations/D/retry",
        "POST /admin/delegations/D/fail {\"reason\":\"x\"}",
        "POST /admin/delegations/sweep",
      })
  void admitsOnlyTheAdminToOperatorRoutes(String route) {
    String id = dispatched();

    assertThat(call(route, caller.id(), id, null).status()).isEqualTo(401);
    assertThat(call(route, caller.id(), id, "no-such-token").status()).isEqualTo(401);
    assertThat(call(route, caller.id(), id, caller.token()).status()).isEqualTo(403);
    assertThat(LEDGER.read(caller, id).path("status").asString()).isEqualTo("dispatched");
    assertThat(call(route, caller.id(), id, ADMIN_TOKEN).status()).isEqualTo(200);
  }

  @Test
  void delegatesInTheNameOfAWorkspaceForTheAdmin() {
    String route = "POST /workspaces/W/delegate {\"target_id\":\"D\",\"task\":\"x\"}";
    Agent unrelated = LEDGER.polling(LEDGER.team());
    Agent removed = LEDGER.polling(team);
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);
    String target = callee.id().toString();

    Answer made = call(route, caller.id(), target, ADMIN_TOKEN);
    assertThat(made.status()).as(made.text()).isEqualTo(202);
    assertThat(LEDGER.row(made.field("delegation_id"), "caller_id"))
        .isEqualTo(caller.id().toString());
    assertThat(call(route, unrelated.id(), target, ADMIN_TOKEN).status()).isEqualTo(403);
    assertThat(call(route, removed.id(), target, ADMIN_TOKEN).status()).isEqualTo(410);
    assertThat(call(route, UUID.randomUUID(), target, ADMIN_TOKEN).status()).isEqualTo(404);
    assertThat(call(route, callee.id(), target, ADMIN_TOKEN).status()).isEqualTo(400);
    assertThat(call(route, removed.id(), target, removed.token()).status()).isEqualTo(401);
  }

  @Test
  void acceptsTheOlderFormOnlyWhenItIsUnambiguous() {
    String body = "{\"task\":\"x\",\"target_id\":%s}";
    String path = "/workspaces/" + callee.id() + "/delegate";
    Agent unrelated = LEDGER.polling(LEDGER.team());
    Agent removed = LEDGER.polling(team);
    CLIENT.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);

    // an empty target counts as missing
    for (String none : List.of("\"\"", "null")) {
      Answer made = CLIENT.post(path, caller.token(), body.formatted(none));
      assertThat(made.status()).as(made.text()).isEqualTo(202);
      assertThat(made.field("target_id")).isEqualTo(callee.id().toString());
    }
    // the newer form, for another workspace
    String named = body.formatted("\"" + callee.id() + "\"");
    assertThat(CLIENT.post(path, caller.token(), named).status()).isEqualTo(403);
    // no target at all
    assertThat(CLIENT.post(path, callee.token(), "{\"task\":\"x\"}").status()).isEqualTo(400);
    assertThat(CLIENT.post(path, ADMIN_TOKEN, "{\"task\":\"x\"}").status()).isEqualTo(400);
    assertThat(CLIENT.post(path, unrelated.token(), "{\"task\":\"x\"}").status()).isEqualTo(403);
    assertThat(CLIENT.post(path, removed.token(), "{\"task\":\"x\"}").status()).isEqualTo(401);
    assertThat(CLIENT.post(path, caller.token(), "{\"task\":\"\"}").status()).isEqualTo(400);
    for (String target : List.of("x", "%00")) {
      Answer bad =
          CLIENT.post("/workspaces/" + target + "/delegate", caller.token(), "{\"task\":\"x\"}");
      assertThat(bad.status()).as(bad.text()).isEqualTo(400);
    }
    String gone = "/workspaces/" + removed.id() + "/delegate";
    assertThat(CLIENT.post(gone, caller.token(), "{\"task\":\"x\"}").status()).isEqualTo(410);
    String none = "/workspaces/" + UUID.randomUUID() + "/delegate";
    assertThat(CLIENT.post(none, caller.token(), "{\"task\":\"x\"}").status()).isEqualTo(404);
  }

  private static CompletableFuture<Answer> waiting(
      TestClient client, Agent reader, String token, String id) {
    String path = "/workspaces/" + reader.id() + "/delegations/" + id + "?wait=25";
    return CompletableFuture.supplyAsync(() -> client.get(path, token), Thread::startVirtualThread);
  }

  private static void awaitWaiting(TestServer server, String polls) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(server::metrics, text -> text.contains("muster_polls_waiting " + polls));
  }

  @Test
  void answersCallerAndCalleeThatWaitOnAnyReplica() throws Exception {
    String id = dispatched();
    List<CompletableFuture<Answer>> waits =
        List.of(
            waiting(OTHER.client(), caller, caller.token(), id),
            waiting(OTHER.client(), callee, callee.token(), id),
            waiting(OTHER.client(), callee, ADMIN_TOKEN, id));
    awaitWaiting(OTHER, "3.0");

    CLIENT.post("/admin/delegations/" + id + "/fail", ADMIN_TOKEN, "{\"reason\":\"enough\"}");

    for (CompletableFuture<Answer> wait : waits) {
      Answer ended = wait.get(10, TimeUnit.SECONDS);
      assertThat(ended.field("status")).as(ended.text()).isEqualTo("failed");
      assertThat(ended.field("error_detail")).isEqualTo("enough");
    }
  }

  @Test
  void refusesAWaitWhoseTokenIsRevoked() throws Exception {
    String id = dispatched();
    String tokens = "/workspaces/" + callee.id() + "/tokens";
    String token = CLIENT.post(tokens, callee.token(), "").field("auth_token");
    CompletableFuture<Answer> wait = waiting(OTHER.client(), callee, token, id);
    awaitWaiting(OTHER, "1.0");

    for (JsonNode one : CLIENT.get(tokens, ADMIN_TOKEN).json().path("tokens")) {
      if (token.startsWith(one.path("prefix").asString())) {
        CLIENT.delete(tokens + "/" + one.path("id").asString(), ADMIN_TOKEN);
      }
    }

    assertThat(wait.get(10, TimeUnit.SECONDS).status()).isEqualTo(401);
  }

  @Test
  void answersWaitsWithTheCurrentStateAtShutdown() throws Exception {
    TestServer other = TestServer.startOn(SERVER.database());
    CompletableFuture<Answer> wait;
    String id = dispatched();
    try (other) {
      wait = waiting(other.client(), caller, caller.token(), id);
      awaitWaiting(other, "1.0");
    }

    Answer standing = wait.get(10, TimeUnit.SECONDS);
    assertThat(standing.status()).as(standing.text()).isEqualTo(200);
    assertThat(standing.field("status")).isEqualTo("dispatched");
  }
}
