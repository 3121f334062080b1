package dev.muster.bench;

import dev.muster.bench.ClosedLoop.Load;
import dev.muster.bench.DepthTable.Figure;
import dev.muster.bench.DepthTable.Outcome;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Many workspaces that are listed, that register, or whose operators send slowly. */
final class WorkspaceDepth implements DepthBench.Backlog {

  private static final int[] LISTED = {50, 500, 5_000};
  private static final int[] REGISTERED = {20, 200, 2_000};
  private static final int[] SLOW_BODIES = {10, 100, 1_000};
  private static final int LISTS_PER_SECOND = 10;
  private static final int LISTS = 100;
  private static final int CONNECTIONS = 50;
  private static final int SESSIONS = 5;

  private static final Figure LIST =
      Figure.of("50, 500, 5,000 workspaces", "a viewer's list, ten times a second, ms", "%.0f");
  private static final Figure REGISTRATIONS =
      Figure.of("20, 200, 2,000 agents", "registered a second, by 50 connections", "%.0f");
  private static final Figure BODIES =
      Figure.of("10, 100, 1,000 slow bodies of five sessions", "answered before their end", "%.0f");

  private final DepthServer server;
  private final JsonMapper json = new JsonMapper();
  private final HttpClient http = HttpClient.newHttpClient();
  private final String viewer;
  private final List<String> sessions = new ArrayList<>();
  private final String target;

  WorkspaceDepth(DepthServer server) throws Exception {
    this.server = server;
    this.viewer = mint("viewer");
    String operator = mint("operator");
    for (int i = 0; i < SESSIONS; i++) {
      sessions.add(signIn(operator));
    }
    this.target = server.seed(1).getFirst()[0];
  }

  private String mint(String role) throws Exception {
    String body = "{\"name\":\"bench\",\"role\":\"" + role + "\"}";
    JsonNode minted = json.readTree(server.admin.post("/admin/tokens", body).body());
    return minted.path("auth_token").asString();
  }

  /** Returns the headers of a new session. */
  private String signIn(String token) throws Exception {
    AdminClient.Timed signedIn =
        server.admin.post("/console/session", "{\"token\":\"" + token + "\"}");
    String cookie = signedIn.headers().firstValue("Set-Cookie").orElseThrow();
    return "Cookie: %s\r\nX-Muster-Page: %s\r\n"
        .formatted(
            cookie.substring(0, cookie.indexOf(';')),
            json.readTree(signedIn.body()).path("page_key").asString());
  }

  @Override
  public void measure(int size) throws Exception {
    list(size);
    sendSlowBodies(size);
    register(size);
  }

  private void list(int size) throws Exception {
    long stored = server.number("SELECT count(*) FROM workspaces");
    server.seed(LISTED[size] - (int) stored);
    server.settle();
    HttpRequest list =
        HttpRequest.newBuilder(URI.create(server.baseUrl() + "/workspaces"))
            .header("Authorization", "Bearer " + viewer)
            .build();
    server.measure(
        size,
        () -> {
          Paced lists =
              Paced.of(
                  Pace.run(LISTS_PER_SECOND, LISTS / LISTS_PER_SECOND, _ -> requireSuccess(list)),
                  LISTS);
          return Outcome.of(LIST, lists.p50(), lists.refused());
        });
  }

  private void requireSuccess(HttpRequest request) {
    int status = http.sendAsync(request, BodyHandlers.discarding()).join().statusCode();
    if (status != 200) {
      throw new IllegalStateException("answered " + status);
    }
  }

  private void sendSlowBodies(int size) throws Exception {
    server.measure(
        size,
        () -> {
          int answered =
              SlowBodies.send(
                  server.port(),
                  SLOW_BODIES[size],
                  Messages.path(target),
                  n -> sessions.get(n % SESSIONS));
          return Outcome.of(BODIES, answered, 0);
        });
  }

  private void register(int size) throws Exception {
    server.measure(
        size,
        () -> {
          Load load =
              ClosedLoop.run(server.port(), CONNECTIONS, REGISTERED[size], _ -> registration());
          return Outcome.of(REGISTRATIONS, load.rate(), load.refused());
        });
  }

  private static String registration() {
    return ClosedLoop.post(
        "/registry/register",
        "",
        "{\"id\":\"%s\",\"agent_card\":{\"name\":\"Newcomer\"},\"delivery_mode\":\"poll\"}"
            .formatted(UUID.randomUUID()));
  }

  @Override
  public void close() {
    http.close();
  }
}
