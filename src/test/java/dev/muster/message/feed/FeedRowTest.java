package dev.muster.message.feed;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** One row as poll agents and canvases read it (R6.6, R0.4). */
class FeedRowTest {

  private static final Agent PEER =
      TestServer.shared().client().create("Peer", "\"role\":\"helps\"");
  private static final TestFeed FEED = TestFeed.create("Read");

  @Test
  void hasTheFieldsOfTheContract() {
    FEED.receive(PEER.id(), "hi");

    ObjectNode row = (ObjectNode) FEED.newest();

    assertThat(row.path("created_at").asString())
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z");
    assertThat(UUID.fromString(row.path("id").asString()).version()).isEqualTo(7);
    String example =
        """
        {"id":"%1$s","workspace_id":"%2$s","seq":%3$d,"activity_type":"a2a_receive","type":"a2a_receive",\
        "source":"peer_agent","source_id":"%4$s","target_id":"%2$s","method":"message/send",\
        "summary":"message/send → %2$s","request_body":{"jsonrpc":"2.0","id":"1","method":"message/send",\
        "params":{"message":{"role":"user","messageId":"m-1","parts":[{"kind":"text","text":"hi"}]}}},\
        "data":{"source":"peer_agent","source_id":"%4$s","text":"hi","message_id":"m-1","delegation_id":null,"author":null},\
        "duration_ms":null,"status":"ok","error_detail":null,"created_at":"%5$s"}\
        """
            .formatted(
                row.path("id").asString(),
                FEED.id(),
                row.path("seq").asLong(),
                PEER.id(),
                row.path("created_at").asString());
    assertThat(FEED.getAsAdmin("?limit=1").text()).isEqualTo("[" + example + "]");
    assertThat(FEED.one(row.path("id").asString()).text()).isEqualTo(example);
    assertThat(
            FEED.client()
                .get(FEED.path("/" + row.path("id").asString()), FEED.agent().token())
                .text())
        .isEqualTo(example);
  }

  @Test
  void hasItsBodiesOneAfterTheOther() {
    FEED.reported(
        "\"activity_type\":\"error\",\"tool_trace\":1,\"response_body\":2,\"request_body\":3");

    assertThat(List.copyOf(FEED.newest().propertyNames()))
        .containsExactly(
            "id",
            "workspace_id",
            "seq",
            "activity_type",
            "type",
            "source",
            "source_id",
            "target_id",
            "method",
            "summary",
            "request_body",
            "response_body",
            "tool_trace",
            "data",
            "duration_ms",
            "status",
            "error_detail",
            "created_at");
  }

  @Test
  void showsAMessageOfTheCanvas() {
    FEED.receive(null, "hello");

    JsonNode row = FEED.newest();
    assertThat(row.path("source").asString()).isEqualTo("canvas_user");
    assertThat(row.path("source_id").isNull()).isTrue();
    assertThat(row.path("data").path("source").asString()).isEqualTo("canvas_user");
    assertThat(row.path("data").path("source_id").isNull()).isTrue();
    assertThat(row.path("data").path("text").asString()).isEqualTo("hello");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"kind\":\"text\",\"text\":\"a\"} | a",
        "{\"type\":\"text\",\"text\":\"a\"} | a",
        "{\"text\":\"a\"} | a",
        "{\"kind\":\"text\",\"text\":\"a\"},{\"kind\":\"file\",\"file\":{\"uri\":\"u\"}},{\"kind\":\"text\",\"text\":\"b\"}"
            + " | a+b",
        "{\"kind\":\"data\",\"data\":{\"text\":\"x\"}} | ''",
        "{\"kind\":\"text\",\"text\":7},5,null,\"x\",[] | ''",
        "'' | ''"
      })
  void joinsAllTextParts(String parts, String text) {
    FEED.receiveRequest(PEER.id(), TestFeed.request("m-2", parts));

    assertThat(FEED.newest().path("data").path("text").asString())
        .isEqualTo(text.replace('+', '\n'));
  }

  @Test
  void namesTheDelegationThatItsMessageIsAbout() {
    FEED.receiveRequest(
        PEER.id(),
        """
        {"jsonrpc":"2.0","method":"message/send","params":{"message":{"messageId":"m-3",
         "metadata":{"delegation_id":"d-1"},"parts":[{"kind":"text","text":"done"}]}}}\
        """);

    JsonNode data = FEED.newest().path("data");
    assertThat(data.path("delegation_id").asString()).isEqualTo("d-1");
    assertThat(data.path("message_id").asString()).isEqualTo("m-3");
    assertThat(data.path("source_id").asString()).isEqualTo(PEER.id().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "{\"params\":null}",
        "{\"params\":{\"message\":[]}}",
        "{\"params\":{\"message\":{\"messageId\":5,\"metadata\":[],\"parts\":{}}}}",
        "{\"method\":\"tasks/get\",\"params\":{\"id\":\"t\"}}"
      })
  void hasDataAlsoOfARequestWithoutAMessage(String request) {
    FEED.receiveRequest(PEER.id(), request);

    assertThat(FEED.newest().path("data"))
        .hasToString(
            "{\"source\":\"peer_agent\",\"source_id\":\"%s\",\"text\":\"\",\"message_id\":null,\"delegation_id\":null,\"author\":null}"
                .formatted(PEER.id()));
  }

  @Test
  void includesThePeerWhenAsked() {
    FEED.receiveRequest(
        PEER.id(),
        TestFeed.request(
            "m-4",
            """
            {"kind":"text","text":"see"},
            {"kind":"file","file":{"uri":"https://a.example/x.png","name":"x.png","mimeType":"image/png"}},
            {"type":"file","file":{"uri":"u"}}\
            """));

    assertThat(List.copyOf(FEED.newest().propertyNames()))
        .doesNotContain("peer_name", "peer_role", "agent_card_url", "attachments");
    String id = FEED.newest().path("id").asString();
    JsonNode listed = FEED.rowsForAdmin("?limit=1&include=x,peer_info").path(0);
    JsonNode alone =
        FEED.client().get(FEED.path("/" + id + "?include=peer_info"), FEED.agent().token()).json();
    for (JsonNode row : new JsonNode[] {listed, alone}) {
      assertThat(row.path("peer_name").asString()).isEqualTo("Peer");
      assertThat(row.path("peer_role").asString()).isEqualTo("helps");
      assertThat(row.path("agent_card_url").asString())
          .isEqualTo(FEED.client().baseUrl() + "/registry/discover/" + PEER.id());
      assertThat(row.path("attachments"))
          .isEqualTo(
              TestFeed.JSON.readTree(
                  """
                  [{"kind":"file","uri":"https://a.example/x.png","mime_type":"image/png","name":"x.png"},
                   {"kind":"file","uri":"u","mime_type":null,"name":null}]\
                  """));
      assertThat(List.copyOf(row.path("attachments").path(0).propertyNames()))
          .containsExactly("kind", "uri", "mime_type", "name");
    }
  }

  /** R0.8. */
  @Test
  void namesAttachmentsWithCharactersThatTheDatabaseRefuses() {
    String odd = "a\\u0000b\\ud83dc\\ude00\\ud83d\\ude00";
    String message =
        TestFeed.request(
            odd,
            """
            {"kind":"%1$s","file":{"uri":"%1$s","name":"%1$s","mimeType":"%1$s"}},
            {"kind":"text","text":"%1$s"}\
            """
                .formatted(odd));
    FEED.reported("\"activity_type\":\"a2a_receive\",\"request_body\":" + message);

    JsonNode row = FEED.rowsForAdmin("?limit=1&include=peer_info").path(0);
    for (String field : new String[] {"kind", "uri", "mime_type", "name"}) {
      assertThat(row.path("attachments").path(0).path(field).asString())
          .as(field)
          .isEqualTo("a\uFFFDb\uFFFDc\uFFFD\uD83D\uDE00");
    }
  }

  @Test
  void includesNoPeerWhenThereIsNone() {
    FEED.receive(null, "from the canvas");

    JsonNode row = FEED.rowsForAdmin("?limit=1&include=peer_info").path(0);
    assertThat(row.path("peer_name").isNull()).isTrue();
    assertThat(row.path("peer_role").isNull()).isTrue();
    assertThat(row.path("agent_card_url").isNull()).isTrue();
    assertThat(row.path("attachments")).hasToString("[]");
  }

  @Test
  void includesThePeerThatTheRowIsAbout() {
    FEED.reported("\"activity_type\":\"a2a_send\",\"target_id\":\"" + PEER.id() + "\"");

    assertThat(FEED.rowsForAdmin("?limit=1&include=peer_info").path(0).path("peer_name").asString())
        .isEqualTo("Peer");
  }
}
