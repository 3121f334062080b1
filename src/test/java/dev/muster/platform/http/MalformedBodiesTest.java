package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A body that is not one JSON object of the right types is refused on every route (R0.1). */
class MalformedBodiesTest {

  private static final String ID = "{id}";

  /** Valid requests, with the id of a workspace left open. */
  private static final Map<String, String> GOOD_BODIES = new LinkedHashMap<>();

  static {
    GOOD_BODIES.put("POST /workspaces", "{\"name\":\"Body\"}");
    GOOD_BODIES.put("PATCH /workspaces/{id}", "{\"name\":\"Changed\"}");
    GOOD_BODIES.put("POST /registry/register", "{\"id\":\"{id}\",\"agent_card\":{\"name\":\"C\"}}");
    GOOD_BODIES.put(
        "POST /registry/update-card",
        "{\"workspace_id\":\"{id}\",\"agent_card\":{\"name\":\"C\"}}");
    GOOD_BODIES.put(
        "POST /registry/check-access", "{\"caller_id\":\"{id}\",\"target_id\":\"{id}\"}");
    GOOD_BODIES.put("POST /registry/heartbeat", "{\"workspace_id\":\"{id}\"}");
  }

  private static final TestServer SERVER = TestServer.shared();
  private static final Agent AGENT = SERVER.client().create("Body");

  private final TestClient client = SERVER.client();

  static Stream<String> routes() {
    return GOOD_BODIES.keySet().stream();
  }

  static Stream<Arguments> malformed() {
    return GOOD_BODIES.entrySet().stream()
        .flatMap(route ->
            spoiled(goodBody(route.getKey())).entrySet().stream()
                .map(body -> Arguments.of(route.getKey(), body.getKey(), body.getValue())));
  }

  private static Map<String, byte[]> spoiled(String good) {
    String open = good.substring(0, good.length() - 1);
    int depth = 30_000;
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("nothing", "");
    texts.put("blanks", "  \n ");
    texts.put("null", "null");
    texts.put("a number", "42");
    texts.put("a text", "\"" + UUID.randomUUID() + "\"");
    texts.put("an array", "[" + good + "]");
    texts.put("no end", open);
    texts.put("another end", open + "]");
    texts.put("a long number", open + ",\"a\":" + "1".repeat(2000) + "}");
    texts.put("an end too many", good + "}");
    texts.put("two objects", good + " " + good);
    texts.put("trailing garbage", good + " x");
    texts.put("a trailing comma", open + ",}");
    texts.put("single quotes", good.replace('"', '\''));
    texts.put("a bare name", open + ",a:1}");
    texts.put("a comment", open + "/* */}");
    texts.put("NaN", open + ",\"a\":NaN}");
    texts.put("Infinity", open + ",\"a\":-Infinity}");
    texts.put("a plus sign", open + ",\"a\":+1}");
    texts.put("a leading zero", open + ",\"a\":01}");
    texts.put("half an escape", open + ",\"a\":\"\\u12\"}");
    texts.put("a line break in a text", open + ",\"a\":\"\n\"}");
    texts.put("deep arrays", open + ",\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}");
    texts.put("deep objects", "{\"a\":".repeat(10_000) + "1" + "}".repeat(10_000));
    texts.put("a form", "name=Body");
    Map<String, byte[]> bodies = new LinkedHashMap<>();
    texts.forEach((what, text) -> bodies.put(what, text.getBytes(StandardCharsets.UTF_8)));
    bodies.put("a lone byte of UTF-8", withBytes(open, 0xff));
    bodies.put("a continuation without a start", withBytes(open, 0x80));
    bodies.put("a start without a continuation", withBytes(open, 0xc3, '('));
    bodies.put("half a character at the end", withBytes(open, 0xe2, 0x82));
    bodies.put("a surrogate in UTF-8", withBytes(open, 0xed, 0xa0, 0x80));
    return bodies;
  }

  private static byte[] withBytes(String open, int... bytes) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    body.writeBytes((open + ",\"a\":\"").getBytes(StandardCharsets.UTF_8));
    for (int one : bytes) {
      body.write(one);
    }
    body.writeBytes("\"}".getBytes(StandardCharsets.UTF_8));
    return body.toByteArray();
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("malformed")
  void refusesABodyThatIsNotOneJsonObject(String route, String what, byte[] body) {
    String before = client.read(AGENT).toString();

    Answer answer = send(route, body);
    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertNamesNoSetting(answer);

    assertThat(client.read(AGENT)).hasToString(before);
  }

  /** The names of the parser's classes and settings help no client. */
  private static void assertNamesNoSetting(Answer answer) {
    assertThat(answer.field("error"))
        .doesNotContain("`", "ALLOW_", "Feature", "Constraints", "Source", "Token.");
  }

  /** Their bodies are read as whole trees, by another parser than the others'. */
  @ParameterizedTest
  @ValueSource(strings = {"/a2a", "/runtime-events"})
  void namesNoSettingWhereABodyIsKept(String path) {
    String good =
        path.equals("/a2a")
            ? "{\"method\":\"message/send\",\"params\":{\"message\":{\"content\":\"x\"}}}"
            : "{\"type\":\"RuntimeStdout\",\"payload\":{\"task_name\":\"t\",\"chunk\":\"x\"}}";
    Map<String, byte[]> bodies = spoiled(good);
    bodies.remove("an array"); // of events
    bodies.forEach((what, body) -> {
      Answer answer = send("POST /workspaces/{id}" + path, body);
      assertThat(answer.status()).as(what).isEqualTo(400);
      assertNamesNoSetting(answer);
    });
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST /workspaces", "POST /registry/heartbeat"})
  void refusesInvalidUtf8(String route) {
    String good = goodBody(route);
    String open = good.substring(0, good.length() - 1);
    int[][] forms = {{0xc0, 0xaf}, {0xe0, 0x80, 0xaf}, {0xc0, 0x80}, {0xf5, 0x80, 0x80, 0x80}};
    for (int[] form : forms) {
      assertRefused(send(route, withBytes(open, form)), 400, "VALIDATION_FAILED");
    }
  }

  @ParameterizedTest
  @MethodSource("routes")
  void acceptsTheBodyThatTheBadOnesAreMadeFrom(String route) {
    Answer answer = send(route, goodBody(route).getBytes(StandardCharsets.UTF_8));

    assertThat(answer.status()).as(answer.text()).isIn(200, 201);
  }

  @ParameterizedTest
  @MethodSource("routes")
  void ignoresUnknownFieldsAndTheContentType(String route) {
    String good = goodBody(route);
    String more =
        good.substring(0, good.length() - 1)
            + ",\"nobody_knows\":[1,{\"a\":null}],\"\":{\"name\":5},\"NAME\":[]}";

    Answer answer = send(route, more.getBytes(StandardCharsets.UTF_8));

    assertThat(answer.status()).as(answer.text()).isIn(200, 201);
  }

  @ParameterizedTest
  @MethodSource("routes")
  void acceptsARepeatedField(String route) {
    String good = goodBody(route);
    String twice = good.substring(0, good.length() - 1) + "," + good.substring(1);

    assertThat(send(route, twice.getBytes(StandardCharsets.UTF_8)).status()).isIn(200, 201, 400);
  }

  static Stream<Arguments> wronglyTyped() {
    return Stream.of(
            table("POST /workspaces", "{\"name\":\"Body\"", "}")
                .with(
                    "name", "5", "null", "\"\"", "\"  \"", "[\"a\"]", "\"a\\nb\"", "\"a\\u007fb\"")
                .with("role", "5", "{}")
                .with("tier", "\"3\"", "true", "1e999")
                .with("id", "5", "{}")
                .with("parent_id", "true", "[]")
                .with("url", "5", "[]")
                .with("delivery_mode", "5", "{}")
                .with("runtime", "[]", "1")
                .with("external", "\"yes\"", "1")
                .with("max_concurrent_tasks", "\"1\"", "-1e999")
                .with("agent_card", "\"card\"", "[]", "5")
                .with("canvas", "[]", "\"0,0\"", "{\"x\":\"1\"}", "{\"y\":1e999}", "{\"x\":{}}"),
            table("PATCH /workspaces/{id}", "{\"a\":1", "}")
                .with("name", "5", "\"\"", "\" \"", "\"a\\tb\"")
                .with("role", "5", "[]")
                .with("tier", "\"3\"", "1e999")
                .with("parent_id", "5", "{}")
                .with("url", "5")
                .with("delivery_mode", "5")
                .with("runtime", "{}")
                .with("max_concurrent_tasks", "\"1\"")
                .with("agent_card", "\"card\"", "[]")
                .with("x", "\"1\"", "1e999", "true")
                .with("y", "[]", "-1e999")
                .with("collapsed", "\"yes\"", "0"),
            table("POST /registry/register", "{\"id\":\"{id}\",\"agent_card\":{}", "}")
                .with("id", "5", "null", "\"\"")
                .with("agent_card", "null", "\"\"", "[]", "\"card\"")
                .with("url", "5", "{}")
                .with("delivery_mode", "1", "[]"),
            table("POST /registry/update-card", "{\"workspace_id\":\"{id}\",\"agent_card\":{}", "}")
                .with("workspace_id", "5", "null", "\"\"")
                .with("agent_card", "null", "[]", "\"card\""),
            table(
                    "POST /registry/check-access",
                    "{\"caller_id\":\"{id}\",\"target_id\":\"{id}\"",
                    "}")
                .with("caller_id", "5", "null", "\"\"", "[]")
                .with("target_id", "5", "null", "\"\""),
            table("POST /registry/heartbeat", "{\"workspace_id\":\"{id}\"", "}")
                .with("workspace_id", "5", "null", "\"\"")
                .with("error_rate", "\"0.5\"", "1e999", "true", "[]")
                .with("sample_error", "5", "{}")
                .with("active_tasks", "\"1\"", "1e999", "false")
                .with("current_task", "5", "[]")
                .with("uptime_seconds", "\"1\"", "1e999")
                .with("runtime_state", "true", "5")
                .with("runtime_metadata", "[]", "\"a\"", "{\"capabilities\":[]}")
                .with(
                    "runtime_metadata",
                    "{\"capabilities\":{\"a\":1}}",
                    "{\"idle_timeout_seconds\":\"1\"}",
                    "{\"idle_timeout_seconds\":1e999}")
                .with("delegations", "{}", "\"a\"", "[5]")
                .with("agent_card", "\"card\"", "[]"))
        .flatMap(Table::rows);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("wronglyTyped")
  void refusesAFieldOfAWrongTypeOrARequiredOneThatIsMissing(String route, String body) {
    JsonNode before = client.read(AGENT);

    Answer answer = send(route, body.replace(ID, AGENT.id().toString()));

    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(client.read(AGENT)).isEqualTo(before);
  }

  @Test
  void namesTheFieldItRefuses() {
    String error =
        client.post("/workspaces", ADMIN_TOKEN, "{\"name\":\"a\",\"tier\":\"x\"}").text();

    assertThat(error).contains("tier");
    assertThat(client.post("/workspaces", ADMIN_TOKEN, "{}").field("error")).contains("name");
  }

  private Answer send(String route, String body) {
    return send(route, body.getBytes(StandardCharsets.UTF_8));
  }

  private Answer send(String route, byte[] body) {
    return RawHttp.send(
        SERVER.port(),
        route.replace(ID, AGENT.id().toString()),
        List.of("Authorization: Bearer " + ADMIN_TOKEN, "Content-Type: text/plain"),
        body);
  }

  private static String goodBody(String route) {
    return String.valueOf(GOOD_BODIES.get(route)).replace(ID, AGENT.id().toString());
  }

  private static Table table(String route, String open, String close) {
    return new Table(route, open, close, Stream.empty());
  }

  /** Bodies of a route, each with one more field, which replaces an earlier one of its name. */
  private record Table(String route, String open, String close, Stream<Arguments> rows) {

    Table with(String field, String... values) {
      Stream<Arguments> more =
          Stream.of(values).map(value -> Arguments.of(route, body(field, value)));
      return new Table(route, open, close, Stream.concat(rows, more));
    }

    private String body(String field, String value) {
      String others = open.replaceAll(",?\"" + field + "\":(\"[^\"]*\"|\\{\\})", "");
      String rest = others.replaceFirst("^\\{,?", "");
      return "{" + (rest.isEmpty() ? "" : rest + ",") + "\"" + field + "\":" + value + close;
    }
  }
}
