package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Answer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The maximum sizes of a listed body and of a page (R6.6). */
@Slow
class PageSizeTest {

  private static final int MAX_BODY_BYTES = 256 * 1024;
  private static final int MAX_PAGE_BYTES = 8 << 20;

  /** A JSON text of this many bytes. */
  private static String body(int bytes) {
    return "\"" + "b".repeat(bytes - 2) + "\"";
  }

  @ParameterizedTest
  @ValueSource(strings = {"request_body", "response_body", "tool_trace"})
  void listsOnlyTheSizeOfALargeBody(String field) {
    TestFeed feed = TestFeed.create("Bodies");
    String most = body(MAX_BODY_BYTES);
    String tooLarge = body(MAX_BODY_BYTES + 1);
    String wide = "\"" + "ä€\uD83D\uDE80".repeat(MAX_BODY_BYTES / 9 + 1) + "\"";
    int wideBytes = wide.getBytes(StandardCharsets.UTF_8).length;

    feed.reported("\"activity_type\":\"error\",\"" + field + "\":" + most);
    String large = feed.reported("\"activity_type\":\"error\",\"" + field + "\":" + tooLarge);
    String wider = feed.reported("\"activity_type\":\"error\",\"" + field + "\":" + wide);

    JsonNode rows = feed.rowsForAdmin("?order=asc");
    assertThat(rows.path(0).path(field).asString()).hasSize(MAX_BODY_BYTES - 2);
    assertThat(rows.path(1).path(field))
        .hasToString("{\"truncated\":true,\"bytes\":" + (MAX_BODY_BYTES + 1) + "}");
    assertThat(rows.path(2).path(field))
        .hasToString("{\"truncated\":true,\"bytes\":" + wideBytes + "}");
    assertThat(feed.one(large).text()).contains("\"" + field + "\":" + tooLarge + ",");
    assertThat(feed.one(wider).text()).contains("\"" + field + "\":" + wide + ",");
  }

  @Test
  void endsAPageEarlyAndContinuesOnTheNext() {
    TestFeed feed = TestFeed.create("Pages");
    String quarter = body(MAX_BODY_BYTES);
    String bodies =
        "\"activity_type\":\"error\",\"request_body\":%1$s,\"response_body\":%1$s,\"tool_trace\":%1$s"
            .formatted(quarter);
    String first = feed.log("first");
    for (int i = 0; i < 13; i++) {
      feed.reported(bodies);
    }

    List<Long> read = new ArrayList<>();
    int pages = 0;
    for (String cursor = first; read.size() < 13; pages++) {
      Answer page = feed.get("?limit=500&since_id=" + cursor);
      assertThat(page.text().length()).isLessThanOrEqualTo(MAX_PAGE_BYTES);
      JsonNode rows = TestFeed.rowsOf(page);
      assertThat(rows).isNotEmpty();
      read.addAll(TestFeed.seqs(rows));
      cursor = TestFeed.idOfLast(rows);
    }
    assertThat(pages).isEqualTo(2);
    assertThat(read).isEqualTo(LongStream.rangeClosed(2, 14).boxed().toList());

    List<Long> newest = feed.seqsForAdmin("?limit=500");
    assertThat(newest).hasSizeBetween(8, 10);
    assertThat(newest.getFirst()).isEqualTo(14);
    assertThat(newest).isSortedAccordingTo((a, b) -> Long.compare(b, a));
  }

  /** Escapes make a text longer than it is in the database. */
  @Test
  void countsATextAsItIsWritten() {
    TestFeed feed = TestFeed.create("Escapes");
    String first = feed.log("first");
    for (int i = 0; i < 3; i++) {
      feed.receive(null, "\u0001".repeat(1 << 20));
    }

    JsonNode rows = feed.rowsForAdmin("?since_id=" + first);
    assertThat(rows).hasSize(1);
    Answer page = feed.getAsAdmin("?since_id=" + first);
    assertThat(page.text().length()).isLessThanOrEqualTo(MAX_PAGE_BYTES);
  }

  /** Attached files and answers may be as long as any text. */
  @Test
  void countsFilesAndAnswersOfAMessage() {
    String third = "u".repeat(3 << 20);
    assertShowsTwoOfThree(
        TestFeed.request("m-1", "{\"kind\":\"file\",\"file\":{\"uri\":\"" + third + "\"}}"));
    assertShowsTwoOfThree(
        TestFeed.request(
            "m-1",
            "{\"kind\":\"file\",\"file\":{\"uri\":\"%s\"}},"
                    .formatted("u".repeat(300))
                    .repeat(9_000)
                + "{}"));
    assertShowsTwoOfThree(
        """
        {"params":{"message":{"messageId":"m-1","metadata":{"delegation_id":"%s"},"parts":[]}}}\
        """
            .formatted(third));
  }

  private static void assertShowsTwoOfThree(String request) {
    TestFeed feed = TestFeed.create("Shown");
    String first = feed.log("first");
    for (int i = 0; i < 3; i++) {
      feed.receiveRequest(null, request);
    }

    Answer page = feed.getAsAdmin("?include=peer_info&since_id=" + first);
    assertThat(page.text().length()).isLessThanOrEqualTo(MAX_PAGE_BYTES);
    JsonNode rows = TestFeed.rowsOf(page);
    assertThat(TestFeed.seqs(rows)).containsExactly(2L, 3L);
    assertThat(feed.seqsForAdmin("?include=peer_info&since_id=" + TestFeed.idOfLast(rows)))
        .containsExactly(4L);
  }

  @Test
  void givesAtLeastOneRowHoweverLargeItIs() {
    TestFeed feed = TestFeed.create("Large");
    String text = "\u0001".repeat(MAX_PAGE_BYTES / 6 + 1);
    feed.receive(null, text);
    feed.receive(null, text);
    feed.receive(null, "small");

    JsonNode first = feed.rows("?type=a2a_receive&limit=500");
    assertThat(TestFeed.seqs(first)).containsExactly(1L);
    assertThat(first.path(0).path("data").path("text").asString()).isEqualTo(text);
    assertThat(first.path(0).path("request_body").path("truncated").asBoolean()).isTrue();
    String cursor = TestFeed.idOfLast(first);
    JsonNode second = feed.rows("?type=a2a_receive&limit=500&since_id=" + cursor);
    assertThat(TestFeed.seqs(second)).containsExactly(2L);
    assertThat(feed.seqs("?type=a2a_receive&since_id=" + TestFeed.idOfLast(second)))
        .containsExactly(3L);
  }

  /** The file is in the body, and the row names it only. */
  @Test
  void listsALargeMessageBesideOthers() {
    TestFeed feed = TestFeed.create("Files");
    String file =
        TestFeed.request(
            "m-1",
            "{\"kind\":\"file\",\"file\":{\"name\":\"f\",\"bytes\":\"%s\"}}"
                .formatted("QUJD".repeat(1 << 20)));
    String large = feed.receiveRequest(null, file);
    feed.receive(null, "small");

    JsonNode rows = feed.rows("?type=a2a_receive&limit=500");
    assertThat(TestFeed.seqs(rows)).containsExactly(1L, 2L);
    assertThat(rows.path(0).path("request_body"))
        .hasToString("{\"truncated\":true,\"bytes\":" + file.length() + "}");
    assertThat(rows.path(1).path("request_body").path("params").isObject()).isTrue();
    assertThat(feed.one(large).text()).contains("\"request_body\":" + file + ",");
  }
}
