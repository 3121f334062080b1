package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.StoredRows;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** {@code GET /workspaces/{id}/chat-history}: shape, pages, bounds and access. */
class ChatHistoryTest {

  private static final TestClient CLIENT = TestServer.shared().client();

  private final TestFeed feed = TestFeed.create("chatting");

  private Answer get(String query, @Nullable String token) {
    return CLIENT.get("/workspaces/" + feed.id() + "/chat-history" + query, token);
  }

  private JsonNode history(String query) {
    Answer answer = get(query, ADMIN_TOKEN);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    return answer.json();
  }

  @Test
  void showsMessagesOldestFirst() {
    String asked =
        feed.receiveRequest(
            null,
            TestFeed.request(
                "m-1",
                """
                {"kind":"text","text":"see"},{"kind":"file","file":{"uri":"u:1","name":"a","mimeType":"text/plain"}}\
                """));
    feed.notify(
        "\"message\":\"done\",\"attachments\":[{\"uri\":\"u:2\",\"name\":\"b\",\"size\":3}]");
    JsonNode rows = feed.rowsForAdmin("?order=asc");

    JsonNode history = history("");

    assertThat(history)
        .isEqualTo(
            TestFeed.JSON.readTree(
                """
                {"messages":[
                {"id":"%s:user","role":"user","content":"see","timestamp":"%s","author":"Ann",
                 "attachments":[{"uri":"u:1","name":"a","mimeType":"text/plain"}]},
                {"id":"%s:agent","role":"agent","content":"done","timestamp":"%s",
                 "attachments":[{"uri":"u:2","name":"b","size":3}]}],
                "reached_end":true,"read_seq":0}\
                """
                    .formatted(
                        asked,
                        rows.path(0).path("created_at").asString(),
                        rows.path(1).path("id").asString(),
                        rows.path(1).path("created_at").asString())));
    assertThat(get("", feed.agent().token()).text()).isEqualTo(history.toString());
  }

  @Test
  void isEmptyWithoutMessages() {
    assertThat(history("")).hasToString("{\"messages\":[],\"reached_end\":true,\"read_seq\":0}");
  }

  /**
   * A canvas may ask every two seconds how far a task is: the work of a page does not grow with it.
   */
  @Test
  void goesOnBeforeManyRequestsWithoutAMessage() {
    String first = feed.receive(null, "before them");
    StoredRows.appendRequestsWithoutMessage(
        TestServer.shared().database(), feed.id(), 2 * FeedPages.MAX_EXAMINED_BY_SHORT_READS + 2);
    List<Integer> found = new ArrayList<>();
    JsonNode page = history("?limit=1");
    while (!page.path("reached_end").asBoolean()) {
      found.add(page.path("messages").size());
      page = history("?limit=1&before_ts=" + page.path("before_ts").asString());
    }

    assertThat(found).containsExactly(0, 0);
    assertThat(page.at("/messages/0/id").asString()).isEqualTo(first + ":user");
    assertThat(page.has("before_ts")).isFalse();

    String last =
        feed.receiveRequest(
            null, TestFeed.request("m-2", "{\"kind\":\"text\",\"text\":\"after\"}"));
    JsonNode newest = history("?limit=1");
    assertThat(newest.at("/messages/0/id").asString()).isEqualTo(last + ":user");
    assertThat(newest.path("reached_end").asBoolean()).isFalse();
    assertThat(newest.has("before_ts")).isFalse();
  }

  /** A message is read when the agent polls after it, or acknowledges it. */
  @Test
  void saysHowFarTheAgentHasRead() {
    String first = feed.receive(null, "one");
    feed.receiveRequest(null, TestFeed.request("m-2", "{\"kind\":\"text\",\"text\":\"two\"}"));
    feed.rows("?type=a2a_receive");
    assertThat(history("").path("read_seq").asLong()).as("it may not have them yet").isZero();

    feed.rows("?type=a2a_receive&since_id=" + first);
    assertThat(history("").path("read_seq").asLong()).isEqualTo(1);

    assertThat(feed.acknowledge("2").status()).isEqualTo(200);
    assertThat(history("").path("read_seq").asLong()).isEqualTo(2);
  }

  /** An answer is beside its message, whatever was stored between; a page has whole rows. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 100})
  void givesEveryMessageOnceWhileMoreArrive(int limit) throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent =
          CLIENT.createOnline(
              "called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      String path = "/workspaces/" + agent.id();
      List<String> expected = new ArrayList<>();
      for (int n = 0; n < 9; n++) {
        say(agent, n);
        expected.add("user m-" + n);
        expected.add("agent m-" + n);
        CLIENT.post(path + "/activity", agent.token(), "{\"activity_type\":\"agent_log\"}");
      }
      List<String> read = new ArrayList<>();
      HashSet<String> ids = new HashSet<>();
      String before = "";
      for (boolean reachedEnd = false; !reachedEnd; ) {
        JsonNode page =
            CLIENT.get(path + "/chat-history?limit=" + limit + before, ADMIN_TOKEN).json();
        List<String> said = new ArrayList<>();
        page.path("messages")
            .forEach(message -> {
              assertThat(ids.add(message.path("id").asString())).isTrue();
              said.add(message.path("role").asString() + " " + message.path("content").asString());
            });
        assertThat(said).hasSizeBetween(1, 2 * limit);
        read.addAll(0, said);
        before = "&before_ts=" + page.at("/messages/0/timestamp").asString();
        reachedEnd = page.path("reached_end").asBoolean();
        say(agent, 100 + read.size());
      }
      assertThat(read).containsExactlyElementsOf(expected);
    }
  }

  private static void say(Agent agent, int n) {
    String body =
        """
        {"jsonrpc":"2.0","id":"1","method":"message/send","params":{"message":{"role":"user",
        "messageId":"m-%1$d","parts":[{"kind":"text","text":"m-%1$d"}]}}}\
        """
            .formatted(n);
    assertThat(CLIENT.post("/workspaces/" + agent.id() + "/a2a", ADMIN_TOKEN, body).status())
        .isEqualTo(200);
  }

  @Test
  void redactsErrorsAndNamesTooLargeBodies() throws IOException {
    try (TestPeer peer = TestPeer.start()) {
      Agent agent =
          CLIENT.createOnline(
              "called", "\"delivery_mode\":\"push\"", "\"url\":\"" + peer.url() + "\"");
      peer.then(
          PeerBehavior.answer(
              200,
              "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"error\":{\"code\":1,\"message\":\"denied for"
                  + " sk-ant-api03-"
                  + "a1B2".repeat(20)
                  + "\"}}"),
          PeerBehavior.answer(
              200,
              "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\""
                  + "x".repeat(300_000)
                  + "\"}]}}"));
      post(agent, 1);
      post(agent, 2);

      JsonNode messages =
          CLIENT
              .get("/workspaces/" + agent.id() + "/chat-history", ADMIN_TOKEN)
              .json()
              .path("messages");

      assertThat(messages).hasSize(4);
      assertThat(messages.at("/1/role").asString()).isEqualTo("system");
      assertThat(messages.at("/1/content").asString())
          .contains("denied")
          .doesNotContain("a1B2a1B2");
      assertThat(messages.at("/3/role").asString()).isEqualTo("system");
      String row = messages.at("/3/id").asString().replace(":agent", "");
      assertThat(messages.at("/3/content").asString())
          .contains("too many")
          .endsWith("/workspaces/" + agent.id() + "/activity/" + row);
    }
  }

  private static void post(Agent agent, int n) {
    CLIENT.post(
        "/workspaces/" + agent.id() + "/a2a",
        ADMIN_TOKEN,
        TestFeed.request("m-" + n, "{\"kind\":\"text\",\"text\":\"hi\"}"));
  }

  @Test
  void endsAPageThatWouldBeTooLarge() {
    String large = "x".repeat(3 << 20);
    for (int n = 0; n < 4; n++) {
      feed.receive(null, large);
    }

    JsonNode first = history("");

    assertThat(first.path("messages")).hasSizeBetween(1, 2);
    assertThat(first.path("reached_end").asBoolean()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "x", "", "501", "99999999999999"})
  void readsABadLimitAsTheDefaultAndClampsALargeOne(String limit) {
    feed.receive(null, "hi");
    assertThat(history("?limit=" + limit).path("messages")).hasSize(1);
  }

  @Test
  void refusesATextThatIsNotATime() {
    assertRefused(get("?before_ts=yesterday", ADMIN_TOKEN), 400, "VALIDATION_FAILED");
    assertThat(history("?before_ts=1971-01-01T00:00:00Z").path("reached_end").asBoolean()).isTrue();
  }

  @Test
  void isForItsAgentAndOperators() {
    Agent unrelated = CLIENT.create("stranger");
    assertRefused(get("", unrelated.token()), 403, "FORBIDDEN");
    assertRefused(get("", null), 401, "UNAUTHENTICATED");
    assertRefused(
        CLIENT.get("/workspaces/" + UUID.randomUUID() + "/chat-history", ADMIN_TOKEN),
        404,
        "WORKSPACE_NOT_FOUND");
    CLIENT.delete("/workspaces/" + feed.id(), ADMIN_TOKEN);
    assertRefused(get("", ADMIN_TOKEN), 410, "WORKSPACE_REMOVED");
  }
}
