package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Notifications of an agent to the people at its canvas (R6.5). */
class NotifyTest {

  private static final String ROCKET = "\uD83D\uDE80";
  private static final TestFeed FEED = TestFeed.create("Speaking");

  @Test
  void storesItsText() {
    Answer answer = FEED.notify("\"message\":\"I am done\",\"unknown\":{}");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("{\"status\":\"sent\"}");
    JsonNode row = FEED.newest();
    assertThat(row.path("activity_type").asString()).isEqualTo("a2a_receive");
    assertThat(row.path("type").asString()).isEqualTo("a2a_receive");
    assertThat(row.path("method").asString()).isEqualTo("notify");
    assertThat(row.path("source").asString()).isEqualTo("self");
    assertThat(row.path("source_id").isNull()).isTrue();
    assertThat(row.path("summary").asString()).isEqualTo("Agent message: I am done");
    assertThat(row.path("response_body")).hasToString("{\"result\":\"I am done\"}");
    assertThat(row.has("request_body")).isFalse();
    assertThat(row.path("status").asString()).isEqualTo("ok");
    assertThat(row.path("data").path("text").asString()).isEqualTo("I am done");
    assertThat(row.path("data").path("source").asString()).isEqualTo("self");
    assertThat(row.path("data").path("source_id").isNull()).isTrue();
    assertThat(row.path("data").path("delegation_id").isNull()).isTrue();
    assertThat(FEED.getAsAdmin("?limit=1&include=peer_info").json().path(0).path("attachments"))
        .hasToString("[]");
  }

  @Test
  void isSentByTheAdminInTheAgentsName() {
    Answer answer =
        FEED.client()
            .post("/workspaces/" + FEED.id() + "/notify", ADMIN_TOKEN, "{\"message\":\"by hand\"}");

    assertThat(answer.field("status")).isEqualTo("sent");
    assertThat(FEED.newest().path("source").asString()).isEqualTo("self");
    assertThat(FEED.newest().path("data").path("text").asString()).isEqualTo("by hand");
  }

  @Test
  void storesItsAttachmentsInTheirOrder() {
    String attachments =
        """
        [{"uri":"https://a.example/1.pdf","name":"1.pdf","mimeType":"application/pdf","size":3000000000},
         {"name":"two","uri":"workspace:/two"},
         {"uri":"u","name":"n","mimeType":null,"size":null,"x":1}]\
        """;
    FEED.notify("\"message\":\"look\",\"attachments\":" + attachments);

    JsonNode row = FEED.rowsForAdmin("?limit=1&include=peer_info").path(0);
    assertThat(row.path("response_body"))
        .isEqualTo(
            TestFeed.JSON.readTree(
                """
                {"result":"look","parts":[
                  {"kind":"file","file":{"uri":"https://a.example/1.pdf","name":"1.pdf","mimeType":"application/pdf","size":3000000000}},
                  {"kind":"file","file":{"uri":"workspace:/two","name":"two"}},
                  {"kind":"file","file":{"uri":"u","name":"n"}}]}\
                """));
    assertThat(row.path("attachments"))
        .isEqualTo(
            TestFeed.JSON.readTree(
                """
                [{"kind":"file","uri":"https://a.example/1.pdf","mime_type":"application/pdf","name":"1.pdf"},
                 {"kind":"file","uri":"workspace:/two","mime_type":null,"name":"two"},
                 {"kind":"file","uri":"u","mime_type":null,"name":"n"}]\
                """));
    assertThat(row.path("data").path("text").asString()).isEqualTo("look");
    assertThat(FEED.newest().has("attachments")).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ",\"attachments\":[]", ",\"attachments\":null"})
  void hasNoPartsWithoutAttachments(String attachments) {
    FEED.notify("\"message\":\"bare\"" + attachments);

    assertThat(FEED.newest().path("response_body")).hasToString("{\"result\":\"bare\"}");
  }

  @Test
  void showsEightyCharactersInTheSummaryAndKeepsAll() {
    for (int length : new int[] {79, 80, 81, 5000}) {
      String message = ROCKET.repeat(length);
      FEED.notify("\"message\":\"" + message + "\"");

      JsonNode row = FEED.newest();
      assertThat(row.path("summary").asString())
          .isEqualTo("Agent message: " + ROCKET.repeat(Math.min(length, 80)));
      assertThat(row.path("response_body").path("result").asString()).isEqualTo(message);
      assertThat(row.path("data").path("text").asString()).isEqualTo(message);
    }
  }

  @Test
  void acceptsTextThatTheDatabaseRefuses() {
    Answer answer =
        FEED.notify(
            "\"message\":\"a\\u0000b\\ud83d\",\"attachments\":[{\"uri\":\"u\\u0000\",\"name\":\"n\\udc00\"}]");

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    JsonNode row = FEED.newest();
    assertThat(row.path("summary").asString()).isEqualTo("Agent message: a\uFFFDb\uFFFD");
    assertThat(row.path("data").path("text").asString()).isEqualTo("a\uFFFDb\uFFFD");
    assertThat(row.path("response_body").path("parts").path(0).path("file").path("name").asString())
        .startsWith("n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "\"message\":\"\"", "\"message\":null", "\"text\":\"hello\""})
  void refusesAnEmptyText(String fields) {
    assertStoresNothing(fields, "message is required");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[{\"name\":\"n\"}] | attachment[0]: uri and name are required",
        "[{\"uri\":\"u\"}] | attachment[0]: uri and name are required",
        "[{}] | attachment[0]: uri and name are required",
        "[{\"uri\":\"\",\"name\":\"n\"}] | attachment[0]: uri and name are required",
        "[{\"uri\":null,\"name\":\"n\"}] | attachment[0]: uri and name are required",
        "[{\"uri\":\"u\",\"name\":\"n\"},{\"uri\":\"u\"}] | attachment[1]: uri and name are"
            + " required"
      })
  void namesTheIncompleteAttachment(String attachments, String text) {
    assertStoresNothing("\"message\":\"m\",\"attachments\":" + attachments, text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"message\":7",
        "\"message\":[\"a\"]",
        "\"message\":{\"text\":\"a\"}",
        "\"message\":\"m\",\"attachments\":{}",
        "\"message\":\"m\",\"attachments\":\"u\"",
        "\"message\":\"m\",\"attachments\":[\"u\"]",
        "\"message\":\"m\",\"attachments\":[null]",
        "\"message\":\"m\",\"attachments\":[{\"uri\":1,\"name\":\"n\"}]",
        "\"message\":\"m\",\"attachments\":[{\"uri\":\"u\",\"name\":[]}]",
        "\"message\":\"m\",\"attachments\":[{\"uri\":\"u\",\"name\":\"n\",\"mimeType\":5}]",
        "\"message\":\"m\",\"attachments\":[{\"uri\":\"u\",\"name\":\"n\",\"size\":\"5\"}]"
      })
  void refusesFieldsOfAnotherType(String fields) {
    assertStoresNothing(fields, "");
  }

  private static void assertStoresNothing(String fields, String text) {
    FEED.notify("\"message\":\"before\"");
    long before = FEED.newest().path("seq").asLong();

    Answer answer = FEED.notify(fields);

    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(answer.field("error")).contains(text);
    assertThat(FEED.newest().path("seq").asLong()).isEqualTo(before);
  }

  @Test
  void isBoundedLikeAllSmallBodies() {
    int limit = 256 * 1024;
    String frame = "{\"message\":\"\"}";
    String path = "/workspaces/" + FEED.id() + "/notify";
    String most = "{\"message\":\"" + "m".repeat(limit - frame.length()) + "\"}";

    assertThat(FEED.client().post(path, FEED.agent().token(), most).status()).isEqualTo(200);
    assertThat(FEED.newest().path("data").path("text").asString()).hasSize(limit - frame.length());
    Answer refused = FEED.client().post(path, FEED.agent().token(), most + " ");
    assertRefused(refused, 413, "BODY_TOO_LARGE");
    assertThat(refused.json().path("max_bytes").asInt()).isEqualTo(limit);
  }
}
