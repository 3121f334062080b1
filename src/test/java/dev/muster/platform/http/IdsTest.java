package dev.muster.platform.http;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Ids are UUIDs in path, body, query and header, and nothing that only looks like one (R0.3). */
class IdsTest {

  private static final TestClient CLIENT = TestServer.shared().client();
  private static final Agent AGENT = CLIENT.create("Ids");

  static final List<String> BAD_IDS =
      List.of(
          "1-1-1-1-1",
          "0-0-0-0-0",
          "not-a-uuid",
          "6f0e2a528c1e4b0c9a441f1b1f6d7a10",
          "{6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10}",
          "urn:uuid:6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10",
          "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a1",
          "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a100",
          "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a1g",
          "6f0e2a528-c1e-4b0c-9a44-1f1b1f6d7a10",
          "+f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10",
          "6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a1\u0660",
          " 6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10",
          "null",
          "1",
          "'; DROP TABLE workspaces; --");

  private static final List<String> PATHS =
      List.of(
          "GET /workspaces/{bad}",
          "PATCH /workspaces/{bad}",
          "DELETE /workspaces/{bad}",
          "GET /workspaces/{bad}/state",
          "POST /workspaces/{bad}/pause",
          "POST /workspaces/{bad}/resume",
          "POST /workspaces/{bad}/restart",
          "DELETE /workspaces/{bad}/restart",
          "GET /workspaces/{bad}/tokens",
          "POST /workspaces/{bad}/tokens",
          "DELETE /workspaces/{bad}/tokens/6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10",
          "DELETE /workspaces/{good}/tokens/{bad}",
          "POST /admin/workspaces/{bad}/tokens",
          "GET /workspaces/{bad}/secrets/values",
          "GET /registry/discover/{bad}",
          "GET /registry/{bad}/peers",
          "GET /events/{bad}",
          "GET /workspaces?parent_id={bad}",
          "GET /workspaces/{bad}/a2a/queue/6f0e2a52-8c1e-4b0c-9a44-1f1b1f6d7a10",
          "GET /workspaces/{good}/a2a/queue/{bad}",
          "POST /admin/a2a-queue/drop-stale?workspace_id={bad}");

  private static final List<String> BODIES =
      List.of(
          "POST /workspaces {'name':'Ids','id':'{bad}'}",
          "POST /workspaces {'name':'Ids','parent_id':'{bad}'}",
          "PATCH /workspaces/{good} {'parent_id':'{bad}'}",
          "POST /registry/register {'id':'{bad}','agent_card':{}}",
          "POST /registry/update-card {'workspace_id':'{bad}','agent_card':{}}",
          "POST /registry/check-access {'caller_id':'{bad}','target_id':'{good}'}",
          "POST /registry/check-access {'caller_id':'{good}','target_id':'{bad}'}",
          "POST /registry/heartbeat {'workspace_id':'{bad}'}");

  static Stream<Arguments> badIdsInPathsAndQueries() {
    return PATHS.stream().flatMap(path -> BAD_IDS.stream().map(bad -> Arguments.of(path, bad)));
  }

  static Stream<Arguments> badIdsInBodies() {
    return BODIES.stream().flatMap(body -> BAD_IDS.stream().map(bad -> Arguments.of(body, bad)));
  }

  @ParameterizedTest(name = "{0} with \"{1}\"")
  @MethodSource("badIdsInPathsAndQueries")
  void refusesABadIdInAPathOrAQuery(String request, String bad) {
    String[] methodAndPath = request.split(" ", 2);
    String path =
        methodAndPath[1]
            .replace("{good}", AGENT.id().toString())
            .replace("{bad}", URLEncoder.encode(bad, StandardCharsets.UTF_8).replace("+", "%20"));
    boolean hasBody = methodAndPath[0].equals("PATCH");

    Answer answer =
        CLIENT.send(
            methodAndPath[0],
            path,
            ADMIN_TOKEN,
            hasBody ? "{\"name\":\"Ids\"}" : null,
            "X-Workspace-ID",
            AGENT.id().toString());

    assertRefused(answer, 400, "INVALID_ID");
  }

  @ParameterizedTest(name = "{0} with \"{1}\"")
  @MethodSource("badIdsInBodies")
  void refusesABadIdInABody(String request, String bad) {
    String[] parts = request.split(" ", 3);
    String body =
        parts[2]
            .replace("'{", "\"{")
            .replace("}'", "}\"")
            .replace('\'', '"')
            .replace("{good}", AGENT.id().toString())
            .replace("{bad}", bad);

    Answer answer =
        CLIENT.send(parts[0], parts[1].replace("{good}", AGENT.id().toString()), ADMIN_TOKEN, body);

    assertRefused(answer, 400, "INVALID_ID");
  }

  @ParameterizedTest
  @FieldSource("BAD_IDS")
  void refusesABadIdInAHeader(String bad) {
    String ascii = bad.replace('\u0660', 'z').replace(" 6f0", "6f0x");

    Answer answer =
        CLIENT.get("/registry/discover/" + AGENT.id(), ADMIN_TOKEN, "X-Workspace-ID", ascii);

    assertRefused(answer, 400, "INVALID_ID");
  }

  @Test
  void acceptsAnIdInUpperCase() {
    String upper = AGENT.id().toString().toUpperCase(Locale.ROOT);

    assertThat(CLIENT.get("/workspaces/" + upper, AGENT.token()).field("id"))
        .isEqualTo(AGENT.id().toString());
    assertThat(
            CLIENT
                .post("/registry/heartbeat", AGENT.token(), "{\"workspace_id\":\"" + upper + "\"}")
                .status())
        .isEqualTo(200);
  }

  @Test
  void ignoresAnEmptyOptionalIdWhenCreating() {
    Agent created = CLIENT.create("Ids", "\"id\":\"\"", "\"parent_id\":\"\"");

    assertThat(CLIENT.read(created).path("parent_id").isNull()).isTrue();
  }

  @Test
  void ignoresAnEmptyOptionalIdWhenChanging() {
    Agent child = CLIENT.create("Ids", "\"parent_id\":\"" + AGENT.id() + "\"");

    Answer answer =
        CLIENT.patch(
            "/workspaces/" + child.id(), ADMIN_TOKEN, "{\"parent_id\":\"\",\"name\":\"Moved\"}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(CLIENT.read(child).path("name").asString()).isEqualTo("Moved");
    assertThat(CLIENT.read(child).path("parent_id").asString("")).isEqualTo(AGENT.id().toString());
  }

  @Test
  void ignoresAnEmptyOptionalIdInAQuery() {
    Agent child = CLIENT.create("Ids", "\"parent_id\":\"" + AGENT.id() + "\"");

    Answer answer = CLIENT.get("/workspaces?parent_id=", ADMIN_TOKEN);

    assertThat(answer.json())
        .anySatisfy(one -> assertThat(one.path("id").asString()).isEqualTo(child.id().toString()))
        .anySatisfy(one -> assertThat(one.path("parent_id").isNull()).isTrue());
  }
}
