package dev.muster.platform.openapi;

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
    for (int c = 0; c <= 0xa0; c++) {
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
