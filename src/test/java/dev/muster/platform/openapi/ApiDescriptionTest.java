package dev.muster.platform.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;
import tools.jackson.databind.JsonNode;

/** The description of the API is whole, and of nothing else (section 11). */
@ResourceLock("springdoc, which knows types for a whole JVM")
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

  /** Our controllers' routes, and what is mapped as a servlet of its own. */
  private static Set<String> mapped() {
    Set<String> routes = new TreeSet<>();
    ServletContext servlets = SERVER.bean(ServletContext.class);
    WebApplicationContextUtils.getRequiredWebApplicationContext(servlets)
        .getBean("requestMappingHandlerMapping", RequestMappingHandlerMapping.class)
        .getHandlerMethods()
        .forEach((info, method) -> {
          if (method.getBeanType().getName().startsWith("dev.muster.")) {
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
  void saysOfEveryOperationWhatOneNeedsToCallIt() {
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

  @Test
  void refersToNothingThatIsMissing() {
    List<String> references = DOCS.findValuesAsString("$ref");

    assertThat(references)
        .isNotEmpty()
        .allSatisfy(ref -> assertThat(DOCS.at(ref.substring(1)).isMissingNode()).as(ref).isFalse());
  }

  @Test
  void sendsItsReaderToTheServerThatAnswered() {
    assertThat(DOCS.path("servers").findValuesAsString("url")).containsExactly("/");
    assertThat(DOCS.at("/components/securitySchemes/bearer/scheme").asString(""))
        .isEqualTo("bearer");
  }

  @Test
  void isShownByAPageThatNeedsNothingFromElsewhereAndNoInlineScript() {
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
  void opensNothingElseOfTheLibrary() {
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
