package dev.muster.message.feed;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.TestClient.Answer;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Reports of an agent about its own work (R6.1, R0.1, R0.8). */
class ReportTest {

  private static final String LOG = "\"activity_type\":\"agent_log\"";
  private static final String ODD = "a\\u0000b\\ud83dc\\ude00\\ud83d\\ude00";
  private static final String MENDED = "a\uFFFDb\uFFFDc\uFFFD\uD83D\uDE00";
  private static final String ROCKET = "\uD83D\uDE80";
  private static final int MIB = 1 << 20;

  private static final UUID OTHER = TestFeed.create("Other").id();
  private static final TestFeed FEED = TestFeed.create("Reporter");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a2a_send",
        "a2a_receive",
        "task_update",
        "agent_log",
        "skill_promotion",
        "memory_write",
        "error"
      })
  void storesEveryTypeOfTheList(String type) {
    String id = FEED.reported("\"activity_type\":\"" + type + "\"");

    JsonNode row = FEED.one(id).json();
    assertThat(row.path("activity_type").asString()).isEqualTo(type);
    assertThat(row.path("type").asString()).isEqualTo(type);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\"",
        "null",
        "\"delegation\"",
        "\"A2A_SEND\"",
        "\" error\"",
        "\"error\\u0000\"",
        "\"*\""
      })
  void listsTheTypesInTheRefusalOfAnUnknownType(String type) {
    assertListsTheTypes(FEED.report("\"activity_type\":" + type));
    assertListsTheTypes(FEED.report("\"summary\":\"no type\""));
  }

  private static void assertListsTheTypes(Answer answer) {
    assertRefused(answer, 400, "VALIDATION_FAILED");
    assertThat(answer.field("error"))
        .contains(
            "a2a_send",
            "a2a_receive",
            "task_update",
            "agent_log",
            "skill_promotion",
            "memory_write",
            "error");
  }

  @Test
  void storesAllGivenFields() {
    String id =
        FEED.reported(
            """
            "activity_type":"a2a_send","method":"message/send","summary":"asked","target_id":"%s",
            "status":"error","error_detail":"it broke","duration_ms":17,"request_body":{"q":1},
            "response_body":{"a":2},"tool_trace":[{"tool":"x"}],"not_known":true\
            """
                .formatted(OTHER));

    JsonNode row = FEED.one(id).json();
    assertThat(row.path("workspace_id").asString()).isEqualTo(FEED.id().toString());
    assertThat(row.path("source").asString()).isEqualTo("self");
    assertThat(row.path("source_id").asString()).isEqualTo(FEED.id().toString());
    assertThat(row.path("target_id").asString()).isEqualTo(OTHER.toString());
    assertThat(row.path("method").asString()).isEqualTo("message/send");
    assertThat(row.path("summary").asString()).isEqualTo("asked");
    assertThat(row.path("status").asString()).isEqualTo("error");
    assertThat(row.path("error_detail").asString()).isEqualTo("it broke");
    assertThat(row.path("duration_ms").asLong()).isEqualTo(17);
    assertThat(row.path("request_body")).hasToString("{\"q\":1}");
    assertThat(row.path("response_body")).hasToString("{\"a\":2}");
    assertThat(row.path("tool_trace")).hasToString("[{\"tool\":\"x\"}]");
    assertThat(FEED.newest()).isEqualTo(row);
  }

  @Test
  void storesNullForMissingFieldsAndStatusOk() {
    String nulls =
        """
        ,"method":null,"summary":null,"target_id":null,"status":null,"error_detail":null,
        "duration_ms":null,"request_body":null,"response_body":null,"tool_trace":null,
        "metadata":null,"source_id":null\
        """;
    for (String rest : new String[] {"", nulls, ",\"target_id\":\"\""}) {
      JsonNode row = FEED.one(FEED.reported(LOG + rest)).json();

      assertThat(row.path("status").asString()).isEqualTo("ok");
      for (String field :
          new String[] {"method", "summary", "target_id", "error_detail", "duration_ms"}) {
        assertThat(row.path(field).isNull()).as(field).isTrue();
      }
      assertThat(row.propertyNames())
          .doesNotContain("request_body", "response_body", "tool_trace", "peer_name");
    }
  }

  @Test
  void numbersTheRowsOfEachWorkspaceSeparately() {
    TestFeed one = TestFeed.create("One");
    TestFeed two = TestFeed.create("Two");

    for (int seq = 1; seq <= 3; seq++) {
      Answer answer = one.report(LOG);
      assertThat(answer.json().propertyNames()).containsExactly("status", "id", "seq");
      assertThat(answer.field("status")).isEqualTo("logged");
      assertThat(answer.json().path("seq").asLong()).isEqualTo(seq);
      assertThat(UUID.fromString(answer.field("id")).version()).isEqualTo(7);
    }
    assertThat(two.report(LOG).json().path("seq").asLong()).isEqualTo(1);
  }

  @Test
  void storesTheMetadataAsTheRequestWhenThereIsNone() {
    String metadata = "\"metadata\":{ \"from\" : \"metadata\" }";

    String alone = FEED.reported(LOG + "," + metadata);
    String besideNull = FEED.reported(LOG + ",\"request_body\":null," + metadata);
    String beside = FEED.reported(LOG + "," + metadata + ",\"request_body\":[ 1 ]");

    assertThat(FEED.one(alone).text()).contains("\"request_body\":{ \"from\" : \"metadata\" },");
    assertThat(FEED.one(besideNull).text())
        .contains("\"request_body\":{ \"from\" : \"metadata\" },");
    assertThat(FEED.one(beside).text())
        .contains("\"request_body\":[ 1 ],")
        .doesNotContain("metadata");
  }

  @Test
  void refusesReportsInTheNameOfAnotherWorkspace() {
    long before = FEED.newest().path("seq").asLong();
    String another = LOG + ",\"source_id\":\"" + OTHER + "\"";

    assertRefused(FEED.report(another), 403, "FORBIDDEN");
    assertRefused(
        FEED.client().post(FEED.path(""), ADMIN_TOKEN, "{" + another + "}"), 403, "FORBIDDEN");
    assertRefused(FEED.report(LOG + ",\"source_id\":\"me\""), 400, "INVALID_ID");
    assertRefused(FEED.report(LOG + ",\"target_id\":\"you\""), 400, "INVALID_ID");
    assertThat(FEED.newest().path("seq").asLong(0)).isEqualTo(before);

    for (String own :
        new String[] {
          "", FEED.id().toString(), FEED.id().toString().toUpperCase(java.util.Locale.ROOT)
        }) {
      String id = FEED.reported(LOG + ",\"source_id\":\"" + own + "\"");
      assertThat(FEED.one(id).field("source_id")).isEqualTo(FEED.id().toString());
    }
  }

  @Test
  void storesAReportOfTheAdminAsTheWorkspaces() {
    Answer answer = FEED.client().post(FEED.path(""), ADMIN_TOKEN, "{" + LOG + "}");

    assertThat(answer.field("status")).isEqualTo("logged");
    JsonNode row = FEED.one(answer.field("id")).json();
    assertThat(row.path("source").asString()).isEqualTo("self");
    assertThat(row.path("source_id").asString()).isEqualTo(FEED.id().toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"method\":5",
        "\"summary\":[\"a\"]",
        "\"summary\":{}",
        "\"status\":true",
        "\"error_detail\":1.5",
        "\"target_id\":5",
        "\"source_id\":{}",
        "\"activity_type\":7",
        "\"activity_type\":[\"error\"]",
        "\"duration_ms\":\"17\"",
        "\"duration_ms\":true",
        "\"duration_ms\":NaN",
        "\"duration_ms\":Infinity",
        "\"duration_ms\":1e999"
      })
  void refusesFieldsOfAnotherType(String field) {
    long before = FEED.newest().path("seq").asLong(0);

    assertRefused(FEED.report(LOG + "," + field), 400, "VALIDATION_FAILED");

    assertThat(FEED.newest().path("seq").asLong(0)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "null", "[]", "7", "\"a\"", "{", "{}{}", "{\"a\":}", "\uFEFF["})
  void refusesABodyThatIsNotAnObject(String body) {
    assertRefused(
        FEED.client().post(FEED.path(""), FEED.agent().token(), body), 400, "VALIDATION_FAILED");
  }

  @ParameterizedTest
  @CsvSource({"-5, 0", "0, 0", "12.0, 12", "12.9, 12", "1e3, 1000", "3000000000, 3000000000"})
  void clampsTheDuration(String sent, long stored) {
    String id = FEED.reported(LOG + ",\"duration_ms\":" + sent);

    assertThat(FEED.one(id).json().path("duration_ms").asLong(-1)).isEqualTo(stored);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e300", "99999999999999999999999999", "9223372036854775807"})
  void clampsAHugeDuration(String sent) {
    String id = FEED.reported(LOG + ",\"duration_ms\":" + sent);

    assertThat(FEED.one(id).json().path("duration_ms").asLong(-1)).isGreaterThan(3_000_000_000L);
  }

  @Test
  void cutsTextsOnCodePoints() {
    String longText = "x" + ROCKET.repeat(20_000);
    StringBuilder fields = new StringBuilder(LOG);
    for (String field : new String[] {"method", "summary", "status", "error_detail"}) {
      fields.append(",\"").append(field).append("\":\"").append(longText).append('"');
    }

    JsonNode row = FEED.one(FEED.reported(fields.toString())).json();

    for (String field : new String[] {"method", "summary", "status", "error_detail"}) {
      String kept = row.path(field).asString();
      assertThat(longText).as(field).startsWith(kept);
      assertThat(kept).endsWith(ROCKET);
      assertThat(kept.codePointCount(0, kept.length())).isBetween(32, 4096);
    }
    assertThat(row.path("error_detail").asString()).isEqualTo("x" + ROCKET.repeat(4095));
  }

  @Test
  void keepsAnErrorOfTheMaximumLength() {
    String detail = ROCKET.repeat(4096);
    String id = FEED.reported(LOG + ",\"error_detail\":\"" + detail + "\"");

    assertThat(FEED.one(id).field("error_detail")).isEqualTo(detail);
  }

  @Test
  void replacesCharactersThatTheDatabaseRefuses() {
    String id =
        FEED.reported(
            LOG
                + ",\"method\":\"%1$s\",\"summary\":\"%1$s\",\"status\":\"%1$s\",\"error_detail\":\"%1$s\""
                    .formatted(ODD));

    JsonNode row = FEED.one(id).json();
    for (String field : new String[] {"method", "summary", "status", "error_detail"}) {
      assertThat(row.path(field).asString()).as(field).isEqualTo(MENDED);
    }
  }

  @Test
  void keepsSuchCharactersInTheBodyAndReplacesThemInTheData() {
    String body = TestFeed.request("m" + ODD, "{\"kind\":\"text\",\"text\":\"" + ODD + "\"}");
    String id = FEED.reported("\"activity_type\":\"a2a_receive\",\"request_body\":" + body);

    Answer row = FEED.one(id);
    assertThat(row.text()).contains("\"request_body\":" + body + ",");
    assertThat(row.json().path("data").path("text").asString()).isEqualTo(MENDED);
    assertThat(row.json().path("data").path("message_id").asString()).isEqualTo("m" + MENDED);
    assertThat(FEED.getAsAdmin("?limit=1").text()).contains("\"request_body\":" + body + ",");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-0.0",
        "1.50",
        "1E+2",
        "123456789012345678901234567890.000",
        "true",
        "false",
        "\"\"",
        "\"\\u0041\\/\\u00e4 \\ud83d\\u0000\"",
        "[]",
        "[ 1 ,\t{ } , null ]",
        "{}",
        "{ \"a\" : 1, \"a\" : 2,\"\":null }",
        "{\"text\":\"\u00e4\u2028\uD83D\uDE80\"}"
      })
  void givesBodiesBackByteForByte(String body) {
    String id =
        FEED.reported(
            LOG
                + ", \"request_body\" : %1$s , \"response_body\":%1$s,\"tool_trace\":%1$s "
                    .formatted(body));

    for (Answer answer : new Answer[] {FEED.one(id), FEED.getAsAdmin("?limit=1")}) {
      assertThat(answer.text())
          .contains(
              "\"request_body\":%1$s,\"response_body\":%1$s,\"tool_trace\":%1$s,".formatted(body));
    }
  }

  @Test
  void acceptsABodyOfTheMaximumSizeAndRefusesOneByteMore() {
    assertThat(send(filled(MIB)).status()).isEqualTo(200);
    Answer refused = send(filled(MIB + 1));

    assertRefused(refused, 413, "BODY_TOO_LARGE");
    assertThat(refused.json().path("max_bytes").asInt()).isEqualTo(MIB);
  }

  private static String filled(int length) {
    char[] blanks = new char[length - LOG.length() - 2];
    Arrays.fill(blanks, ' ');
    return "{" + LOG + new String(blanks) + "}";
  }

  private static Answer send(String body) {
    return FEED.client().post(FEED.path(""), FEED.agent().token(), body);
  }

  @Test
  void refusesBodiesThatAreNestedTooDeeply() {
    Map<String, String> nested =
        Map.of(
            "request_body", "[".repeat(100_000) + "]".repeat(100_000),
            "tool_trace", "{\"a\":".repeat(50_000) + "1" + "}".repeat(50_000),
            "not_known", "[".repeat(100_000) + "]".repeat(100_000));
    nested.forEach((field, value) ->
        assertRefused(FEED.report(LOG + ",\"" + field + "\":" + value), 400, "VALIDATION_FAILED"));

    String deep = "[".repeat(100) + "]".repeat(100);
    String id = FEED.reported(LOG + ",\"request_body\":" + deep);
    assertThat(FEED.one(id).text()).contains("\"request_body\":" + deep + ",");
  }
}
