package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of all answers: R0.2, R0.4, R0.5, R0.9. */
@Slow
class AnswersTest {

  private static final String RFC_3339_UTC =
      "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z";

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final Agent AGENT = CLIENT.create("Answers");
  private static final Agent REMOVED = CLIENT.create("Gone");

  static {
    CLIENT.delete("/workspaces/" + REMOVED.id(), ADMIN_TOKEN);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "/workspaces, 'PUT,PATCH,DELETE,BREW,TRACE', GET POST",
    "/workspaces/{id}, 'PUT,POST,TRACE', GET PATCH DELETE",
    "/workspaces/{id}/state, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/workspaces/{id}/pause, 'GET,PUT,PATCH,DELETE,TRACE', POST",
    "/workspaces/{id}/resume, 'GET,PUT,PATCH,DELETE,TRACE', POST",
    "/workspaces/{id}/restart, 'GET,PUT,PATCH,TRACE', POST DELETE",
    "/workspaces/{id}/tokens, 'PUT,PATCH,DELETE,TRACE', GET POST",
    "/workspaces/{id}/tokens/{id}, 'GET,PUT,PATCH,POST,TRACE', DELETE",
    "/workspaces/{id}/secrets/values, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/admin/workspaces/{id}/tokens, 'GET,PUT,PATCH,DELETE,TRACE', POST",
    "/registry/register, 'GET,PUT,PATCH,DELETE,TRACE', POST",
    "/registry/update-card, 'GET,PUT,PATCH,DELETE,TRACE', POST",
    "/registry/discover/{id}, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/registry/{id}/peers, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/registry/check-access, 'GET,PUT,PATCH,DELETE,TRACE', POST",
    "/registry/heartbeat, 'GET,PUT,PATCH,DELETE,BREW,TRACE', POST",
    "/events, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/events/{id}, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/health, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/ready, 'PUT,POST,PATCH,DELETE,TRACE', GET",
    "/metrics, 'PUT,POST,PATCH,DELETE,TRACE', GET"
  })
  void refusesAWrongMethodAndNamesTheRightOnes(String path, String methods, String allowed) {
    for (String method : methods.split(",", -1)) {
      Answer answer =
          RawHttp.send(
              SERVER.port(),
              method + " " + path.replace("{id}", AGENT.id().toString()),
              List.of("Authorization: Bearer " + ADMIN_TOKEN));

      assertRefused(answer, 405, "METHOD_NOT_ALLOWED");
      assertThat(answer.header("Allow").split("[, ]+", -1))
          .as(method)
          .contains(allowed.split(" ", -1));
    }
  }

  @ParameterizedTest
  @CsvSource({"/nope, 404, NOT_FOUND", "/workspaces, 401, UNAUTHENTICATED"})
  void readsAMultipartBodyAsAnyOther(String path, int status, String code) {
    Answer answer =
        CLIENT.post(path, null, "--x", "Content-Type", "multipart/form-data; boundary=x");

    assertRefused(answer, status, code);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "%zz", "%ff", "%C0%80", "%f"})
  void refusesAMalformedQueryEncoding(String value) {
    assertRefused(
        raw("GET /events?type=" + value, "Authorization: Bearer " + ADMIN_TOKEN),
        400,
        "BAD_REQUEST");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health", "/workspaces", "/registry/heartbeat", "/nothing"})
  void neverEchoesARequest(String path) {
    Answer answer = raw("TRACE " + path, "Authorization: Bearer " + ADMIN_TOKEN, "X-Echo: echo");

    assertThat(answer.text()).doesNotContain("X-Echo");
    assertRefused(answer, answer.status());
    assertThat(answer.status()).isIn(path.equals("/nothing") ? List.of(404, 405) : List.of(405));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/nothing",
        "/workspaces/{id}/nothing",
        "/workspaces/{id}/",
        "/registry",
        "/registry/heartbeat/more",
        "/actuator",
        "/actuator/env",
        "/actuator/heapdump",
        "/error",
        "/index.html",
        "/h2-console"
      })
  void reportsAnUnknownPath(String path) {
    String there = path.replace("{id}", AGENT.id().toString());
    for (String method : List.of("GET", "POST", "PUT", "PATCH", "DELETE")) {
      assertRefused(CLIENT.send(method, there, ADMIN_TOKEN, "{}"), 404, "NOT_FOUND");
      assertRefused(CLIENT.send(method, there, null, "{}"), 404, "NOT_FOUND");
    }
  }

  static Stream<Arguments> answers() {
    String one = "/workspaces/" + AGENT.id();
    String heartbeat = "{\"workspace_id\":\"%s\"}".formatted(AGENT.id());
    List<Arguments> rows = new ArrayList<>();
    rows.add(row(200, CLIENT.get("/health", null)));
    rows.add(row(200, CLIENT.get("/ready", null)));
    rows.add(row(200, CLIENT.get("/metrics", null)));
    rows.add(row(200, CLIENT.get("/actuator/prometheus", null)));
    rows.add(row(201, CLIENT.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"Answers\"}")));
    rows.add(row(200, CLIENT.get("/workspaces?limit=1", ADMIN_TOKEN)));
    rows.add(row(200, CLIENT.get(one, AGENT.token())));
    rows.add(row(200, CLIENT.post("/registry/heartbeat", AGENT.token(), heartbeat)));
    rows.add(row(400, CLIENT.post("/registry/heartbeat", AGENT.token(), "{")));
    rows.add(row(401, CLIENT.post("/registry/heartbeat", null, heartbeat)));
    rows.add(row(405, CLIENT.get("/registry/heartbeat", null)));
    rows.add(row(400, CLIENT.post("/workspaces", ADMIN_TOKEN, "{")));
    rows.add(row(400, CLIENT.get("/workspaces/1-1-1-1-1", ADMIN_TOKEN)));
    rows.add(row(401, CLIENT.get(one, null)));
    rows.add(row(403, CLIENT.get("/workspaces", AGENT.token())));
    rows.add(row(404, CLIENT.get("/workspaces/" + UUID.randomUUID(), ADMIN_TOKEN)));
    rows.add(row(404, CLIENT.get("/nothing", null)));
    rows.add(row(404, CLIENT.get("/workspaces/" + REMOVED.id() + "/state", ADMIN_TOKEN)));
    rows.add(row(405, CLIENT.send("PUT", one, ADMIN_TOKEN, "{}")));
    rows.add(row(410, CLIENT.get("/workspaces/" + REMOVED.id(), ADMIN_TOKEN)));
    rows.add(row(413, CLIENT.post("/registry/check-access", null, " ".repeat(300 * 1024))));
    return rows.stream();
  }

  static Stream<Arguments> badHttp() {
    return Stream.of(
        row(400, raw("GET /%zz")),
        row(400, raw("GET /workspaces/%2e%2e%2fhealth")),
        row(400, raw("GET /workspaces/%00")),
        row(431, raw("GET /health", "X-Long: " + "x".repeat(70_000))));
  }

  private static Arguments row(int status, Answer answer) {
    String start = answer.text().substring(0, Math.min(60, answer.text().length()));
    return Arguments.of(status, start, answer);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource({"answers", "badHttp"})
  void setsTheSecurityHeadersOnEveryAnswer(int status, String start, Answer answer) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.headers().allValues("X-Content-Type-Options")).containsExactly("nosniff");
    assertThat(answer.headers().allValues("X-Frame-Options")).containsExactly("DENY");
    assertThat(answer.header("Referrer-Policy")).isNotEmpty();
    assertThat(answer.header("Permissions-Policy")).isNotEmpty();
    assertThat(answer.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
    assertThat(answer.header("Content-Security-Policy"))
        .contains("default-src")
        .contains("frame-ancestors 'none'");
    assertThat(answer.headers().firstValue("Server")).isEmpty();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource({"answers", "badHttp"})
  void describesEveryErrorAsAProblem(int status, String start, Answer answer) {
    boolean stateOfTheRemoved = answer.text().contains("\"deleted\":true");
    if (status >= 400 && !stateOfTheRemoved) {
      assertRefused(answer, status);
    }
  }

  @Test
  void writesTimestampsInUtc() {
    CLIENT.heartbeat(AGENT);

    var workspace = CLIENT.read(AGENT);
    assertThat(workspace.path("created_at").asString()).matches(RFC_3339_UTC);
    assertThat(workspace.path("updated_at").asString()).matches(RFC_3339_UTC);
    assertThat(workspace.path("status_since").asString()).matches(RFC_3339_UTC);
    assertThat(workspace.path("last_heartbeat_at").asString()).matches(RFC_3339_UTC);
    var removed = CLIENT.get("/workspaces/" + REMOVED.id(), ADMIN_TOKEN);
    assertThat(removed.field("removed_at")).matches(RFC_3339_UTC);
    var event = CLIENT.events(AGENT.id(), "WORKSPACE_AWAITING_AGENT").path(0);
    assertThat(event.path("created_at").asString()).matches(RFC_3339_UTC);
    var token = CLIENT.get("/workspaces/" + AGENT.id() + "/tokens", ADMIN_TOKEN).json();
    assertThat(token.path("tokens").path(0).path("created_at").asString()).matches(RFC_3339_UTC);
    assertThat(token.path("tokens").path(0).path("last_used_at").asString()).matches(RFC_3339_UTC);
  }

  @Test
  void writesCompactJsonInSnakeCase() {
    Answer answer = CLIENT.get("/workspaces/" + AGENT.id(), ADMIN_TOKEN);

    assertThat(answer.header("Content-Type")).startsWith("application/json");
    assertThat(answer.text()).doesNotContain("\n", "\": ", ", \"");
    assertThat(answer.json().propertyNames())
        .allSatisfy(name -> assertThat(name).matches("[a-z_]+"));
  }

  private static Answer raw(String requestLine, String... headers) {
    return RawHttp.send(SERVER.port(), requestLine, List.of(headers));
  }
}
