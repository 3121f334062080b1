package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages of other sites change nothing without a credential, and read nothing (R0.11). */
class OriginsTest {

  private static final String LISTED = "https://canvas.example";
  private static final String FOREIGN = "https://evil.example";

  private static final TestServer SERVER =
      TestServer.start(
          "REGISTRATION=open",
          "PUBLIC_URL=https://public.example/muster",
          "CORS_ORIGINS=" + LISTED + ", http://127.0.0.1:3000");

  private static final TestClient CLIENT = SERVER.client();

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static Answer register(TestClient client, String... headers) {
    String body = "{\"id\":\"%s\",\"agent_card\":{}}".formatted(UUID.randomUUID());
    return client.post("/registry/register", null, body, headers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        FOREIGN,
        "null",
        "http://[::",
        "http://:80",
        "https://user@public.example",
        "https://public.example:8443",
        "https://public.example.evil.example",
        "http://127.0.0.1:1",
        "http://localhost",
        "https://canvas.example:8443",
        "file://",
        "x"
      })
  void refusesAChangeFromAForeignPage(String origin) {
    Answer answer = register(CLIENT, "Origin", origin, "Content-Type", "text/plain");

    assertRefused(answer, 403, "ORIGIN_NOT_ALLOWED");
    assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
    assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    // the origin of a request that no page can read does not matter
    assertThat(CLIENT.get("/health", null, "Origin", origin).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "EVIL"})
  void refusesEveryMethodThatMayChangeSomething(String method) {
    for (String path : List.of("/registry/heartbeat", "/registry/check-access", "/nothing")) {
      assertRefused(
          CLIENT.send(method, path, null, "{}", "Origin", FOREIGN), 403, "ORIGIN_NOT_ALLOWED");
    }
  }

  @Test
  void acceptsItsOwnPagesByHostAndByPublicUrl() {
    String port = ":" + SERVER.port();
    for (String own :
        List.of(
            "http://127.0.0.1" + port,
            "https://127.0.0.1" + port,
            "https://public.example",
            "https://PUBLIC.example:443",
            "http://public.example:80",
            LISTED,
            "HTTPS://canvas.example",
            "http://127.0.0.1:3000")) {
      assertThat(register(CLIENT, "Origin", own).status()).as(own).isEqualTo(200);
    }
  }

  /** Some browsers omit the origin; then their site header decides. */
  @Test
  void refusesARequestOfAnotherSiteOrPortWithoutAnOrigin() {
    for (String site : List.of("cross-site", "same-site")) {
      assertRefused(register(CLIENT, "Sec-Fetch-Site", site), 403, "ORIGIN_NOT_ALLOWED");
    }
    for (String site : List.of("same-origin", "none")) {
      assertThat(register(CLIENT, "Sec-Fetch-Site", site).status()).as(site).isEqualTo(200);
    }
    assertThat(register(CLIENT, "Sec-Fetch-Site", "cross-site", "Origin", LISTED).status())
        .isEqualTo(200);
    assertThat(CLIENT.get("/health", null, "Sec-Fetch-Site", "cross-site").status()).isEqualTo(200);
  }

  @Test
  void acceptsABearerTokenFromAnyOrigin() {
    for (TestServer server : List.of(SERVER, TestServer.shared())) {
      TestClient client = server.client();
      Agent agent = client.create("Agent");
      String heartbeat = "{\"workspace_id\":\"%s\"}".formatted(agent.id());
      for (String origin : List.of(FOREIGN, "null", "http://[::")) {
        Answer answer =
            client.post("/registry/heartbeat", agent.token(), heartbeat, "Origin", origin);
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
        assertThat(client.get("/workspaces", ADMIN_TOKEN, "Origin", origin).status())
            .isEqualTo(200);
        assertRefused(
            client.post("/registry/heartbeat", "x".repeat(43), heartbeat, "Origin", origin),
            401,
            "UNAUTHENTICATED");
      }
      assertRefused(
          client.post(
              "/registry/heartbeat", null, heartbeat, "Authorization", "", "Origin", FOREIGN),
          403,
          "ORIGIN_NOT_ALLOWED");
    }
  }

  @Test
  void sendsCorsHeadersToListedPagesOnly() {
    Answer listed = CLIENT.get("/workspaces", ADMIN_TOKEN, "Origin", LISTED);
    assertThat(listed.header("Access-Control-Allow-Origin")).isEqualTo(LISTED);
    assertThat(listed.headers().allValues("Vary").toString()).contains("Origin");
    assertThat(listed.header("Access-Control-Expose-Headers"))
        .contains("X-Request-ID", "X-Muster-Warning");

    Answer allowed = preflight(CLIENT, LISTED);
    assertThat(allowed.status()).isEqualTo(200);
    assertThat(allowed.header("Access-Control-Allow-Methods")).contains("POST");
    for (String origin : List.of(FOREIGN, "null", "http://[::")) {
      assertRefused(preflight(CLIENT, origin), 403, "ORIGIN_NOT_ALLOWED");
      assertRefused(preflight(TestServer.shared().client(), origin), 403, "ORIGIN_NOT_ALLOWED");
    }
  }

  private static Answer preflight(TestClient client, String origin) {
    return client.send(
        "OPTIONS",
        "/registry/register",
        null,
        null,
        "Origin",
        origin,
        "Access-Control-Request-Method",
        "POST",
        "Access-Control-Request-Headers",
        "authorization");
  }
}
