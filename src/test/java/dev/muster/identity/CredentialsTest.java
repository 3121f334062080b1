package dev.muster.identity;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which callers are admitted, and the order of the checks (R1.3, R1.4, sections 2 and 3). */
class CredentialsTest {

  private static final String UNKNOWN_TOKEN = "x".repeat(43);

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Agent TARGET = CLIENT.create("Target");
  private static final Agent UNRELATED = CLIENT.create("Stranger");
  private static final Agent REMOVED = CLIENT.create("Removed");

  static {
    CLIENT.delete("/workspaces/" + REMOVED.id(), ADMIN_TOKEN);
  }

  /** Routes for the workspace's own agent and the admin; {@code {id}} is the target. */
  static final List<String> OF_THE_WORKSPACE =
      List.of(
          "GET /workspaces/{id}",
          "PATCH /workspaces/{id} {\"name\":\"Target\"}",
          "GET /workspaces/{id}/state",
          "POST /workspaces/{id}/pause",
          "POST /workspaces/{id}/resume",
          "POST /workspaces/{id}/restart",
          "DELETE /workspaces/{id}/restart",
          "GET /workspaces/{id}/tokens",
          "POST /workspaces/{id}/tokens",
          "DELETE /workspaces/{id}/tokens/11111111-2222-4333-8444-555555555555",
          "GET /workspaces/{id}/secrets/values",
          "GET /registry/{id}/peers",
          "GET /registry/discover/{id}",
          "POST /registry/update-card {\"workspace_id\":\"{id}\",\"agent_card\":{}}",
          "POST /registry/heartbeat {\"workspace_id\":\"{id}\"}");

  /** Routes for the admin alone. */
  static final List<String> OF_THE_ADMIN =
      List.of(
          "POST /workspaces {\"name\":\"New\"}",
          "GET /workspaces",
          "DELETE /workspaces/{id}",
          "POST /admin/workspaces/{id}/tokens",
          "GET /events",
          "GET /events/{id}");

  static final List<String> OF_THE_ADMIN_WITH_A_TARGET =
      List.of("DELETE /workspaces/{id}", "POST /admin/workspaces/{id}/tokens");

  static final List<String> WITH_A_BODY =
      List.of(
          "POST /workspaces",
          "PATCH /workspaces/{id}",
          "POST /registry/update-card",
          "POST /registry/heartbeat",
          "POST /registry/register");

  static Stream<String> protectedRoutes() {
    return Stream.concat(OF_THE_WORKSPACE.stream(), OF_THE_ADMIN.stream());
  }

  @ParameterizedTest
  @MethodSource("protectedRoutes")
  void refusesRequestsWithoutAValidCredential(String route) {
    for (UUID id : List.of(TARGET.id(), REMOVED.id(), UUID.randomUUID())) {
      assertRefused(send(route, id, null), 401, "UNAUTHENTICATED");
      assertRefused(send(route, id, UNKNOWN_TOKEN), 401, "UNAUTHENTICATED");
    }
  }

  @ParameterizedTest
  @FieldSource("OF_THE_WORKSPACE")
  void refusesTheTokenOfAnotherWorkspaceOnceTheTargetIsKnown(String route) {
    boolean returnsState = route.endsWith("/state");

    assertRefused(send(route, TARGET.id(), UNRELATED.token()), 403, "FORBIDDEN");
    Answer unknown = send(route, UUID.randomUUID(), UNRELATED.token());
    Answer removed = send(route, REMOVED.id(), UNRELATED.token());

    if (returnsState) {
      assertThat(unknown.status()).isEqualTo(404);
      assertThat(unknown.json().path("deleted").asBoolean()).isTrue();
      assertThat(removed.status()).isEqualTo(404);
      assertThat(removed.json().path("deleted").asBoolean()).isTrue();
    } else {
      assertRefused(unknown, 404, "WORKSPACE_NOT_FOUND");
      assertRefused(removed, 410, "WORKSPACE_REMOVED");
    }
  }

  @ParameterizedTest
  @FieldSource("OF_THE_ADMIN")
  void refusesAgentsOnAdminRoutes(String route) {
    assertRefused(send(route, TARGET.id(), TARGET.token()), 403, "FORBIDDEN");
    assertThat(CLIENT.read(TARGET).path("status").asString()).isNotEqualTo("removed");
  }

  @ParameterizedTest
  @FieldSource("OF_THE_ADMIN_WITH_A_TARGET")
  void checksTheTargetBeforeThePermission(String route) {
    assertRefused(send(route, UUID.randomUUID(), UNRELATED.token()), 404, "WORKSPACE_NOT_FOUND");
    assertRefused(send(route, REMOVED.id(), UNRELATED.token()), 410, "WORKSPACE_REMOVED");
  }

  @ParameterizedTest
  @FieldSource("WITH_A_BODY")
  void checksTheCredentialBeforeTheBody(String route) {
    assertRefused(send(route + " {", TARGET.id(), UNKNOWN_TOKEN), 401, "UNAUTHENTICATED");
    if (!route.endsWith("/register")) {
      assertRefused(send(route + " {", TARGET.id(), null), 401, "UNAUTHENTICATED");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /workspaces {",
        "POST /workspaces {}",
        "POST /workspaces {\"name\":5}",
        "PATCH /workspaces/{id} {",
        "PATCH /workspaces/{id} {\"name\":5}",
        "PATCH /workspaces/{id} {\"tier\":\"x\"}",
        "POST /registry/update-card {",
        "POST /registry/update-card {\"workspace_id\":\"{id}\"}",
        "POST /registry/heartbeat {",
        "POST /registry/heartbeat {\"workspace_id\":\"{id}\",\"error_rate\":\"x\"}",
        "POST /registry/register {",
        "POST /registry/register {\"id\":\"{id}\"}"
      })
  void checksTheBodyBeforeTheTargetAndThePermission(String route) {
    for (UUID id : List.of(TARGET.id(), REMOVED.id(), UUID.randomUUID())) {
      assertRefused(send(route, id, UNRELATED.token()), 400, "VALIDATION_FAILED");
    }
  }

  @ParameterizedTest
  @FieldSource("OF_THE_WORKSPACE")
  void admitsTheWorkspacesOwnAgentAndTheAdmin(String route) {
    Agent own = CLIENT.create("Own");

    assertThat(send(route, own.id(), own.token()).status()).isNotIn(401, 403, 410);
    assertThat(send(route, own.id(), ADMIN_TOKEN).status()).isNotIn(401, 403, 410);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer", "bearer", "BEARER", "bEaReR"})
  void readsTheSchemeInAnyCase(String scheme) {
    assertThat(withAuthorization(scheme + " " + TARGET.token()).status()).isEqualTo(200);
    assertThat(withAuthorization(scheme + " " + ADMIN_TOKEN).status()).isEqualTo(200);
    String heartbeat = "{\"workspace_id\":\"" + TARGET.id() + "\"}";
    Answer answer =
        CLIENT.post(
            "/registry/heartbeat", null, heartbeat, "Authorization", scheme + " " + TARGET.token());
    assertThat(answer.status()).isEqualTo(200);
  }

  static Stream<String> badAuthorizations() {
    String token = TARGET.token();
    return Stream.of(
        "Basic " + token,
        "Token " + token,
        "Digest " + token,
        token,
        "Bearer",
        "Bearer:" + token,
        "Bearer" + token,
        "BearerX " + token,
        "Bearer " + token.substring(1),
        "Bearer " + token + "=",
        "Bearer " + token + " " + token,
        "Bearer \"" + token + "\"",
        "Bearer " + flippedCase(token),
        "Bearer " + ADMIN_TOKEN + "x",
        "Bearer " + ADMIN_TOKEN.toUpperCase(Locale.ROOT),
        "Bearer " + "x".repeat(4000),
        "Bearer null",
        "Bearer undefined");
  }

  @ParameterizedTest
  @MethodSource("badAuthorizations")
  void refusesOtherSchemesAndMalformedTokens(String authorization) {
    List<String> header = List.of("Authorization: " + authorization);
    byte[] heartbeat =
        ("{\"workspace_id\":\"" + TARGET.id() + "\"}").getBytes(StandardCharsets.UTF_8);

    Answer read = RawHttp.send(SERVER.port(), "GET /workspaces/" + TARGET.id(), header);
    Answer beaten = RawHttp.send(SERVER.port(), "POST /registry/heartbeat", header, heartbeat);

    assertRefused(read, 401, "UNAUTHENTICATED");
    assertRefused(beaten, 401, "UNAUTHENTICATED");
  }

  @Test
  void refusesACredentialThatIsNotUtf8() {
    List<String> headers = List.of("Authorization: Bearer \u00e4\u20ac");

    assertRefused(
        RawHttp.send(SERVER.port(), "GET /workspaces/" + TARGET.id(), headers),
        401,
        "UNAUTHENTICATED");
  }

  @Test
  void distinguishesTokensByCaseOnOneConnection() {
    String good = "Authorization: Bearer " + TARGET.token();
    String bad = "Authorization: Bearer " + flippedCase(TARGET.token());
    String request = "GET /workspaces/" + TARGET.id();

    assertThat(RawHttp.statusesOnOneConnection(SERVER.port(), request, List.of(good, bad, good)))
        .containsExactly(200, 401, 200);
    assertThat(RawHttp.statusesOnOneConnection(SERVER.port(), request, List.of(bad, good, bad)))
        .containsExactly(401, 200, 401);
  }

  @Test
  void acceptsNoTokenInTheQueryOrACookie() {
    Answer query =
        CLIENT.get("/workspaces?token=" + ADMIN_TOKEN + "&access_token=" + ADMIN_TOKEN, null);
    Answer cookie = CLIENT.get("/workspaces", null, "Cookie", "token=" + ADMIN_TOKEN);

    assertRefused(query, 401, "UNAUTHENTICATED");
    assertRefused(cookie, 401, "UNAUTHENTICATED");
  }

  private static Answer withAuthorization(String value) {
    return CLIENT.get("/workspaces/" + TARGET.id(), null, "Authorization", value);
  }

  private static Answer send(String route, UUID id, @Nullable String token) {
    String[] parts = route.replace("{id}", id.toString()).split(" ", 3);
    return CLIENT.send(
        parts[0],
        parts[1],
        token,
        parts.length > 2 ? parts[2] : null,
        "X-Workspace-ID",
        (UNRELATED.token().equals(token) ? UNRELATED.id() : id).toString());
  }

  private static String flippedCase(String token) {
    return token
        .chars()
        .map(c -> Character.isLowerCase(c) ? Character.toUpperCase(c) : Character.toLowerCase(c))
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
