package dev.muster.canvas;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestSocket;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Calls and listens as an existing canvas does: as a page of another origin, live. */
final class CanvasClient implements AutoCloseable {

  static final String ORIGIN = "http://canvas.example:3000";

  private final TestClient server;
  private final TestSocket socket;

  /** A browser cannot send {@code Authorization} here: the token is in the offered protocols. */
  CanvasClient(TestClient server) {
    this.server = server;
    String hex = HexFormat.of().formatHex(ADMIN_TOKEN.getBytes(StandardCharsets.UTF_8));
    this.socket =
        TestSocket.open(
            server,
            "/ws",
            List.of("Origin", ORIGIN),
            List.of("molecule-auth." + hex, "molecule-ws"));
  }

  TestSocket socket() {
    return socket;
  }

  /** Calls with credentials; the page may read the answer. */
  Answer call(String method, String path, @Nullable String body, String... more) {
    String[] headers = new String[4 + more.length];
    headers[0] = "Origin";
    headers[1] = ORIGIN;
    headers[2] = "Content-Type";
    headers[3] = "application/json";
    System.arraycopy(more, 0, headers, 4, more.length);
    Answer answer = server.send(method, path, ADMIN_TOKEN, body, headers);
    assertThat(answer.header("Access-Control-Allow-Origin")).as(path).isEqualTo(ORIGIN);
    assertThat(answer.header("Access-Control-Allow-Credentials")).as(path).isEqualTo("true");
    return answer;
  }

  /** The canvas reads JSON from every answer, also where it needs nothing of it. */
  JsonNode done(String method, String path, @Nullable String body, String... more) {
    Answer answer = call(method, path, body, more);
    assertThat(answer.status()).as("%s %s: %s", method, path, answer.text()).isBetween(200, 202);
    return answer.json();
  }

  JsonNode get(String path) {
    return done("GET", path, null);
  }

  static String pathOf(Agent agent) {
    return "/workspaces/" + agent.id();
  }

  /** Waits for an event of a workspace, and returns its payload. */
  JsonNode awaitEvent(Agent of, String event) {
    return awaitEvent(of, event, _ -> true);
  }

  JsonNode awaitEvent(Agent of, String event, Predicate<JsonNode> fits) {
    return socket
        .await(frame ->
            frame.path("event").asString().equals(event)
                && frame.path("workspace_id").asString().equals(of.id().toString())
                && fits.test(frame.path("payload")))
        .path("payload");
  }

  /** The events of a workspace until now. */
  List<String> eventsOf(Agent of) {
    return socket.frames().stream()
        .filter(frame -> frame.path("workspace_id").asString().equals(of.id().toString()))
        .map(frame -> frame.path("event").asString())
        .toList();
  }

  @Override
  public void close() {
    socket.close();
  }
}
