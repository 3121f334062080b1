package dev.muster.message.feed;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ConsoleSession;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The name of the person who sent a message is stored with it, and shown to the agent (R6.0). */
class AuthorTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  @Test
  void isThePersonWhoSignedInAndNobodyElse() {
    Agent lead = CLIENT.create("lead");
    Agent agent =
        CLIENT.create("asked", "\"delivery_mode\":\"poll\"", "\"parent_id\":\"" + lead.id() + "\"");
    ConsoleSession ann =
        ConsoleSession.of(
            CLIENT.post(
                "/console/session",
                null,
                "{\"token\":\"" + ADMIN_TOKEN + "\",\"name\":\"Ann Ö.\"}"));

    send(agent, null, "by-ann", ann.headers());
    send(agent, ADMIN_TOKEN, "by-canvas");
    send(agent, lead.token(), "by-lead");
    CLIENT.post(
        "/workspaces/" + agent.id() + "/notify", agent.token(), "{\"message\":\"by-agent\"}");
    CLIENT.post(
        "/admin/bulk",
        null,
        """
        {"action":"message","ids":["%s"],"text":"by-run","expect_count":1}\
        """
            .formatted(agent.id()),
        ann.headers());
    Awaitility.await().until(() -> texts(agent).contains("by-run"));

    assertThat(read(agent, "/activity?type=a2a_receive&include=notify&order=asc"))
        .extracting(row -> row.path("data").path("author").asString("nobody"))
        .containsExactly("Ann Ö.", "nobody", "nobody", "nobody", "Ann Ö.");
    JsonNode history =
        CLIENT.get("/workspaces/" + agent.id() + "/chat-history", ADMIN_TOKEN).json();
    assertThat(history.path("messages").valueStream().toList())
        .extracting(message -> message.path("author").asString("nobody"))
        .containsExactly("Ann Ö.", "nobody", "nobody", "Ann Ö.");
    JsonNode timeline =
        CLIENT.get("/console/timeline/" + agent.id() + "?kinds=message", ADMIN_TOKEN).json();
    assertThat(timeline.path("entries").valueStream().map(entry -> entry.path("title").asString()))
        .containsExactly("from Ann Ö.", "from lead", "from the canvas", "from Ann Ö.");
  }

  private static List<String> texts(Agent agent) {
    return read(agent, "/activity?type=a2a_receive")
        .map(row -> row.path("data").path("text").asString())
        .toList();
  }

  private static Stream<JsonNode> read(Agent agent, String path) {
    return CLIENT.get("/workspaces/" + agent.id() + path, agent.token()).json().valueStream();
  }

  private static void send(Agent to, @Nullable String token, String text, String... headers) {
    assertThat(
            CLIENT
                .post(
                    "/workspaces/" + to.id() + "/a2a",
                    token,
                    TestFeed.request(text, part(text)),
                    headers)
                .status())
        .isEqualTo(200);
  }

  private static String part(String text) {
    return "{\"kind\":\"text\",\"text\":\"" + text + "\"}";
  }
}
