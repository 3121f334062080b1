package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** At most 120 requests a minute from an address without a valid credential, guesses included. */
@Slow
class AnonymousLimitTest {

  /** Callers without a credential get two requests a second back. */
  private static final int MORE_THAN_IS_REFILLED = 400;

  @Test
  void limitsGuessesAndAnonymousCallersOnly() {
    try (TestServer server = TestServer.start("RATE_LIMIT=100000")) {
      TestClient client = server.client();
      Agent known = client.createOnline("Known");
      Agent notYetMet = client.create("Not yet met");
      Agent removed = client.create("Removed");
      client.delete("/workspaces/" + removed.id(), ADMIN_TOKEN);
      String revoked = revokedTokenOf(client, known);
      String ask = "{\"caller_id\":\"%1$s\",\"target_id\":\"%1$s\"}".formatted(known.id());

      Answer first = client.get("/workspaces/" + known.id(), "x".repeat(43));
      assertRefused(first, 401, "UNAUTHENTICATED");
      assertThat(first.header("X-RateLimit-Limit")).isEqualTo("120");
      assertThat(client.post("/registry/check-access", null, ask).status()).isEqualTo(200);

      int refused = 0;
      int passed = 0;
      while (refused == 0 && passed < MORE_THAN_IS_REFILLED) {
        int status = client.heartbeat(new Agent(known.id(), "y".repeat(43))).status();
        refused += status == 429 ? 1 : 0;
        passed += status == 401 ? 1 : 0;
      }
      assertThat(refused).isEqualTo(1);
      assertThat(passed).isGreaterThanOrEqualTo(118);

      Answer anonymous = untilRefused(() -> client.post("/registry/check-access", null, ask));
      assertRefused(anonymous, 429, "RATE_LIMITED");
      assertThat(Integer.parseInt(anonymous.header("Retry-After"))).isEqualTo(1);
      assertRefused(untilRefused(() -> client.get("/workspaces", null)), 429, "RATE_LIMITED");
      assertRefused(
          untilRefused(() -> client.get("/workspaces", "z".repeat(43))), 429, "RATE_LIMITED");

      assertThat(client.heartbeat(notYetMet).status()).isEqualTo(200);
      assertThat(client.heartbeat(known).status()).isEqualTo(200);
      assertThat(client.get("/workspaces", ADMIN_TOKEN).status()).isEqualTo(200);
      for (String token : List.of(known.token(), notYetMet.token(), ADMIN_TOKEN)) {
        assertThat(client.post("/registry/check-access", token, ask).status()).isEqualTo(200);
        assertThat(client.get("/metrics", token).status()).isEqualTo(200);
        assertThat(client.get("/actuator/prometheus", token).status()).isEqualTo(200);
      }
      for (String token : List.of(revoked, removed.token())) {
        assertRefused(client.get("/workspaces", token), 401, "UNAUTHENTICATED");
        assertThat(client.post("/registry/check-access", token, ask).status()).isEqualTo(200);
      }
      assertThat(client.heartbeat(removed).status()).isEqualTo(410);
      for (@Nullable String token : new @Nullable String[] {null, "z".repeat(43)}) {
        assertRefused(untilRefused(() -> client.get("/metrics", token)), 429, "RATE_LIMITED");
        assertRefused(
            untilRefused(() -> client.get("/actuator/prometheus", token)), 429, "RATE_LIMITED");
      }
      for (int i = 0; i < 200; i++) {
        assertThat(client.get(i % 2 == 0 ? "/health" : "/ready", null).status()).isEqualTo(200);
      }
      assertThat(RateLimitsTest.refused(server, "anonymous")).isGreaterThanOrEqualTo(4);
    }
  }

  private static String revokedTokenOf(TestClient client, Agent agent) {
    String tokens = "/workspaces/" + agent.id() + "/tokens";
    String minted = client.post(tokens, ADMIN_TOKEN, "").field("auth_token");
    for (JsonNode token : client.get(tokens, ADMIN_TOKEN).json().path("tokens")) {
      if (minted.startsWith(token.path("prefix").asString())) {
        client.delete(tokens + "/" + token.path("id").asString(), ADMIN_TOKEN);
      }
    }
    return minted;
  }

  private static Answer untilRefused(Supplier<Answer> request) {
    Answer answer = request.get();
    for (int i = 0; answer.status() != 429 && i < MORE_THAN_IS_REFILLED; i++) {
      answer = request.get();
    }
    return answer;
  }
}
