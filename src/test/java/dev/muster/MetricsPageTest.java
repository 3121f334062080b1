package dev.muster;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.embedded.EmbeddedDatabase;
import dev.muster.platform.embedded.MusterHome;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.Slow;
import dev.muster.testing.TcpRelay;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import jakarta.servlet.ServletContext;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;

/**
 * The page that Prometheus reads stays small and describes each metric (docs/api.md, section 11),
 * also after every route was called with every outcome.
 */
@Timeout(300)
@Slow
class MetricsPageTest {

  /** The outcomes of a request that a metric distinguishes. */
  private static final List<String> OUTCOMES = List.of("SUCCESS", "CLIENT_ERROR", "SERVER_ERROR");

  /** {@code .ci/run} checks this file with {@code promtool}. */
  private static final Path FOR_PROMTOOL = Path.of("target/metrics-page.txt");

  private static final int MAX_SERIES = 1_000;
  private static final int MAX_BYTES = 150_000;

  /** Count and sum of a route and outcome without any request. */
  private static final int SERIES_OF_A_TIMER = 2;

  private static final int BYTES_OF_A_SERIES = 180;

  private static final Pattern TIMED =
      Pattern.compile(
          "http_server_requests_seconds_count\\{(?=.*method=\"(\\w+)\")(?=.*outcome=\"(\\w+)\")"
              + "(?=.*uri=\"([^\"]+)\").*");

  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  @TempDir Path folder;

  private record Route(String method, String path) {}

  @Test
  void staysSmallWhenEveryRouteHasHadEveryOutcome() throws Exception {
    MusterHome home = MusterHome.open(TestHomes.used(folder));
    try (EmbeddedDatabase postgres = EmbeddedDatabase.start(home);
        TcpRelay wire = new TcpRelay(URI.create(postgres.jdbcUrl().substring(5)).getPort());
        TestServer server = TestServer.startOn(behind(wire, postgres))) {
      TestClient client = server.client();
      List<Route> routes = routes(server);
      assertThat(routes).hasSizeGreaterThan(50);
      Agent agent = client.createOnline("Caller");
      for (String token : new @Nullable String[] {ADMIN_TOKEN, agent.token(), "unknown", null}) {
        callAll(client, routes, agent, token, "{}");
        callAll(client, routes, client.createOnline("Called"), token, bodyOf(agent));
      }
      callAll(client, routes, agent, ADMIN_TOKEN, "no JSON");
      wire.cut();
      wire.swallow();
      callAll(client, routes, agent, ADMIN_TOKEN, bodyOf(agent));

      String page = server.client().get("/metrics", null).text();
      Files.writeString(FOR_PROMTOOL, page);

      int missing = missing(page, routes);
      assertThat(missing).as("routes and outcomes that no request had").isLessThan(routes.size());
      assertThat(series(page) + missing * SERIES_OF_A_TIMER).isLessThanOrEqualTo(MAX_SERIES);
      assertThat(
              page.getBytes(StandardCharsets.UTF_8).length
                  + missing * SERIES_OF_A_TIMER * BYTES_OF_A_SERIES)
          .isLessThanOrEqualTo(MAX_BYTES);
      assertEveryFamilyIsExplained(page);
    }
  }

  /** The other rules of {@code promtool check metrics}, which CI runs itself. */
  private static void assertEveryFamilyIsExplained(String page) {
    Set<String> families = new TreeSet<>();
    Set<String> explained = new TreeSet<>();
    for (String line : page.lines().toList()) {
      String[] words = line.split(" +", 4);
      if (line.startsWith("# TYPE ")) {
        families.add(words[2]);
        if (words[3].equals("counter")) {
          assertThat(words[2]).endsWith("_total");
        } else if (words[3].equals("gauge")) {
          assertThat(words[2]).doesNotEndWith("_count").doesNotEndWith("_total");
        }
        assertThat(words[2]).doesNotContainPattern("_(ms|ns|us)(_|$)");
      } else if (line.startsWith("# HELP ") && words.length == 4 && !words[3].isBlank()) {
        explained.add(words[2]);
      }
    }
    assertThat(families).hasSizeGreaterThan(60);
    assertThat(explained).containsExactlyElementsOf(families);
  }

  private static TestDatabase behind(TcpRelay wire, EmbeddedDatabase postgres) {
    String url = postgres.jdbcUrl().replaceFirst(":\\d+/", ":" + wire.port() + "/");
    return new TestDatabase(url + "?user=" + postgres.user() + "&password=" + postgres.password());
  }

  private static List<Route> routes(TestServer server) {
    List<Route> routes = new ArrayList<>();
    for (var mapping :
        WebApplicationContextUtils.getRequiredWebApplicationContext(
                server.bean(ServletContext.class))
            .getBeansOfType(RequestMappingInfoHandlerMapping.class)
            .values()) {
      mapping
          .getHandlerMethods()
          .keySet()
          .forEach(info ->
              info.getMethodsCondition()
                  .getMethods()
                  .forEach(method ->
                      info.getPatternValues()
                          .forEach(path -> routes.add(new Route(method.name(), path)))));
    }
    return routes.stream().filter(route -> !route.path().equals("/error")).distinct().toList();
  }

  /** A body that as many routes as possible accept. */
  private static String bodyOf(Agent agent) {
    String id = "\"" + agent.id() + "\"";
    return """
    {"id":%1$s,"workspace_id":%1$s,"caller_id":%1$s,"target_id":%1$s,"name":"n%2$s","task":"t","message":"m",\
    "activity_type":"agent_log","acked_seq":0,"agent_card":{},"status":"in_progress","delivery_mode":"poll",\
    "delegation_id":"%2$s","type":"RuntimeStart","payload":{"task_name":"t","runtime_name":"r","language":"l"},\
    "method":"message/send","params":{"message":{"content":"hi"}}}\
    """
        .formatted(id, UUID.randomUUID());
  }

  /** Calls all routes at once, those that remove last; a response that does not end is cut. */
  private static void callAll(
      TestClient client, List<Route> routes, Agent agent, @Nullable String token, String body) {
    for (boolean removes : new boolean[] {false, true}) {
      CompletableFuture.allOf(
              routes.stream()
                  .filter(route -> route.method().equals("DELETE") == removes)
                  .map(route -> call(client, route, agent, token, body))
                  .toArray(CompletableFuture[]::new))
          .join();
    }
  }

  private static CompletableFuture<Void> call(
      TestClient client, Route route, Agent agent, @Nullable String token, String body) {
    String path =
        route
            .path()
            .replaceAll("\\{(id|workspaceId)}", agent.id().toString())
            .replaceAll("\\{\\w+}", UUID.randomUUID().toString())
            .replaceAll("\\{\\*\\w+}", "index.css")
            .replace("*", "index.css");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(client.baseUrl() + path))
            .method(
                route.method(),
                // the server closes a connection with an unread body
                route.method().equals("GET")
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body))
            .header("X-Workspace-ID", agent.id().toString())
            .header("X-Timeout", "1");
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofInputStream())
        .orTimeout(20, TimeUnit.SECONDS)
        .handle((answer, failure) -> {
          if (answer != null) {
            readUnlessEndless(answer);
          }
          return null;
        });
  }

  private static void readUnlessEndless(HttpResponse<InputStream> answer) {
    try (InputStream body = answer.body()) {
      if (!answer.headers().firstValue("Content-Type").orElse("").contains("event-stream")) {
        body.readAllBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int missing(String page, List<Route> routes) {
    Set<String> had =
        page.lines()
            .map(TIMED::matcher)
            .filter(Matcher::matches)
            .map(line -> line.group(1) + " " + line.group(3) + " " + line.group(2))
            .collect(Collectors.toSet());
    Set<String> missing = new TreeSet<>();
    for (Route route : routes) {
      for (String outcome : OUTCOMES) {
        String uri = route.path().replaceFirst("^/(admin|console)/.*", "/$1/**");
        String wanted = route.method() + " " + uri + " " + outcome;
        if (!had.contains(wanted)) {
          missing.add(wanted);
        }
      }
    }
    return missing.size();
  }

  private static int series(String page) {
    return (int) page.lines().filter(line -> !line.startsWith("#")).count();
  }
}
