package dev.muster.platform.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.embedded.TestHomes;
import dev.muster.testing.RawHttp;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The log lines of a server process about requests, hostile ones included (section 11). */
@Slow
@Execution(ExecutionMode.CONCURRENT)
class LogLinesTest {

  private static final String BODY = "body-of-a-request";
  private static final String QUERY = "query-of-a-request";
  private static final String PROTOCOL = "subprotocol-of-a-request";
  private static final String TOKEN = "authorization-of-a-request-x-x-x-x-x-x-x-x";

  @TempDir private Path home = Path.of("");

  /** The most verbose level that a setting allows. */
  private static final String VERBOSE = "LOGGING_LEVEL_DEV_MUSTER";

  /** Causes every kind of answer with requests that contain secrets. */
  private static Agent provoke(ServerProcess server) {
    TestClient client = server.client();
    Agent agent = client.createOnline("Logged");
    int port = Integer.parseInt(client.baseUrl().replaceAll(".*:", ""));
    List<String> paths =
        List.of(
            "/workspaces",
            "/workspaces/" + agent.id(),
            "/workspaces/not-an-id",
            "/nothing",
            "/registry/heartbeat",
            "/registry/register",
            "/registry/" + agent.id() + "/peers",
            "/events",
            "/ws",
            "/health",
            "/error");
    for (String path : paths) {
      for (String method : List.of("GET", "POST", "PATCH", "PUT", "DELETE", "BREW")) {
        for (String authorization :
            List.of("Bearer " + TOKEN, "Basic " + TOKEN, "Bearer " + agent.token())) {
          byte[] body = ("{\"" + BODY + "\":\"\\ud800 " + BODY).getBytes(StandardCharsets.UTF_8);
          RawHttp.send(
              port,
              method + " " + path + "?limit=" + QUERY + "&token=" + QUERY,
              List.of(
                  "Authorization: " + authorization,
                  "Sec-WebSocket-Protocol: " + PROTOCOL,
                  "X-Request-ID: forged\tline " + QUERY),
              body);
        }
      }
    }
    RawHttp.send(port, "GET /%zz?" + QUERY, List.of("Authorization: Bearer " + TOKEN));
    RawHttp.send(port, "GET /health?" + QUERY, List.of("X-" + QUERY + ": " + "x".repeat(70_000)));
    return agent;
  }

  /** They are text, after a warning, when the setting is bad. */
  @Test
  void nameTheRequestAndItsWorkspaceButNoBodyQuerySubprotocolOrCredential() throws Exception {
    TestDatabase database = TestDatabases.create();
    Map<String, String> settings =
        ServerProcess.settings(
            database.url(),
            VERBOSE + "=debug",
            "LOG_FORMAT=xml",
            "STALE_AFTER=hunter2-secret",
            "MUSTER_TYPO=1",
            "MUSTER_PORT=tcp");
    try (ServerProcess server = ServerProcess.start(home, settings).awaitReady()) {
      requireWarningsOfNames(server.output());
      assertThat(server.output().lines())
          .anySatisfy(line -> assertThat(line).contains("WARN").contains("LOG_FORMAT=xml"))
          .noneSatisfy(line -> assertThat(line).startsWith("{"));
      Agent agent = provoke(server);
      breakTheListOfTokens(database);

      String path = "/workspaces/" + agent.id() + "/tokens?q=" + QUERY;
      server.client().get(path, agent.token(), "X-Request-ID", "r-7");

      assertThat(linesWith(server, "r-7"))
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).contains("[r-7 " + agent.id() + "]"))
          .anySatisfy(line -> assertThat(line).contains("a request failed"));
      assertThat(server.output())
          .doesNotContain(BODY, QUERY, PROTOCOL, TOKEN)
          .doesNotContain(agent.token(), TestServer.ADMIN_TOKEN);
    }
  }

  /** Misspelt settings are reported once. */
  private static void requireWarningsOfNames(String output) {
    assertThat(output.split("did you mean STALE_AFTER_S\\?", -1)).hasSize(2);
    assertThat(output.split("variable MUSTER_TYPO ", -1)).hasSize(2);
    assertThat(output).doesNotContain("hunter2-secret", "variable MUSTER_PORT");
  }

  /** They name the file of the admin's token, but not the token. */
  @Test
  void areOneJsonObjectEachWhenAskedFor() throws Exception {
    Path used = TestHomes.used(home);
    Map<String, String> settings = Map.of(VERBOSE, "debug", "LOG_FORMAT", "json");
    try (ServerProcess server = ServerProcess.start(used, settings).awaitReady()) {
      Awaitility.await().until(() -> server.output().contains("Muster is ready"));
      Path file = used.resolve("admin-token");
      TestClient client = server.client();
      String admin = Files.readString(file).strip();
      Answer created = client.post("/workspaces", admin, "{\"name\":\"Failing\"}");
      String id = created.field("id");
      breakTheListOfTokens(TestHomes.database(used));

      client.get(
          "/workspaces/" + id + "/tokens", created.field("auth_token"), "X-Request-ID", "r-8");

      JsonMapper json = JsonMapper.builder().build();
      assertThat(server.output().lines())
          .isNotEmpty()
          .allSatisfy(line ->
              assertThat(json.readTree(line).path("@timestamp").asString(""))
                  .as(line)
                  .isNotEmpty());
      JsonNode line = json.readTree(linesWith(server, "r-8").getFirst());
      assertThat(line.path("request_id").asString("")).isEqualTo("r-8");
      assertThat(line.path("workspace_id").asString("")).isEqualTo(id);
      assertThat(server.output().lines())
          .anySatisfy(one -> assertThat(one).contains(client.baseUrl(), file.toString()));
      assertThat(server.output()).doesNotContain(admin, "#start=");
    }
  }

  /** Makes each later list of tokens fail with an internal error, which is logged. */
  private static void breakTheListOfTokens(TestDatabase database) {
    database.execute("ALTER TABLE workspace_tokens RENAME COLUMN prefix TO broken");
  }

  /** The lines about a request after its route, since the workspace is not known before. */
  private static List<String> linesWith(ServerProcess server, String id) {
    return server
        .output()
        .lines()
        .filter(line -> line.contains(id) && !line.contains("Mapped to"))
        .toList();
  }
}
