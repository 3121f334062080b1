package dev.muster.workspace;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Race;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/**
 * With anonymous registration, knowing a workspace's id does not suffice to take it over (R3.1).
 */
class OpenRegistrationTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();

  @Test
  void refusesAnAnonymousCallerAfterARegistrationWithAnUnusedToken() {
    UUID id = UUID.randomUUID();
    String minted = register(id, null, "mine").field("auth_token");
    JsonNode before = read(id);

    Answer answer = register(id, null, "stolen");

    assertRefused(answer, 401, "UNAUTHENTICATED");
    assertThat(answer.text()).doesNotContain("auth_token");
    assertThat(read(id)).isEqualTo(before);
    assertThat(CLIENT.heartbeat(new Agent(id, minted)).status()).isEqualTo(200);
  }

  @Test
  void namesTheWayToReplaceALostToken() {
    UUID id = UUID.randomUUID();
    register(id, null, "lost");

    Answer refused = register(id, null, "other");

    assertThat(refused.field("detail")).contains("POST /admin/workspaces/" + id + "/tokens");
    String replaced =
        CLIENT.post("/admin/workspaces/" + id + "/tokens", ADMIN_TOKEN, "").field("auth_token");
    assertThat(register(id, replaced, "back").status()).isEqualTo(200);
  }

  @Test
  void letsOnlyTheFirstCallerClaimAPreparedWorkspace() {
    Agent agent = CLIENT.create("Prepared");

    String minted = register(agent.id(), null, "first").field("auth_token");

    assertThat(minted).hasSize(43);
    assertRefused(register(agent.id(), null, "second"), 401, "UNAUTHENTICATED");
    assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(200);
    assertThat(CLIENT.heartbeat(new Agent(agent.id(), minted)).status()).isEqualTo(200);
  }

  @Test
  void refusesAnAnonymousCallerAfterTheFirstTokenWasUsed() {
    Agent agent = CLIENT.createOnline("Used");

    assertRefused(register(agent.id(), null, "stranger"), 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesAnAnonymousCallerAfterARegistrationByTheAdmin() {
    Agent agent = CLIENT.create("By the admin");
    assertThat(register(agent.id(), ADMIN_TOKEN, "card").status()).isEqualTo(200);

    assertRefused(register(agent.id(), null, "card"), 401, "UNAUTHENTICATED");
  }

  @Test
  void answersARepeatedRegistrationWithANewToken() {
    UUID id = UUID.randomUUID();
    String lost = register(id, null, "same").field("auth_token");

    Answer again = register(id, null, "same");

    assertThat(again.status()).isEqualTo(200);
    String token = again.field("auth_token");
    assertThat(token).hasSize(43).isNotEqualTo(lost);
    assertRefused(CLIENT.heartbeat(new Agent(id, lost)), 401, "UNAUTHENTICATED");
    assertThat(liveTokens(id)).isEqualTo(1);
    assertThat(CLIENT.heartbeat(new Agent(id, token)).status()).isEqualTo(200);
  }

  @Test
  void keepsTheFirstTokenValidAfterARepeatedRegistration() {
    Agent agent = CLIENT.create("Prepared");
    register(agent.id(), null, "same");

    assertThat(register(agent.id(), null, "same").status()).isEqualTo(200);

    assertThat(liveTokens(agent.id())).isEqualTo(2);
    assertThat(CLIENT.heartbeat(agent).status()).isEqualTo(200);
  }

  @Test
  void comparesTheBodyByteForByte() {
    UUID id = UUID.randomUUID();
    String body = "{\"id\":\"" + id + "\",\"agent_card\":{\"name\":\"same\"}}";
    CLIENT.post("/registry/register", null, body);

    assertRefused(CLIENT.post("/registry/register", null, body + " "), 401, "UNAUTHENTICATED");
    assertThat(CLIENT.post("/registry/register", null, body).status()).isEqualTo(200);
  }

  @Test
  void refusesARepetitionAfterAnyTokenWasUsed() {
    Agent agent = CLIENT.create("Prepared");
    String minted = register(agent.id(), null, "same").field("auth_token");
    CLIENT.heartbeat(agent);

    assertRefused(register(agent.id(), null, "same"), 401, "UNAUTHENTICATED");
    assertThat(CLIENT.heartbeat(new Agent(agent.id(), minted)).status()).isEqualTo(200);
  }

  @Test
  void refusesARepetitionAfterAMinute() {
    UUID id = UUID.randomUUID();
    register(id, null, "same");
    change(id, "registered_at = registered_at - interval '61 seconds'");

    assertRefused(register(id, null, "same"), 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesARepetitionFromAnotherAddress() {
    UUID id = UUID.randomUUID();
    register(id, null, "same");
    change(id, "remote_address = '198.51.100.7'");

    assertRefused(register(id, null, "same"), 401, "UNAUTHENTICATED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Forwarded",
        "Via",
        "X-Forwarded-For",
        "X-Forwarded-Host",
        "X-Forwarded-Proto",
        "X-Real-IP"
      })
  void refusesARepetitionThroughAProxy(String header) {
    UUID id = UUID.randomUUID();
    assertThat(register(id, null, "same", header, "198.51.100.7").status()).isEqualTo(200);
    assertRefused(register(id, null, "same", header, "198.51.100.7"), 401, "UNAUTHENTICATED");
    assertRefused(register(id, null, "same"), 401, "UNAUTHENTICATED");

    UUID direct = UUID.randomUUID();
    register(direct, null, "same");
    assertRefused(register(direct, null, "same", header, "198.51.100.7"), 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesARepetitionBehindTls() {
    try (TestServer proxied =
        TestServer.startOn(
            SERVER.database(), "REGISTRATION=open", "PUBLIC_URL=https://muster.example")) {
      UUID id = UUID.randomUUID();
      String body = "{\"id\":\"" + id + "\",\"agent_card\":{}}";
      assertThat(proxied.client().post("/registry/register", null, body).status()).isEqualTo(200);

      assertRefused(
          proxied.client().post("/registry/register", null, body), 401, "UNAUTHENTICATED");
    }
  }

  @Test
  void registersOneOfManyConcurrentCallers() {
    UUID id = UUID.randomUUID();

    List<Integer> statuses = Race.run(16, i -> register(id, null, "stranger " + i).status());

    assertThat(statuses).containsOnly(200, 401);
    assertThat(statuses.stream().filter(status -> status == 200)).hasSize(1);
    assertThat(liveTokens(id)).isEqualTo(1);
  }

  private static Answer register(UUID id, @Nullable String token, String name, String... headers) {
    String body = "{\"id\":\"" + id + "\",\"agent_card\":{\"name\":\"" + name + "\"}}";
    return CLIENT.patient().post("/registry/register", token, body, headers);
  }

  private static JsonNode read(UUID id) {
    return CLIENT.get("/workspaces/" + id, ADMIN_TOKEN).json();
  }

  private static int liveTokens(UUID id) {
    return CLIENT.get("/workspaces/" + id + "/tokens", ADMIN_TOKEN).json().path("count").asInt();
  }

  private static void change(UUID id, String assignment) {
    SERVER
        .bean(JdbcClient.class)
        .sql("UPDATE workspace_registrations SET " + assignment + " WHERE workspace_id = :id")
        .param("id", id)
        .update();
  }
}
