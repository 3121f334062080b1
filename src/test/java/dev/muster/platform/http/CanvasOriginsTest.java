package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * A canvas that is served from another origin sends every request with credentials. Browsers let it
 * read the answers only if {@code CORS_ORIGINS} lists it; its permissions come from its bearer
 * token alone.
 */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of CanvasOriginsTest")
class CanvasOriginsTest {

  private static final String LISTED = "https://canvas.example";
  private static final String UNLISTED = "https://evil.example";
  private static final String ORIGIN = "Access-Control-Allow-Origin";
  private static final String CREDENTIALS = "Access-Control-Allow-Credentials";

  private static final TestServer SERVER = TestServer.start("CORS_ORIGINS=" + LISTED);
  private static final TestClient CLIENT = SERVER.client();

  record Route(String method, String path) {}

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /** All described routes, and those that canvases call beyond them. */
  static Stream<Route> routes() {
    List<Route> routes = new ArrayList<>();
    JsonNode paths = CLIENT.get("/v3/api-docs", null).json().path("paths");
    paths
        .propertyStream()
        .forEach(path ->
            path.getValue()
                .propertyStream()
                .map(operation -> operation.getKey().toUpperCase(Locale.ROOT))
                .filter(List.of("GET", "POST", "PUT", "PATCH", "DELETE")::contains)
                .map(method ->
                    new Route(
                        method,
                        path.getKey().replaceAll("\\{[^}]*}", UUID.randomUUID().toString())))
                .forEach(routes::add));
    assertThat(routes)
        .contains(new Route("GET", "/workspaces"), new Route("PUT", "/canvas/viewport"));
    missing().map(path -> new Route("GET", path)).forEach(routes::add);
    return routes.stream();
  }

  /** Routes of other servers of the protocol family. */
  static Stream<String> missing() {
    String one = "/workspaces/" + UUID.randomUUID();
    return Stream.of(
        "/templates",
        "/org/templates",
        "/bundles/export/" + UUID.randomUUID(),
        "/settings/secrets",
        "/approvals/pending",
        one + "/config",
        one + "/memory",
        one + "/files",
        one + "/schedules",
        one + "/channels",
        one + "/traces");
  }

  @ParameterizedTest
  @MethodSource("routes")
  void answersThePreflightOfAListedOriginWithCredentials(Route route) {
    Answer answer = preflight(route, LISTED);

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.header(ORIGIN)).isEqualTo(LISTED);
    assertThat(answer.header(CREDENTIALS)).isEqualTo("true");
    // with credentials a browser reads "*" as a literal name
    assertThat(answer.header("Access-Control-Allow-Methods")).contains(route.method());
    assertThat(answer.header("Access-Control-Allow-Headers"))
        .containsIgnoringCase("authorization")
        .containsIgnoringCase("content-type");
    assertThat(answer.headers().allValues("Vary").toString()).contains("Origin");
  }

  @ParameterizedTest
  @MethodSource("routes")
  void refusesThePreflightOfAnUnlistedOrigin(Route route) {
    Answer answer = preflight(route, UNLISTED);

    assertRefused(answer, 403, "ORIGIN_NOT_ALLOWED");
    assertSaysNothing(answer);
  }

  @ParameterizedTest
  @MethodSource("routes")
  void sendsNoCorsHeadersWithoutAnOrigin(Route route) {
    assertSaysNothing(
        CLIENT.send(
            "OPTIONS", route.path(), null, null, "Access-Control-Request-Method", route.method()));
  }

  /** Also refusals, which a page could otherwise not distinguish from a network failure. */
  @Test
  void letsAListedPageReadEveryAnswer() {
    for (Answer answer :
        List.of(
            CLIENT.get("/workspaces", ADMIN_TOKEN, "Origin", LISTED),
            CLIENT.get("/workspaces", null, "Origin", LISTED),
            CLIENT.get("/workspaces/" + UUID.randomUUID(), ADMIN_TOKEN, "Origin", LISTED),
            CLIENT.get("/nothing", ADMIN_TOKEN, "Origin", LISTED))) {
      assertThat(answer.header(ORIGIN)).as(answer.text()).isEqualTo(LISTED);
      assertThat(answer.header(CREDENTIALS)).as(answer.text()).isEqualTo("true");
    }
    assertSaysNothing(CLIENT.get("/workspaces", ADMIN_TOKEN, "Origin", UNLISTED));
    assertSaysNothing(CLIENT.get("/workspaces", ADMIN_TOKEN));
  }

  @Test
  void acceptsNoCookieAsACredential() {
    Agent agent = CLIENT.create("cookies");
    for (String token : List.of(ADMIN_TOKEN, agent.token())) {
      String cookie = "token=" + token + "; muster-8080=" + token + "; Authorization=" + token;
      assertRefused(
          CLIENT.get("/workspaces/" + agent.id(), null, "Origin", LISTED, "Cookie", cookie),
          401,
          "UNAUTHENTICATED");
    }
  }

  @ParameterizedTest
  @MethodSource("missing")
  void answersMissingRoutesWith404(String path) {
    assertRefused(CLIENT.get(path, ADMIN_TOKEN, "Origin", LISTED), 404, "NOT_FOUND");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "https://*.example", LISTED + ",*"})
  void refusesAStarAsAnOrigin(String origins) {
    assertThatThrownBy(() -> TestServer.start("CORS_ORIGINS=" + origins).close())
        .hasStackTraceContaining("CORS_ORIGINS");
  }

  @ParameterizedTest
  @ValueSource(strings = {LISTED, UNLISTED})
  void opensNoWebSocketWithoutAToken(String origin) {
    assertRefused(
        CLIENT.get("/ws", null, "Origin", origin, "Sec-WebSocket-Protocol", "muster-ws"),
        401,
        "UNAUTHENTICATED");
    assertThatThrownBy(() -> TestSocket.open(CLIENT, "/ws", null))
        .isInstanceOfSatisfying(
            TestSocket.Refused.class, refused -> assertThat(refused.status()).isEqualTo(401));
  }

  private static Answer preflight(Route route, String origin) {
    return CLIENT.send(
        "OPTIONS",
        route.path(),
        null,
        null,
        "Origin",
        origin,
        "Access-Control-Request-Method",
        route.method(),
        "Access-Control-Request-Headers",
        "authorization,content-type");
  }

  private static void assertSaysNothing(Answer answer) {
    assertThat(answer.headers().firstValue(ORIGIN)).as(answer.text()).isEmpty();
    assertThat(answer.headers().firstValue(CREDENTIALS)).as(answer.text()).isEmpty();
  }
}
