package dev.muster.canvas;

import static dev.muster.canvas.CanvasClient.pathOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;

/** The calls of an existing canvas for its chat with agents, and the events that it waits for. */
@Slow
@Timeout(60)
class CanvasChatCallsTest {

  private static final TestServer SERVER =
      TestServer.start("CORS_ORIGINS=" + CanvasClient.ORIGIN, "AGENT_URL_ALLOW=loopback");
  private static final TestClient CLIENT = SERVER.client();

  private final CanvasClient canvas = new CanvasClient(CLIENT);

  @AfterEach
  void disconnect() {
    canvas.close();
  }

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  private static String message(String id, String text) {
    return """
    {"method":"message/send","params":{"message":{"role":"user","messageId":"%s",\
    "contextId":"c-1","parts":[{"kind":"text","text":"%s"}]}}}\
    """
        .formatted(id, text);
  }

  @Test
  void talksWithAnAgentThatPolls() {
    Agent agent = CLIENT.createOnline("Polling");
    assertThat(
            canvas
                .done("POST", pathOf(agent) + "/a2a", message("m-1", "Hello?"))
                .path("status")
                .asString())
        .isEqualTo("queued");
    JsonNode own = canvas.awaitEvent(agent, "USER_MESSAGE");
    assertThat(own.path("message_id").asString()).isEqualTo("m-1");
    assertThat(own.path("content").asString()).isEqualTo("Hello?");
    JsonNode row = canvas.awaitEvent(agent, "ACTIVITY_LOGGED");
    assertThat(row.path("message_id").asString()).isEqualTo("m-1");
    assertThat(row.path("status").asString()).isEqualTo("ok");
    assertThat(row.hasNonNull("duration_ms")).isFalse(); // it waits
    assertThat(row.hasNonNull("source_id")).isFalse(); // of a human
    assertThat(row.path("request_body").path("params").path("message").path("parts").size())
        .isEqualTo(1);
    assertThat(row.path("created_at").asString()).isNotEmpty();

    CLIENT.post(
        pathOf(agent) + "/notify", agent.token(), "{\"message\":\"Hello.\",\"reply_to\":\"m-1\"}");
    JsonNode answer = canvas.awaitEvent(agent, "AGENT_MESSAGE");
    assertThat(answer.path("message").asString()).isEqualTo("Hello.");
    assertThat(answer.path("message_id").asString()).isEqualTo("m-1");

    JsonNode history = canvas.get(pathOf(agent) + "/chat-history?limit=10");
    assertThat(history.path("messages").findValuesAsString("role"))
        .containsExactly("user", "agent");
    List<String> ids = history.path("messages").findValuesAsString("id");
    assertThat(ids.getFirst()).endsWith(":user");
    assertThat(ids.getLast()).endsWith(":agent");
    assertThat(
            canvas
                .get(pathOf(agent) + "/chat-history?limit=10")
                .path("messages")
                .findValuesAsString("id"))
        .isEqualTo(ids);
    String oldest = history.path("messages").get(0).path("timestamp").asString();
    JsonNode older = canvas.get(pathOf(agent) + "/chat-history?limit=20&before_ts=" + oldest);
    assertThat(older.path("messages").isEmpty()).isTrue();
    assertThat(older.path("reached_end").asBoolean()).isTrue();
  }

  @Test
  void talksWithAnAgentThatIsCalled() throws IOException {
    String reply =
        """
        {"jsonrpc":"2.0","id":"1","result":{"kind":"message","role":"agent","messageId":"r","parts":[{"kind":"text","text":"Called."}]}}\
        """;
    try (TestPeer peer = TestPeer.start()) {
      peer.then(PeerBehavior.answer(200, reply), PeerBehavior.answer(500, "{\"error\":\"full\"}"));
      Agent agent =
          CLIENT.createOnline(
              "Called", "\"delivery_mode\":\"push\",\"url\":\"" + peer.url() + "\"");
      JsonNode answer = canvas.done("POST", pathOf(agent) + "/a2a", message("m-2", "Call"));
      assertThat(answer.path("result").path("parts").get(0).path("text").asString())
          .isEqualTo("Called.");
      JsonNode response = canvas.awaitEvent(agent, "A2A_RESPONSE");
      assertThat(response.path("message_id").asString()).isEqualTo("m-2");
      assertThat(response.path("response_body")).isEqualTo(answer);

      Answer failed = canvas.call("POST", pathOf(agent) + "/a2a", message("m-3", "Again"));
      assertThat(failed.status()).isEqualTo(500);
      assertThat(failed.field("error")).contains("full");
      JsonNode history = canvas.get(pathOf(agent) + "/chat-history?limit=10").path("messages");
      assertThat(history.findValuesAsString("role"))
          .containsExactly("user", "agent", "user", "system");
      assertThat(history.get(3).path("content").asString()).contains("full");
    }
  }

  @Test
  void hearsTheTalkOfAgentsOnlyAsActivity() {
    Agent team = CLIENT.createOnline("Team");
    String parent = "\"parent_id\":\"" + team.id() + "\"";
    Agent from = CLIENT.createOnline("Planner", parent);
    Agent to = CLIENT.createOnline("Reviewer", parent);
    CLIENT.post(pathOf(to) + "/a2a", from.token(), message("p-1", "review"));
    JsonNode row = canvas.awaitEvent(to, "ACTIVITY_LOGGED");
    assertThat(row.path("source_id").asString()).isEqualTo(from.id().toString());
    assertThat(row.path("activity_type").asString()).isEqualTo("a2a_receive");
    canvas.done("POST", pathOf(to) + "/a2a", message("h-1", "good morning"));
    canvas.awaitEvent(to, "USER_MESSAGE");
    assertThat(canvas.eventsOf(to)).containsOnlyOnce("USER_MESSAGE");
    assertThat(
            canvas
                .get(pathOf(to) + "/chat-history?limit=10")
                .path("messages")
                .findValuesAsString("content"))
        .containsExactly("good morning");
    assertThat(canvas.get(pathOf(to) + "/activity?source=agent&limit=50").size()).isEqualTo(1);
  }
}
