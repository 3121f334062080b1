package dev.muster;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.context.support.WebApplicationContextUtils;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.function.support.RouterFunctionMapping;
import org.springframework.web.servlet.handler.AbstractUrlHandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfo;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import tools.jackson.databind.JsonNode;

/**
 * Who may call what (contract, R1.4): every route of a running server, called with every kind of
 * credential. A route that is missing in the table fails the test: decide who may call it, and add
 * its line.
 */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock("the server of RoleMatrixTest")
class RoleMatrixTest {

  /**
   * A cell is the status of a refusal, or {@code +} where the caller is admitted (also when the
   * request then conflicts, or needs an upgrade). The last column is the body. Besides the ids of
   * the path, {@code {me}} is the caller's workspace and {@code {child}} a workspace under the
   * target.
   *
   * <ul>
   *   <li>none: no credential; unknown: a token that was never minted; revoked: one of the target's
   *       that an operator revoked
   *   <li>removed: the former agent of a removed workspace, which is then the target
   *   <li>own, sibling, parent, child: the target's agent and its relatives' (the sibling has a
   *       message queued for it, the parent a delegation); unrelated: another root's
   *   <li>view, oper: a viewer and an operator; vses, oses, ases: console sessions of the viewer,
   *       the operator and the target's agent
   * </ul>
   */
  private static final String TABLE =
      """
      #      route                                                 none unkn revk remv own  sibl prnt chld strg view oper admn vses oses ases body
      GET    /health                                               +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /ready                                                +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /metrics                                              +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /actuator/health                                      +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /actuator/health/liveness                             +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /actuator/prometheus                                  +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /v3/api-docs                                          +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /v3/api-docs.yaml                                     +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /v3/api-docs/swagger-config                           +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /swagger-ui.html                                      +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /swagger-ui/*                                         +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /                                                     +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /ui/{*place}                                          +    +    +    +    +    +    +    +    +    +    +    +    +    +    +
      GET    /assets/{hash}/{*path}                                404  404  404  404  404  404  404  404  404  404  404  404  404  404  404
      GET    /error                                                404  404  404  404  404  404  404  404  404  404  404  404  404  404  404
      POST   /workspaces                                           401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {"name":"New"}
      GET    /workspaces                                           401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /workspaces/{id}                                      401  401  401  410  +    +    +    +    403  +    +    +    +    +    +
      PATCH  /workspaces/{id}                                      401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    {"name":"Renamed"}
      PATCH  /workspaces/{id}                                      401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {"tier":2}
      DELETE /workspaces/{id}                                      401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      GET    /workspaces/{id}/state                                401  401  401  404  +    403  403  403  403  +    +    +    +    +    +
      GET    /workspaces/{id}/secrets/values                       401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /workspaces/{id}/tokens                               401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      POST   /workspaces/{id}/tokens                               401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      DELETE /workspaces/{id}/tokens/{tokenId}                     401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      POST   /admin/workspaces/{id}/tokens                         401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /admin/tokens                                         401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {"name":"Eyes","role":"viewer"}
      POST   /admin/tokens                                         401  401  401  401  403  403  403  403  403  403  403  +    403  403  403  {"name":"Hands","role":"operator"}
      GET    /admin/tokens                                         401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      DELETE /admin/tokens/{tokenId}                               401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      GET    /admin/audit                                          401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /console/session                                      401  401  401  401  401  401  401  401  401  401  401  401  401  401  401  {"code":"of-no-link"}
      POST   /console/session                                      +    +    +    +    +    +    +    +    +    +    +    +    +    +    +    {"token":"{viewer}"}
      GET    /console/session                                      401  401  401  401  403  403  403  403  403  403  403  403  +    +    +
      DELETE /console/session                                      401  401  401  401  403  403  403  403  403  403  403  403  +    +    +
      GET    /console/sessions                                     401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      DELETE /console/sessions/{sessionId}                         401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      GET    /console/links                                        401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      DELETE /console/links/{linkId}                               401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      GET    /admin/operations                                     401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /admin/settings                                       401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      POST   /console/links                                        401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {"name":"Eyes","role":"viewer"}
      POST   /console/links                                        401  401  401  401  403  403  403  403  403  403  403  +    403  403  403  {"name":"Hands","role":"operator"}
      POST   /registry/update-card                                 401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    {"workspace_id":"{id}","agent_card":{}}
      GET    /registry/discover/{id}                               401  401  401  401  +    +    +    +    403  +    +    +    +    +    +
      GET    /registry/{id}/peers                                  401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      POST   /registry/check-access                                +    +    +    +    +    +    +    +    +    +    +    +    +    +    +    {"caller_id":"{me}","target_id":"{id}"}
      POST   /registry/heartbeat                                   401  401  401  410  +    403  403  403  403  403  +    +    403  +    +    {"workspace_id":"{id}"}
      GET    /workspaces/{id}/.well-known/agent-card.json          401  401  401  401  +    +    +    +    403  +    +    +    +    +    +
      POST   /workspaces/{id}/a2a                                  401  401  401  401  +    +    +    +    403  403  +    +    403  +    +    {"method":"message/send","params":{"message":{"content":"hi"}}}
      GET    /workspaces/{id}/a2a/queue/{queueId}                  401  401  401  401  403  +    403  403  403  +    +    +    +    +    403
      POST   /admin/a2a-queue/drop-stale                           401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      GET    /admin/a2a-queue                                      401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /admin/a2a-queue/summary                              401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      POST   /admin/a2a-queue/{queueId}/retry                      401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /admin/a2a-queue/{queueId}/expire                     401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /admin/a2a-queue/{queueId}/cancel                     401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /workspaces/{id}/activity                             401  401  401  410  +    403  403  403  403  403  +    +    403  +    +    {"activity_type":"agent_log","summary":"row"}
      GET    /workspaces/{id}/activity                             401  401  401  410  +    403  403  403  403  +    +    +    +    +    +
      GET    /workspaces/{id}/activity/{activityId}                401  401  401  410  +    403  403  403  403  +    +    +    +    +    +
      GET    /workspaces/{id}/chat-history                         401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /canvas/viewport                                      401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      PUT    /canvas/viewport                                      401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {"x":0,"y":0,"zoom":1}
      POST   /workspaces/{id}/activity/ack                         401  401  401  410  +    403  403  403  403  403  +    +    403  +    +    {"acked_seq":0}
      POST   /workspaces/{id}/notify                               401  401  401  410  +    403  403  403  403  403  +    +    403  +    +    {"message":"hi"}
      POST   /workspaces/{id}/delegate                             401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    {"target_id":"{child}","task":"Do it."}
      POST   /workspaces/{id}/delegate                             401  401  401  401  400  +    +    +    403  403  400  400  403  400  400  {"task":"Do it."}
      POST   /workspaces/{id}/delegations/record                   401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    {"target_id":"{child}","task":"Do it.","delegation_id":"{new}"}
      GET    /workspaces/{id}/delegations                          401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /workspaces/{id}/delegations/{delegationId}           401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      POST   /workspaces/{id}/delegations/{delegationId}/update    401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    {"status":"in_progress"}
      POST   /workspaces/{id}/delegations/{delegationId}/heartbeat 401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      GET    /admin/delegations                                    401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /console/fleet                                        401  401  401  401  +    +    +    +    +    +    +    +    +    +    +
      GET    /console/summary                                      401  401  401  401  +    +    +    +    +    +    +    +    +    +    +
      GET    /console/rows                                         401  401  401  401  +    +    +    +    +    +    +    +    +    +    +
      GET    /console/fleet/at                                     401  401  401  401  403  403  403  403  403  400  400  400  400  400  403
      GET    /console/fleet/changes                                401  401  401  401  403  403  403  403  403  400  400  400  400  400  403
      GET    /console/fleet/minutes                                401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /console/history/{id}                                 401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /console/timeline/{id}                                401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /console/trace/{delegationId}                         401  401  401  401  +    404  +    404  404  +    +    +    +    +    +
      GET    /admin/delegations/graph                              401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /admin/runtime-runs                                   401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /admin/workspace-tokens                               401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      GET    /admin/delegations/stats                              401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      POST   /admin/delegations/sweep                              401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /admin/delegations/{delegationId}/retry               401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /admin/delegations/{delegationId}/fail                401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {}
      POST   /admin/bulk                                           401  401  401  401  403  403  403  403  403  403  +    +    403  +    403  {"action":"restart","ids":["{id}"],"expect_count":1}
      GET    /admin/bulk                                           401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /admin/bulk/{bulkId}                                  401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      POST   /admin/bulk/{bulkId}/cancel                           401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /admin/bulk/{bulkId}/undo                             401  401  401  401  403  403  403  403  403  403  +    +    403  +    403
      POST   /workspaces/{id}/runtime-events                       401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    []
      POST   /workspaces/{id}/runtime-events                       401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    [{"type":"RuntimeStart","payload":{"task_name":"t","runtime_name":"sh","language":"sh"}}]
      GET    /workspaces/{id}/runtime-events                       401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /workspaces/{id}/runtime-runs                         401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /events                                               401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /events/{workspaceId}                                 401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /events/stream                                        401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      GET    /workspaces/{id}/events/stream                        401  401  401  401  +    403  403  403  403  +    +    +    +    +    +
      GET    /ws                                                   401  401  401  401  +    +    +    +    +    +    +    +    +    +    +
      GET    /admin/liveness                                       401  401  401  401  403  403  403  403  403  +    +    +    +    +    403
      POST   /workspaces/{id}/pause                                401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      POST   /workspaces/{id}/resume                               401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      POST   /workspaces/{id}/restart                              401  401  401  401  +    403  403  403  403  403  +    +    403  +    +    {"reason":"wedged"}
      DELETE /workspaces/{id}/restart                              401  401  401  401  +    403  403  403  403  403  +    +    403  +    +
      POST   /registry/register                                    401  401  401  410  +    403  403  403  403  403  +    +    403  +    +    {"id":"{id}","agent_card":{},"delivery_mode":"poll"}
      """;

  private static final Set<Integer> REFUSALS = Set.of(400, 401, 403, 404, 405, 410, 421, 429);
  private static final int IDENTITIES = 15;
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final TestServer SERVER = TestServer.start("REGISTRATION=open");
  private static final TestClient CLIENT = SERVER.client();

  private static final Agent PARENT = CLIENT.createOnline("Parent");
  private static final Agent TARGET =
      CLIENT.createOnline("Target", under(PARENT), "\"delivery_mode\":\"push\"");
  private static final Agent SIBLING = CLIENT.createOnline("Sibling", under(PARENT));
  private static final Agent CHILD = CLIENT.createOnline("Child", under(TARGET));
  private static final Agent UNRELATED = CLIENT.createOnline("Stranger");
  private static final Agent REMOVED = CLIENT.createOnline("Removed", under(PARENT));

  private static final String VIEWER = roleToken("viewer").field("auth_token");
  private static final String OPERATOR = roleToken("operator").field("auth_token");

  /** The token that a caller presents or has signed in with, and the caller's workspace. */
  private record Identity(@Nullable String token, UUID me, boolean bySession) {

    Identity(@Nullable String token, UUID me) {
      this(token, me, false);
    }
  }

  private static List<Identity> identities() {
    String revoked = mint().field("auth_token");
    CLIENT.delete(tokensPath() + "/" + tokenId(revoked), ADMIN_TOKEN);
    CLIENT.delete("/workspaces/" + REMOVED.id(), ADMIN_TOKEN);
    return List.of(
        new Identity(null, TARGET.id()),
        new Identity("x".repeat(43), TARGET.id()),
        new Identity(revoked, TARGET.id()),
        new Identity(REMOVED.token(), REMOVED.id()),
        new Identity(TARGET.token(), TARGET.id()),
        new Identity(SIBLING.token(), SIBLING.id()),
        new Identity(PARENT.token(), PARENT.id()),
        new Identity(CHILD.token(), CHILD.id()),
        new Identity(UNRELATED.token(), UNRELATED.id()),
        new Identity(VIEWER, TARGET.id()),
        new Identity(OPERATOR, TARGET.id()),
        new Identity(ADMIN_TOKEN, TARGET.id()),
        new Identity(VIEWER, TARGET.id(), true),
        new Identity(OPERATOR, TARGET.id(), true),
        new Identity(TARGET.token(), TARGET.id(), true));
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private record Line(String route, String method, String path, List<String> cells, String body) {

    static Line of(String text) {
      String[] words = text.split(" +", IDENTITIES + 3);
      return new Line(
          words[0] + " " + words[1],
          words[0],
          words[1],
          List.of(words).subList(2, IDENTITIES + 2),
          words.length > IDENTITIES + 2 ? words[IDENTITIES + 2] : "");
    }
  }

  private static List<Line> table() {
    return TABLE.lines().filter(line -> !line.startsWith("#")).map(Line::of).toList();
  }

  /** Undoes the registration to poll of another test; only push workspaces have queues. */
  @BeforeEach
  void push() {
    CLIENT.patch("/workspaces/" + TARGET.id(), ADMIN_TOKEN, "{\"delivery_mode\":\"push\"}");
  }

  @Test
  void decidesAboutEveryRoute() {
    Set<String> decided = table().stream().map(Line::route).collect(Collectors.toSet());

    assertThat(new TreeSet<>(decided)).isEqualTo(routes());
  }

  @Test
  void admitsTheCallersOfTheTable() throws Exception {
    List<Identity> identities = identities();
    List<String> expected = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    for (Line line : table()) {
      List<String> cells = new ArrayList<>();
      for (Identity identity : identities) {
        cells.add(cell(call(line, identity)));
      }
      expected.add(line.route() + " " + line.body() + " " + line.cells());
      seen.add(line.route() + " " + line.body() + " " + cells);
    }

    assertThat(seen).isEqualTo(expected);
  }

  @Test
  void leavesOneRowInTheAuditOfEachChangeByAnOperatorAndNoneOfOthers() throws Exception {
    Identity operator = new Identity(OPERATOR, TARGET.id());
    Identity agent = new Identity(TARGET.token(), TARGET.id());
    for (Line line : table()) {
      Map<String, String> values = values(line, operator);
      int before = actions().size();
      int status = call(line, operator, values);
      List<String> rows = actions().subList(before, actions().size());
      boolean changes =
          !line.method().equals("GET")
              && !line.path().endsWith("check-access")
              && !line.path().equals("/console/session")
              && !line.body().equals("[]");
      if (changes && status < 400) {
        assertThat(rows)
            .as(line.route())
            .containsExactly("operator of the matrix " + line.route() + " done");
      } else if (changes) {
        assertThat(rows).as(line.route()).allMatch(row -> row.endsWith(" refused"));
      } else {
        assertThat(rows).as(line.route()).isEmpty();
      }
      Map<String, String> others = values(line, agent);
      int beforeAgent = actions().size();
      call(line, agent, others);
      assertThat(actions()).as(line.route()).hasSize(beforeAgent);
    }
  }

  private static List<String> actions() {
    return SERVER
        .bean(JdbcClient.class)
        .sql("SELECT who || ' ' || action || ' ' || outcome FROM operator_actions ORDER BY at, id")
        .query((row, n) -> row.getString(1))
        .list();
  }

  private static String cell(int status) {
    return REFUSALS.contains(status) || status >= 500 ? String.valueOf(status) : "+";
  }

  /** Returns the status alone, since a stream has no end to wait for. */
  private static int call(Line line, Identity identity) throws IOException, InterruptedException {
    return call(line, identity, values(line, identity));
  }

  private static int call(Line line, Identity identity, Map<String, String> values)
      throws IOException, InterruptedException {
    String body = filled(line.body(), values);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(CLIENT.baseUrl() + filled(line.path(), values)))
            .timeout(Duration.ofSeconds(30))
            .header("X-Workspace-ID", identity.me().toString())
            .method(line.method(), HttpRequest.BodyPublishers.ofString(body));
    if (identity.bySession()) {
      ConsoleSession session =
          ConsoleSession.signIn(CLIENT, Objects.requireNonNull(identity.token()));
      request.headers(session.headers());
      request.header("Sec-WebSocket-Protocol", session.socketOffer());
      request.header("Origin", CLIENT.baseUrl());
    } else if (identity.token() != null) {
      request.header("Authorization", "Bearer " + identity.token());
    }
    int status = status(request.build());
    // no cell of the table: the machine or the database had stopped for seconds
    return status == 503 ? status(request.build()) : status;
  }

  private static int status(HttpRequest request) throws IOException, InterruptedException {
    HttpResponse<InputStream> response =
        HTTP.send(request, HttpResponse.BodyHandlers.ofInputStream());
    response.body().close();
    return response.statusCode();
  }

  /** Creates new objects for each call, so that no call uses up those of the next. */
  private static Map<String, String> values(Line line, Identity identity) {
    String target = String.valueOf(identity.me().equals(REMOVED.id()) ? REMOVED.id() : TARGET.id());
    Map<String, String> values = new LinkedHashMap<>();
    values.put("{id}", target);
    values.put("{workspaceId}", target);
    values.put("{me}", identity.me().toString());
    values.put("{child}", CHILD.id().toString());
    values.put("{new}", UUID.randomUUID().toString());
    values.put("/*", "/index.html");
    values.put("{*place}", "fleet");
    values.put("{*path}", "app.js");
    values.put("{hash}", "of-another-version");
    values.put("{viewer}", VIEWER);
    if (line.path().contains("{tokenId}")) {
      values.put(
          "{tokenId}",
          line.path().startsWith("/admin/")
              ? roleToken("viewer").field("id")
              : tokenId(mint().field("auth_token")));
    }
    if (line.path().contains("{sessionId}")) {
      ConsoleSession session = ConsoleSession.signIn(CLIENT, VIEWER);
      values.put(
          "{sessionId}", CLIENT.get("/console/session", null, session.headers()).field("id"));
    }
    if (line.path().contains("{linkId}")) {
      CLIENT.post("/console/links", ADMIN_TOKEN, "{\"name\":\"Eyes\",\"role\":\"viewer\"}");
      JsonNode open = CLIENT.get("/console/links", ADMIN_TOKEN).json().path("links");
      values.put("{linkId}", open.get(open.size() - 1).path("id").asString());
    }
    if (line.path().contains("{activityId}")) {
      String row = "{\"activity_type\":\"agent_log\",\"summary\":\"row\"}";
      values.put(
          "{activityId}",
          CLIENT.post("/workspaces/" + TARGET.id() + "/activity", TARGET.token(), row).field("id"));
    }
    if (line.path().contains("{queueId}")) {
      values.put("{queueId}", queued());
    }
    if (line.path().contains("{delegationId}")) {
      values.put("{delegationId}", delegated());
    }
    if (line.path().contains("{bulkId}")) {
      values.put("{bulkId}", restartedInBulk());
    }
    return values;
  }

  private static String restartedInBulk() {
    String body =
        "{\"action\":\"restart\",\"ids\":[\"%s\"],\"expect_count\":1}".formatted(TARGET.id());
    return CLIENT.post("/admin/bulk", ADMIN_TOKEN, body).field("bulk_id");
  }

  private static String filled(String text, Map<String, String> values) {
    String filled = text;
    for (var value : values.entrySet()) {
      filled = filled.replace(value.getKey(), value.getValue());
    }
    return filled;
  }

  private static String under(Agent parent) {
    return "\"parent_id\":\"" + parent.id() + "\"";
  }

  private static TestClient.Answer roleToken(String role) {
    String body = "{\"name\":\"%s of the matrix\",\"role\":\"%s\"}".formatted(role, role);
    return CLIENT.post("/admin/tokens", ADMIN_TOKEN, body);
  }

  private static String tokensPath() {
    return "/workspaces/" + TARGET.id() + "/tokens";
  }

  private static TestClient.Answer mint() {
    return CLIENT.post(tokensPath(), ADMIN_TOKEN, "");
  }

  private static String tokenId(String token) {
    for (JsonNode one : CLIENT.get(tokensPath(), ADMIN_TOKEN).json().path("tokens")) {
      if (token.startsWith(one.path("prefix").asString())) {
        return one.path("id").asString();
      }
    }
    throw new AssertionError("no such token");
  }

  private static String queued() {
    String message =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"message/send\",\"params\":{\"message\":"
            + "{\"parts\":[{\"kind\":\"text\",\"text\":\"hi\"}]}}}";
    TestClient.Answer answer =
        CLIENT.post("/workspaces/" + TARGET.id() + "/a2a", SIBLING.token(), message);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return answer.field("queue_id");
  }

  private static String delegated() {
    String id = UUID.randomUUID().toString();
    String record =
        "{\"target_id\":\"%s\",\"task\":\"Do it.\",\"delegation_id\":\"%s\"}"
            .formatted(TARGET.id(), id);
    TestClient.Answer answer =
        CLIENT.post("/workspaces/" + PARENT.id() + "/delegations/record", PARENT.token(), record);
    assertThat(answer.status()).as(answer.text()).isEqualTo(202);
    return id;
  }

  /** Routes of controllers, files, and the server's servlets. */
  private static Set<String> routes() {
    ServletContext servlets = SERVER.bean(ServletContext.class);
    Set<String> routes = new TreeSet<>();
    WebApplicationContextUtils.getRequiredWebApplicationContext(servlets)
        .getBeansOfType(HandlerMapping.class)
        .forEach((name, mapping) -> routesOf(name, mapping).forEach(routes::add));
    for (ServletRegistration servlet : servlets.getServletRegistrations().values()) {
      if (String.valueOf(servlet.getClassName()).startsWith("dev.muster.")) {
        servlet.getMappings().forEach(path -> routes.add("POST " + path));
      } else {
        assertThat(servlet.getName()).isIn("dispatcherServlet", "default", "jsp");
      }
    }
    return routes;
  }

  private static Stream<String> routesOf(String name, HandlerMapping mapping) {
    return switch (mapping) {
      case RequestMappingInfoHandlerMapping methods ->
          methods.getHandlerMethods().keySet().stream().flatMap(RoleMatrixTest::routesOf);
      case AbstractUrlHandlerMapping urls ->
          urls.getHandlerMap().keySet().stream().map(path -> "GET " + path);
      case RouterFunctionMapping functions when functions.getRouterFunction() == null ->
          Stream.empty();
      default -> Stream.of("? " + name);
    };
  }

  private static Stream<String> routesOf(RequestMappingInfo info) {
    Set<RequestMethod> methods = info.getMethodsCondition().getMethods();
    Set<RequestMethod> shown = methods.isEmpty() ? Set.of(RequestMethod.GET) : methods;
    return info.getPatternValues().stream()
        .flatMap(path -> shown.stream().map(method -> method + " " + path));
  }
}
