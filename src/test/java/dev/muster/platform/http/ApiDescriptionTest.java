package dev.muster.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The API description is complete and describes nothing else (section 11). */
class ApiDescriptionTest {

  private static final TestServer SERVER = TestServer.shared();
  private static final TestClient CLIENT = SERVER.client();
  private static final JsonNode DOCS = CLIENT.get("/v3/api-docs", null).json();

  private static JsonNode operations(String path) {
    return DOCS.path("paths").path(path);
  }

  @Test
  void describesEveryRouteAndNothingElse() {
    Set<String> described = new TreeSet<>();
    for (String path : DOCS.path("paths").propertyNames()) {
      for (String method : operations(path).propertyNames()) {
        described.add(method.toUpperCase(Locale.ROOT) + " " + path);
      }
    }

    assertThat(described).isEqualTo(mapped()).hasSizeGreaterThan(20);
  }

  /** Finds the key that an unquoted comma in a flow mapping makes of the rest of a text. */
  @Test
  void hasNoKeyWithoutAValueButInExamples() {
    assertThat(emptyOutsideOfExamples("", DOCS)).isEmpty();
  }

  private static List<String> emptyOutsideOfExamples(String at, JsonNode node) {
    List<String> empty = new ArrayList<>();
    for (String name : node.propertyNames()) {
      JsonNode value = node.path(name);
      if (value.isNull()) {
        empty.add(at + "/" + name);
      } else if (!name.equals("example") && !name.equals("examples")) {
        empty.addAll(emptyOutsideOfExamples(at + "/" + name, value));
      }
    }
    return empty;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v3/api-docs",
        "/v3/api-docs.yaml",
        "/v3/api-docs/swagger-config",
        "/swagger-ui.html",
        "/swagger-ui/index.html"
      })
  void isTheSameForEveryHostAndLanguage(String path) {
    Answer plain = CLIENT.get(path, null);
    assertThat(plain.status()).isIn(200, 302);

    for (List<String> headers :
        List.of(
            List.of("X-Forwarded-Host: http://evil"),
            List.of("X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https"),
            List.of("X-Forwarded-Port: evil", "X-Forwarded-Prefix: //evil.example"),
            List.of("Forwarded: host=evil.example;proto=https"),
            List.of("Host: localhost:99"),
            List.of("Accept-Language: de", "Accept: text/html"),
            List.of("Accept-Encoding: evil", "If-None-Match: evil", "If-Modified-Since: evil"))) {
      Answer answer = RawHttp.send(SERVER.port(), "GET " + path, headers);
      assertThat(answer.status()).as(headers.toString()).isEqualTo(plain.status());
      assertThat(answer.text()).as(headers.toString()).isEqualTo(plain.text());
      assertThat(answer.header("Location")).isEqualTo(plain.header("Location"));
      assertThat(answer.text() + answer.headers().map()).doesNotContain("evil");
    }
  }

  /** Each of these once took half a second and was cached. */
  @Test
  void isMadeOnceForAllLanguages() {
    byte[] made = ApiDescription.json();
    for (int i = 0; i < 200; i++) {
      Answer answer = CLIENT.get("/v3/api-docs", null, "Accept-Language", "x-" + i);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.text()).hasSize(new String(made, StandardCharsets.UTF_8).length());
    }
    assertThat(ApiDescription.json()).isSameAs(made);
  }

  @Test
  void isTheSameInYaml() {
    Object yaml =
        new Yaml(new SafeConstructor(new LoaderOptions()))
            .load(CLIENT.get("/v3/api-docs.yaml", null).text());

    JsonNode tree = JsonMapper.shared().valueToTree(yaml);
    assertThat(tree).isEqualTo(DOCS);
  }

  /**
   * The routes of the server's controllers except the description's and the console's files, and
   * separately mapped servlets.
   */
  private static Set<String> mapped() {
    Set<String> routes = new TreeSet<>();
    ServletContext servlets = SERVER.bean(ServletContext.class);
    WebApplicationContextUtils.getRequiredWebApplicationContext(servlets)
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .forEach((info, method) -> {
          Class<?> controller = method.getBeanType();
          if (controller.getName().startsWith("dev.muster.")
              && !controller.getName().startsWith("dev.muster.console.assets.")
              && controller != ApiDescriptionController.class) {
            for (String path : info.getPatternValues()) {
              info.getMethodsCondition()
                  .getMethods()
                  .forEach(verb -> routes.add(verb + " " + path));
            }
          }
        });
    for (ServletRegistration servlet : servlets.getServletRegistrations().values()) {
      if (String.valueOf(servlet.getClassName()).startsWith("dev.muster.")) {
        servlet.getMappings().forEach(path -> routes.add("POST " + path));
      }
    }
    assertThat(routes).contains("POST /registry/heartbeat", "GET /health");
    return routes;
  }

  @Test
  void describesEverythingNeededToCallAnOperation() {
    for (String path : DOCS.path("paths").propertyNames()) {
      for (String method : operations(path).propertyNames()) {
        String name = method + " " + path;
        JsonNode operation = operations(path).path(method);
        assertThat(operation.path("summary").asString("")).as(name).isNotBlank();
        assertThat(operation.path("description").asString("")).as(name).isNotBlank();
        assertThat(operation.path("operationId").asString("")).as(name).isNotBlank();
        assertThat(DOCS.path("tags").findValuesAsString("name"))
            .as(name)
            .contains(operation.path("tags").path(0).asString(""));
        assertThat(inPath(operation)).as(name).isEqualTo(variables(path));
        requireAnswers(name, operation);
        if (operation.has("requestBody")) {
          JsonNode json = operation.at("/requestBody/content/application~1json");
          assertThat(json.path("schema").isObject()).as(name).isTrue();
          assertThat(json.path("examples").size()).as(name).isPositive();
          assertThat(operation.path("responses").has("413")).as(name).isTrue();
        }
      }
    }
  }

  private static void requireAnswers(String name, JsonNode operation) {
    boolean good = false;
    for (String status : operation.path("responses").propertyNames()) {
      good |= status.equals("204");
      for (JsonNode content : operation.path("responses").path(status).path("content")) {
        assertThat(content.path("schema").isObject()).as(name + " " + status).isTrue();
        boolean example = content.has("example") || content.path("examples").size() > 0;
        assertThat(example).as(name + " " + status).isTrue();
        good |= status.startsWith("2") || status.equals("101");
      }
    }
    assertThat(good).as(name).isTrue();
    boolean wantsCredential = operation.has("security");
    assertThat(operation.path("responses").has("401")).as(name).isEqualTo(wantsCredential);
  }

  private static Set<String> inPath(JsonNode operation) {
    Set<String> names = new TreeSet<>();
    for (JsonNode parameter : operation.path("parameters")) {
      JsonNode whole = resolved(parameter);
      assertThat(whole.path("description").asString("")).as(whole.toString()).isNotBlank();
      if (whole.path("in").asString("").equals("path")) {
        names.add(whole.path("name").asString(""));
      }
    }
    return names;
  }

  static JsonNode resolved(JsonNode node) {
    String ref = node.path("$ref").asString("");
    return ref.isEmpty() ? node : DOCS.at(ref.substring(1));
  }

  private static Set<String> variables(String path) {
    Set<String> names = new TreeSet<>();
    Pattern.compile("\\{(\\w+)}")
        .matcher(path)
        .results()
        .forEach(found -> names.add(found.group(1)));
    return names;
  }

  /** Names have a pattern; U+0000 is allowed in all texts (R0.8). */
  @Test
  void describesTheAcceptedNames() {
    Pattern described = Pattern.compile(DOCS.at("/components/schemas/Name/pattern").asString(""));
    String path = "/workspaces/" + CLIENT.create("Named").id();
    int[] marks = {0x61c, 0x1680, 0x180e, 0x205f, 0x3000, 0xfeff};
    int[] all =
        Stream.of(
                IntStream.rangeClosed(0, 0xa0).toArray(),
                IntStream.rangeClosed(0x2000, 0x2030).toArray(),
                IntStream.rangeClosed(0x2060, 0x2070).toArray(),
                marks)
            .flatMapToInt(IntStream::of)
            .toArray();
    for (int c : all) {
      for (String name : List.of(Character.toString(c), "a" + Character.toString(c) + "b")) {
        String body = JsonMapper.shared().writeValueAsString(Map.of("name", name));
        Answer answer = CLIENT.send("PATCH", path, TestServer.ADMIN_TOKEN, body);
        assertThat(answer.status())
            .as("U+%04x: %s", c, answer.text())
            .isEqualTo(described.matcher(name).find() ? 200 : 400);
      }
    }
    assertThat(described.matcher("\0").find()).isTrue();
  }

  private static final String ID = "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10";

  /** Texts that are near a cursor of some list. */
  private static final List<String> NEAR_CURSORS =
      List.of(
          "0",
          "x",
          "0." + ID,
          "zzzzzzzzzzz.ffffffff-ffff-ffff-ffff-ffffffffffff",
          "zzzzzzzzzzzz." + ID,
          "1." + ID.toUpperCase(Locale.ROOT),
          "." + ID,
          "0." + ID + ".0",
          "zzzzzzzzzzz." + ID + ".zzzzzzzzzzzz",
          "1." + ID + ".",
          ID + ".0." + ID,
          "ffffffff-ffff-ffff-ffff-ffffffffffff.zzzzzzzzzzz.ffffffff-ffff-ffff-ffff-ffffffffffff",
          ID + ".." + ID,
          "e1",
          "e0001_f2." + ID + "_d3_rzzzzzzzzzzzz." + ID,
          "f1_r2",
          "f1_e2",
          "e1_e2",
          "e1_",
          "_e1",
          "e",
          "g1");

  @Test
  void describesTheAcceptedCursors() {
    Set<String> lists = new TreeSet<>();
    for (String path : DOCS.path("paths").propertyNames()) {
      if (path.equals("/admin/bulk/{bulkId}")) {
        continue; // there is no such run
      }
      for (JsonNode parameter : operations(path).at("/get/parameters")) {
        JsonNode whole = resolved(parameter);
        String name = whole.path("name").asString("");
        if (name.equals("cursor")
            || (path.startsWith("/console/timeline/") && name.equals("before"))) {
          lists.add(path);
          requireCursors(path, name, whole.path("schema"));
        }
      }
    }
    assertThat(lists).hasSizeGreaterThan(9).contains("/workspaces", "/console/timeline/{id}");
  }

  private static void requireCursors(String path, String name, JsonNode schema) {
    List<Pattern> described =
        schema.findValuesAsString("pattern").stream().map(Pattern::compile).toList();
    String whole =
        path.replace("{id}", CLIENT.create("Listed").id().toString()).replaceAll("\\{\\w+}", ID);
    for (String text : NEAR_CURSORS) {
      Answer answer = CLIENT.get(whole + "?" + name + "=" + text, TestServer.ADMIN_TOKEN);
      boolean isDescribed = described.stream().anyMatch(one -> one.matcher(text).find());
      assertThat(answer.status() != 400)
          .as(path + " " + text + answer.text())
          .isEqualTo(isDescribed);
    }
    assertThat(described).anyMatch(one -> NEAR_CURSORS.stream().anyMatch(one.asPredicate()));
  }

  /** What a path writes out is not a value of another path's variable. */
  @Test
  void describesTheMethodsOfEachPath() {
    for (String path : DOCS.path("paths").propertyNames()) {
      Set<String> described = new TreeSet<>();
      operations(path)
          .propertyNames()
          .forEach(name -> described.add(name.toUpperCase(Locale.ROOT)));
      String whole = path.replaceAll("\\{\\w+}", ID);
      Answer options = CLIENT.send("OPTIONS", whole, TestServer.ADMIN_TOKEN, null);
      assertThat(allowed(options)).as(path).isEqualTo(described);
      if (!described.contains("GET")) {
        Answer refused = CLIENT.get(whole, TestServer.ADMIN_TOKEN);
        assertThat(refused.status()).as(path).isEqualTo(405);
        assertThat(allowed(refused)).as(path).isEqualTo(described);
      }
    }
  }

  /** Returns the methods of {@code Allow} without those that no description has. */
  private static Set<String> allowed(Answer answer) {
    Set<String> methods = new TreeSet<>(List.of(answer.header("Allow").split(", ?")));
    methods.removeAll(Set.of("HEAD", "OPTIONS"));
    return methods;
  }

  @Test
  void describesTheRefusalOfPathsThatAreNotHttp() {
    for (String path : DOCS.path("paths").propertyNames()) {
      for (String method : operations(path).propertyNames()) {
        if (path.contains("{")) {
          Answer answer =
              CLIENT.send(
                  method.toUpperCase(Locale.ROOT),
                  path.replaceAll("\\{\\w+}", "%01"),
                  TestServer.ADMIN_TOKEN,
                  operations(path).path(method).has("requestBody") ? "{}" : null);
          assertThat(answer.status()).as(method + " " + path).isEqualTo(400);
          assertThat(operations(path).path(method).path("responses").has("400"))
              .as(method + " " + path)
              .isTrue();
        }
      }
    }
  }

  /** An empty query parameter counts as absent. */
  @Test
  void describesThatQueryParametersMayBeEmpty() {
    for (String path : DOCS.path("paths").propertyNames()) {
      for (JsonNode operation : operations(path)) {
        for (JsonNode parameter : operation.path("parameters")) {
          JsonNode whole = resolved(parameter);
          if (whole.path("in").asString("").equals("query")
              && !whole.path("required").asBoolean(false)) {
            assertThat(allowsEmpty(whole.path("schema"))).as(path + " " + whole).isTrue();
          }
        }
      }
    }
  }

  private static boolean allowsEmpty(JsonNode reference) {
    JsonNode schema = resolved(reference);
    if (schema.has("anyOf")) {
      return schema.path("anyOf").valueStream().anyMatch(ApiDescriptionTest::allowsEmpty);
    }
    boolean isText =
        !schema.has("type")
            || schema.path("type").asString("").equals("string")
            || schema
                .path("type")
                .valueStream()
                .anyMatch(type -> type.asString("").equals("string"));
    return isText
        && !List.of("date-time", "uuid").contains(schema.path("format").asString(""))
        && (!schema.has("enum")
            || schema.path("enum").valueStream().anyMatch(one -> one.asString("x").isEmpty()))
        && (!schema.has("pattern")
            || Pattern.compile(schema.path("pattern").asString("")).matcher("").find());
  }

  @Test
  void hasNoBrokenReference() {
    List<String> references = DOCS.findValuesAsString("$ref");

    assertThat(references)
        .isNotEmpty()
        .allSatisfy(ref -> assertThat(DOCS.at(ref.substring(1)).isMissingNode()).as(ref).isFalse());
  }

  @Test
  void namesTheServerThatAnswered() {
    assertThat(DOCS.path("servers").findValuesAsString("url")).containsExactly("/");
    assertThat(DOCS.at("/components/securitySchemes/bearer/scheme").asString(""))
        .isEqualTo("bearer");
  }

  @Test
  void isShownByAPageWithoutForeignOrInlineScripts() {
    Answer start = CLIENT.get("/swagger-ui.html", null);
    assertThat(start.status()).isEqualTo(302);
    assertThat(start.header("Location")).endsWith("/swagger-ui/index.html");
    Answer page = CLIENT.get("/swagger-ui/index.html", null);
    assertThat(page.status()).isEqualTo(200);
    assertThat(page.text())
        .doesNotContain("http:", "https:", "onload=")
        .doesNotContainPattern("<script(?![^>]*src=)");
    for (String file :
        List.of("swagger-ui-bundle.js", "swagger-initializer.js", "swagger-ui.css")) {
      assertThat(CLIENT.get("/swagger-ui/" + file, null).status()).as(file).isEqualTo(200);
    }
    assertThat(CLIENT.get("/swagger-ui/swagger-initializer.js", null).text())
        .contains("/v3/api-docs")
        .doesNotContain("petstore");
  }

  @Test
  void servesNoOtherFileOfTheLibrary() {
    for (String path :
        List.of(
            "/v3/api-docs/other",
            "/swagger-ui/other",
            "/swagger-ui/a/b",
            "/swagger-ui",
            "/webjars/swagger-ui/index.html",
            "/v3")) {
      assertThat(CLIENT.get(path, null).status()).as(path).isIn(401, 404);
    }
  }
}
