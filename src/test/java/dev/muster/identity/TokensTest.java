package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Tokens are shown once, kept as hashes, listed, minted and revoked (R1.1, section 2). */
@Slow
class TokensTest {

  private static final int MAX_LIVE = 50;

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void areThirtyTwoRandomBytesInBase64Url() {
    Agent agent = CLIENT.create("Form");
    List<String> tokens = new ArrayList<>(List.of(agent.token()));
    for (int i = 0; i < 20; i++) {
      tokens.add(mint(agent, agent.token()).field("auth_token"));
    }

    assertThat(tokens)
        .doesNotHaveDuplicates()
        .allSatisfy(token -> {
          assertThat(token).matches("[A-Za-z0-9_-]{43}");
          assertThat(Base64.getUrlDecoder().decode(token)).hasSize(32);
        });
  }

  @Test
  void areStoredAsHashesOnly() throws SQLException, NoSuchAlgorithmException {
    Agent agent = CLIENT.create("Hashed");
    CLIENT.heartbeat(agent);
    String registered =
        CLIENT
            .post(
                "/registry/register",
                null,
                "{\"id\":\"%s\",\"agent_card\":{}}".formatted(UUID.randomUUID()))
            .field("auth_token");
    for (String token : List.of(agent.token(), registered)) {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(token.getBytes(UTF_8));
      byte[] secret = Base64.getUrlDecoder().decode(token);

      assertThat(tablesWith(token)).isEmpty();
      assertThat(tablesWith(HexFormat.of().formatHex(token.getBytes(UTF_8)))).isEmpty();
      assertThat(tablesWith(HexFormat.of().formatHex(secret))).isEmpty();
      assertThat(tablesWith(HexFormat.of().formatHex(hash))).containsExactly("workspace_tokens");
    }
    assertThat(tablesWith(agent.id().toString())).contains("workspaces", "workspace_tokens");
  }

  @Test
  void areListedWithoutTheirText() {
    Agent agent = CLIENT.create("Listed");
    String second = mint(agent, agent.token()).field("auth_token");

    Answer answer = list(agent);

    assertThat(answer.text()).doesNotContain(agent.token(), second);
    assertThat(answer.json().propertyNames()).containsExactlyInAnyOrder("tokens", "count");
    assertThat(answer.json().path("count").asInt()).isEqualTo(2);
    assertThat(answer.json().path("tokens"))
        .hasSize(2)
        .allSatisfy(token ->
            assertThat(token.propertyNames())
                .containsExactlyInAnyOrder("id", "prefix", "created_at", "last_used_at"));
    assertThat(prefixes(answer))
        .containsExactlyInAnyOrder(agent.token().substring(0, 8), second.substring(0, 8));
  }

  @Test
  void showWhetherTheyWereEverUsed() {
    Agent agent = CLIENT.create("Used");
    String unused = mint(agent, ADMIN_TOKEN).field("auth_token");
    assertThat(token(agent, agent.token()).path("last_used_at").isNull()).isTrue();

    CLIENT.heartbeat(agent);

    JsonNode first = token(agent, agent.token());
    assertThat(first.path("last_used_at").asString("")).isNotEmpty();
    assertThat(token(agent, unused).path("last_used_at").isNull()).isTrue();
    CLIENT.heartbeat(agent);
    assertThat(token(agent, agent.token()).path("last_used_at"))
        .as("written at most once a minute")
        .isEqualTo(first.path("last_used_at"));
  }

  @Test
  void areMintedForTheWorkspaceOfThePath() {
    Agent agent = CLIENT.create("Minted");

    Answer byItself = mint(agent, agent.token());
    Answer byAdmin = CLIENT.post("/admin/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN, "");

    for (Answer answer : List.of(byItself, byAdmin)) {
      assertThat(answer.status()).isEqualTo(201);
      assertThat(answer.json().propertyNames())
          .containsExactlyInAnyOrder("auth_token", "workspace_id");
      assertThat(answer.field("workspace_id")).isEqualTo(agent.id().toString());
      assertThat(heartbeatWith(agent, answer.field("auth_token"))).isEqualTo(200);
    }
  }

  @Test
  void areMintedByTheAdminForAWorkspaceWithoutTokens() {
    Agent agent = CLIENT.create("Lost");
    revoke(agent, token(agent, agent.token()).path("id").asString());
    assertThat(list(agent).json().path("count").asInt()).isZero();

    Answer answer = CLIENT.post("/admin/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN, "");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(heartbeatWith(agent, answer.field("auth_token"))).isEqualTo(200);
  }

  @Test
  void areRefusedAtOnceWhenRevoked() {
    Agent agent = CLIENT.create("Revoked");
    String second = mint(agent, agent.token()).field("auth_token");
    assertThat(heartbeatWith(agent, second)).isEqualTo(200);

    Answer answer = revoke(agent, token(agent, second).path("id").asString());

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"status\":\"revoked\"}");
    assertThat(heartbeatWith(agent, second)).isEqualTo(401);
    assertRefused(CLIENT.get("/workspaces/" + agent.id(), second), 401, "UNAUTHENTICATED");
    assertThat(heartbeatWith(agent, agent.token())).isEqualTo(200);
    assertThat(prefixes(list(agent))).containsExactly(agent.token().substring(0, 8));
  }

  @Test
  void cannotBeRevokedTwice() {
    Agent agent = CLIENT.create("Twice");
    Agent other = CLIENT.create("Other");
    String id = token(agent, agent.token()).path("id").asString();

    assertRefused(CLIENT.delete("/workspaces/" + other.id() + "/tokens/" + id, ADMIN_TOKEN), 404);
    assertRefused(revoke(agent, UUID.randomUUID().toString()), 404);
    assertThat(heartbeatWith(agent, agent.token())).isEqualTo(200);
    assertThat(revoke(agent, id).status()).isEqualTo(200);
    assertRefused(revoke(agent, id), 404);
  }

  @Test
  void areFiftyAtMostWithConcurrentMints() {
    Agent agent = CLIENT.create("Full");

    List<Answer> answers =
        Race.run(100, i -> mint(agent, i % 2 == 0 ? agent.token() : ADMIN_TOKEN));

    List<Answer> minted = answers.stream().filter(answer -> answer.status() == 201).toList();
    assertThat(minted).hasSize(MAX_LIVE - 1);
    answers.stream()
        .filter(answer -> answer.status() != 201)
        .forEach(answer -> assertRefused(answer, 429, "TOKEN_LIMIT"));
    assertThat(list(agent).json().path("count").asInt()).isEqualTo(MAX_LIVE);
    assertThat(heartbeatWith(agent, minted.getLast().field("auth_token"))).isEqualTo(200);

    revoke(agent, list(agent).json().path("tokens").path(7).path("id").asString());
    assertThat(mint(agent, ADMIN_TOKEN).status()).isEqualTo(201);
    assertRefused(mint(agent, ADMIN_TOKEN), 429, "TOKEN_LIMIT");
  }

  /** A hundred at once may be more than the database takes (R0.6). */
  private static Answer mint(Agent agent, String token) {
    return CLIENT.patient().post("/workspaces/" + agent.id() + "/tokens", token, "");
  }

  private static Answer list(Agent agent) {
    return CLIENT.get("/workspaces/" + agent.id() + "/tokens", ADMIN_TOKEN);
  }

  private static Answer revoke(Agent agent, String tokenId) {
    return CLIENT.delete("/workspaces/" + agent.id() + "/tokens/" + tokenId, ADMIN_TOKEN);
  }

  private static int heartbeatWith(Agent agent, String token) {
    return CLIENT.heartbeat(new Agent(agent.id(), token)).status();
  }

  private static List<String> prefixes(Answer list) {
    return list.json()
        .path("tokens")
        .valueStream()
        .map(token -> token.path("prefix").asString())
        .collect(toList());
  }

  private static JsonNode token(Agent agent, String token) {
    return list(agent)
        .json()
        .path("tokens")
        .valueStream()
        .filter(one -> one.path("prefix").asString().equals(token.substring(0, 8)))
        .findFirst()
        .orElseThrow();
  }

  /** Every table of the schema with a row that contains the text. */
  private static List<String> tablesWith(String text) throws SQLException {
    TestDatabase database = SERVER.database();
    List<String> found = new ArrayList<>();
    try (var connection = database.connect();
        var statement = connection.createStatement()) {
      List<String> tables = new ArrayList<>();
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables"
                  + " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')")) {
        while (rows.next()) {
          tables.add(rows.getString(1));
        }
      }
      for (String table : tables) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT EXISTS (SELECT FROM %s t WHERE strpos(t::text, '%s') > 0)"
                    .formatted(table, text))) {
          row.next();
          if (row.getBoolean(1)) {
            found.add(table.replaceFirst(".*\\.", ""));
          }
        }
      }
    }
    return found;
  }
}
