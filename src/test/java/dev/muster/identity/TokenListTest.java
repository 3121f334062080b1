package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.muster.testing.Poison;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The live tokens of all workspaces, and those that are not needed. */
class TokenListTest {

  private static final TestServer SERVER = TestServer.start();
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    SERVER.close();
  }

  /** A registration depends on whether a token of the workspace was ever used. */
  @Test
  void notesTheUsesOfOthersWhenThatOfOneTokenCannotBeStored() {
    List<Agent> agents = Stream.generate(() -> CLIENT.create("Used")).limit(6).toList();
    String poisoned = token(agents.getFirst(), "id");
    agents.forEach(one -> {
      // the first use is stored by the look-up, the second one is only in memory
      CLIENT.get("/workspaces/" + one.id() + "/state", one.token());
      CLIENT.get("/workspaces/" + one.id() + "/state", one.token());
    });
    SERVER.database().execute("UPDATE workspace_tokens SET last_used_at = '2020-01-01'");
    try (Poison poison =
        Poison.check(
            SERVER,
            "token-last-used",
            "workspace_tokens",
            "last_used_at < '2021-01-01' OR id <> '" + poisoned + "'")) {
      SERVER.bean(TokenCache.class).noteUses();

      for (Agent other : agents.subList(1, agents.size())) {
        assertThat(token(other, "last_used_at > '2021-01-01'")).isEqualTo("t");
      }
      assertThat(poison.lines(poisoned)).hasSize(1);
      assertThat(poison.counted()).isEqualTo(1);
    }
  }

  private static String token(Agent agent, String expression) {
    return SERVER
        .database()
        .value(
            "SELECT "
                + expression
                + " FROM workspace_tokens WHERE workspace_id = '"
                + agent.id()
                + "'");
  }

  @Test
  void listsLiveTokensByTheirUse() {
    Agent used = CLIENT.createOnline("Used");
    Agent unused = CLIENT.create("Unused");
    Agent idle = CLIENT.createOnline("Idle");
    String revoked = tokens("?workspace_id=" + mintAndFind(unused)).getFirst();
    CLIENT.delete("/workspaces/" + unused.id() + "/tokens/" + revoked, ADMIN_TOKEN);
    await().until(() -> !row(used).path("last_used_at").isNull());
    await().until(() -> !row(idle).path("last_used_at").isNull());
    SERVER
        .database()
        .execute(
            "UPDATE workspace_tokens SET last_used_at = now() - interval '40 days', created_at ="
                + " now() - interval '50 days' WHERE workspace_id = '"
                + idle.id()
                + "'");
    SERVER
        .database()
        .execute(
            "UPDATE workspace_tokens SET created_at = now() - interval '20 days' WHERE workspace_id"
                + " = '"
                + unused.id()
                + "'");

    assertThat(workspaces("")).contains(used.id().toString(), unused.id().toString());
    assertThat(tokens("")).doesNotContain(revoked);
    assertThat(workspaces("?never_used=true")).containsOnly(unused.id().toString());
    assertThat(workspaces("?idle_days=30")).containsExactly(idle.id().toString());
    assertThat(workspaces("?idle_days=15"))
        .containsOnly(idle.id().toString(), unused.id().toString());
    assertThat(workspaces("?idle_days=30&never_used=true")).isEmpty();
    assertThat(workspaces("?workspace_id=" + used.id())).containsExactly(used.id().toString());
    assertThat(tokens("?limit=1")).isEqualTo(tokens(""));
    JsonNode row = row(used);
    assertThat(List.copyOf(row.propertyNames()))
        .containsExactly("id", "workspace_id", "prefix", "created_at", "last_used_at");
    assertThat(used.token()).startsWith(row.path("prefix").asString());
  }

  /** Of very many tokens that are in use, one that is not costs a few pages. */
  @Test
  void looksAtSomeThousandRowsForAPage() {
    Agent agent = CLIENT.create("Many");
    SERVER
        .database()
        .execute(
            """
            INSERT INTO workspace_tokens (id, workspace_id, hash, prefix, created_at, last_used_at)
            SELECT gen_random_uuid(), '%1$s', sha256(n::text::bytea), 'abcdefgh', now() - interval '1 day', now()
            FROM generate_series(1, 11000) AS n
            """
                .formatted(agent.id()));
    List<String> found = new ArrayList<>();
    int pages = pages("?never_used=true&workspace_id=" + agent.id(), "id", found);

    assertThat(found).hasSize(1);
    assertThat(pages).isEqualTo(3);
    assertThat(tokens("?limit=1000&workspace_id=" + agent.id()))
        .hasSize(11_001)
        .doesNotHaveDuplicates();
    SERVER.database().execute("DELETE FROM workspace_tokens WHERE prefix = 'abcdefgh'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "idle_days=-1",
        "idle_days=-10000000000",
        "idle_days=a",
        "idle_days=ten_or_more",
        "never_used=1",
        "cursor=x",
        "cursor=a.b.c"
      })
  void refusesWhatItCannotUse(String query) {
    assertRefused(
        CLIENT.get("/admin/workspace-tokens?" + query, ADMIN_TOKEN), 400, "VALIDATION_FAILED");
  }

  private static String mintAndFind(Agent agent) {
    CLIENT.post("/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN, "");
    return agent.id().toString();
  }

  private static JsonNode row(Agent agent) {
    return CLIENT
        .get("/admin/workspace-tokens?workspace_id=" + agent.id(), ADMIN_TOKEN)
        .json()
        .path(0);
  }

  private static List<String> workspaces(String query) {
    List<String> all = new ArrayList<>();
    pages(query, "workspace_id", all);
    return all;
  }

  private static List<String> tokens(String query) {
    List<String> all = new ArrayList<>();
    pages(query, "id", all);
    return all;
  }

  private static int pages(String query, String field, List<String> all) {
    int pages = 0;
    for (String next = "/admin/workspace-tokens" + query; !next.isEmpty(); pages++) {
      Answer answer = CLIENT.get(next, ADMIN_TOKEN);
      assertThat(answer.status()).as(answer.text()).isEqualTo(200);
      answer.json().forEach(row -> all.add(row.path(field).asString()));
      next = answer.next();
    }
    return pages;
  }
}
