package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.MachinePauses;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Tokens of viewers and operators: minted, listed, revoked, expired (R1.7). */
@Slow
class RoleTokensTest {

  private static final TestServer SERVER = TestServer.start();
  private static final TestServer ELSEWHERE = TestServer.startOn(SERVER.database());
  private static final TestServer LIMITED = TestServer.startOn(SERVER.database(), "RATE_LIMIT=30");
  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void close() {
    LIMITED.close();
    ELSEWHERE.close();
    SERVER.close();
  }

  @Test
  void showsATokenOnceAndKeepsOnlyItsHash() {
    Answer minted = mint(ADMIN_TOKEN, "viewer", ",\"expires_in_s\":3600");

    assertThat(minted.status()).isEqualTo(201);
    assertThat(minted.header("Cache-Control")).isEqualTo("no-store");
    String token = minted.field("auth_token");
    assertThat(token).hasSize(43);
    assertThat(minted.field("role")).isEqualTo("viewer");
    JsonNode listed = listed(minted.field("id"));
    assertThat(listed.path("name").asString()).isEqualTo("Eyes");
    assertThat(listed.path("prefix").asString()).isEqualTo(token.substring(0, 8));
    assertThat(listed.path("created_by").asString()).isEqualTo("admin");
    assertThat(Instant.parse(listed.path("expires_at").asString()))
        .isBetween(Instant.now().plusSeconds(3000), Instant.now().plusSeconds(4000));
    assertThat(CLIENT.get("/admin/tokens", ADMIN_TOKEN).text()).doesNotContain(token);
    String stored =
        SERVER
            .bean(JdbcClient.class)
            .sql("SELECT string_agg(t::text, ' ') FROM role_tokens t")
            .query(String.class)
            .single();
    assertThat(stored).doesNotContain(token);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"name\":\"x\"}",
        "{\"role\":\"viewer\"}",
        "{\"name\":\"\",\"role\":\"viewer\"}",
        "{\"name\":\"x\",\"role\":\"admin\"}",
        "{\"name\":\"a\\nb\",\"role\":\"viewer\"}",
        "{\"name\":\"x\",\"role\":\"viewer\",\"expires_in_s\":\"soon\"}"
      })
  void refusesMalformedRequestsForTokens(String body) {
    assertRefused(CLIENT.post("/admin/tokens", ADMIN_TOKEN, body), 400, "VALIDATION_FAILED");
  }

  @Test
  void letsAnOperatorMintAndRevokeViewersButNoOperators() {
    Answer other = mint(ADMIN_TOKEN, "operator", "");
    String operator = mint(ADMIN_TOKEN, "operator", "").field("auth_token");

    Answer viewer = mint(operator, "viewer", "");
    assertThat(viewer.status()).isEqualTo(201);
    assertThat(viewer.field("created_by")).isEqualTo("Eyes");
    assertThat(CLIENT.delete("/admin/tokens/" + viewer.field("id"), operator).text())
        .isEqualTo("{\"status\":\"revoked\"}");

    assertRefused(mint(operator, "operator", ""), 403, "FORBIDDEN");
    assertRefused(CLIENT.delete("/admin/tokens/" + other.field("id"), operator), 403, "FORBIDDEN");
    assertThat(read(CLIENT, other.field("auth_token"))).isEqualTo(200);
  }

  @Test
  void doesNotFindARevokedToken() {
    Answer viewer = mint(ADMIN_TOKEN, "viewer", "");
    String path = "/admin/tokens/" + viewer.field("id");
    assertThat(CLIENT.delete(path, ADMIN_TOKEN).status()).isEqualTo(200);

    assertRefused(CLIENT.delete(path, ADMIN_TOKEN), 404, "NOT_FOUND");
    assertThat(listed(viewer.field("id")).isMissingNode()).isTrue();
    assertThat(read(CLIENT, viewer.field("auth_token"))).isEqualTo(401);
  }

  @ParameterizedTest
  @ValueSource(strings = {"viewer", "operator"})
  void reachesEveryReplicaWithARevocationWithinFiveSeconds(String role) throws Exception {
    Answer minted = mint(ADMIN_TOKEN, role, "");
    String token = minted.field("auth_token");
    assertThat(read(ELSEWHERE.client(), token)).isEqualTo(200);
    CompletableFuture<Void> streamEnded = openStream(token);

    assertThat(CLIENT.delete("/admin/tokens/" + minted.field("id"), ADMIN_TOKEN).status())
        .isEqualTo(200);

    MachinePauses.awaitWithin(
        Duration.ofSeconds(5),
        () -> read(ELSEWHERE.client(), token) == 401 && streamEnded.isDone());
  }

  @Test
  void endsATokenWhenItExpires() throws IOException {
    Answer minted = mint(ADMIN_TOKEN, "viewer", ",\"expires_in_s\":86400");
    String token = minted.field("auth_token");
    assertThat(read(ELSEWHERE.client(), token)).isEqualTo(200);
    SERVER
        .bean(JdbcClient.class)
        .sql("UPDATE role_tokens SET expires_at = clock_timestamp() WHERE id = :id::uuid")
        .param("id", minted.field("id"))
        .update();

    MachinePauses.awaitWithin(Duration.ofSeconds(5), () -> read(ELSEWHERE.client(), token) == 401);
    // this replica did not see the token while it was valid
    assertThat(read(LIMITED.client(), token)).isEqualTo(401);
    assertThat(listed(minted.field("id")).isMissingNode()).isTrue();
  }

  @Test
  void countsTheRequestsOfEachTokenSeparately() {
    String one = mint(ADMIN_TOKEN, "viewer", "").field("auth_token");
    String other = mint(ADMIN_TOKEN, "viewer", "").field("auth_token");
    int status = 200;
    for (int i = 0; i < 60 && status == 200; i++) {
      status = read(LIMITED.client(), one);
    }

    assertThat(status).isEqualTo(429);
    assertThat(read(LIMITED.client(), other)).isEqualTo(200);
  }

  @Test
  void showsMessagesAndActivityToAViewer() {
    Agent agent = CLIENT.createOnline("Seen");
    CLIENT.heartbeat(agent, "\"current_task\":\"secret plan\"");
    CLIENT.post("/workspaces/" + agent.id() + "/notify", agent.token(), "{\"message\":\"hello\"}");
    String viewer = mint(ADMIN_TOKEN, "viewer", "").field("auth_token");

    assertThat(CLIENT.get("/workspaces/" + agent.id(), viewer).field("current_task"))
        .isEqualTo("secret plan");
    assertThat(CLIENT.get("/workspaces/" + agent.id() + "/activity", viewer).text())
        .contains("hello");
    assertRefused(CLIENT.get("/workspaces/" + agent.id() + "/tokens", viewer), 403, "FORBIDDEN");
    assertRefused(CLIENT.get("/admin/audit", viewer), 403, "FORBIDDEN");
  }

  @Test
  void deletesTokensNinetyDaysAfterTheirEnd() {
    Answer old = mint(ADMIN_TOKEN, "viewer", "");
    Answer young = mint(ADMIN_TOKEN, "viewer", "");
    CLIENT.delete("/admin/tokens/" + old.field("id"), ADMIN_TOKEN);
    CLIENT.delete("/admin/tokens/" + young.field("id"), ADMIN_TOKEN);
    age("role_tokens SET revoked_at", 91, "id = '" + old.field("id") + "'");
    age("role_tokens SET revoked_at", 89, "id = '" + young.field("id") + "'");
    int actions = count("operator_actions");
    age("operator_actions SET at", 91, "targets @> ARRAY['" + old.field("id") + "']");

    SERVER.bean(IdentityRetention.class).sweepAudit();

    assertThat(count("role_tokens WHERE id = '" + old.field("id") + "'")).isZero();
    assertThat(count("role_tokens WHERE id = '" + young.field("id") + "'")).isEqualTo(1);
    assertThat(count("operator_actions")).isEqualTo(actions - 2);
  }

  private static void age(String column, int days, String where) {
    SERVER
        .bean(JdbcClient.class)
        .sql("UPDATE %s = now() - interval '%d days' WHERE %s".formatted(column, days, where))
        .update();
  }

  private static int count(String from) {
    return SERVER
        .bean(JdbcClient.class)
        .sql("SELECT count(*) FROM " + from)
        .query(Integer.class)
        .single();
  }

  private static Answer mint(String by, String role, String more) {
    String body = "{\"name\":\"Eyes\",\"role\":\"" + role + "\"" + more + "}";
    return CLIENT.post("/admin/tokens", by, body);
  }

  private static JsonNode listed(@Nullable String id) {
    for (JsonNode token : CLIENT.get("/admin/tokens", ADMIN_TOKEN).json().path("tokens")) {
      if (token.path("id").asString().equals(id)) {
        return token;
      }
    }
    return CLIENT.get("/admin/tokens", ADMIN_TOKEN).json().path("none");
  }

  private static int read(TestClient client, String token) {
    return client.get("/workspaces", token).status();
  }

  /** Opens a stream of all events; completes when the server ends it. */
  private static CompletableFuture<Void> openStream(String token)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(ELSEWHERE.client().baseUrl() + "/events/stream"))
            .header("Authorization", "Bearer " + token)
            .build();
    HttpResponse<InputStream> stream =
        HttpClient.newHttpClient().send(request, BodyHandlers.ofInputStream());
    assertThat(stream.statusCode()).isEqualTo(200);
    CompletableFuture<Void> ended = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try (InputStream body = stream.body()) {
            body.transferTo(java.io.OutputStream.nullOutputStream());
          } catch (IOException cut) {
            // the connection was reset, which ends the stream as well
          }
          ended.complete(null);
        });
    return ended;
  }
}
