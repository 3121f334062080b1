package dev.muster.message.send;

import static dev.muster.testing.Refusals.assertRefused;
import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.RawHttp;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which bodies are accepted, and how others are refused (R0.1, R0.7, R0.8, R7.2). */
@Slow
class A2aBodiesTest {

  static final int LIMIT = 16 * 1024 * 1024;

  /** Larger than the form limit of web servers. */
  private static final int LARGE_FORM = 300_000;

  private static final TestServer SERVER = TestServer.shared();
  private static final Agent AGENT = SERVER.client().create("Bodies");
  static final ProxyClient PROXY = new ProxyClient(SERVER);

  static Answer send(byte[] body) {
    return RawHttp.send(SERVER.port(), "POST " + ProxyClient.path(AGENT.id()), headers(), body);
  }

  static Answer sendChunked(byte[] body) {
    return RawHttp.sendChunked(
        SERVER.port(), "POST " + ProxyClient.path(AGENT.id()), headers(), body);
  }

  private static List<String> headers() {
    return List.of("Authorization: Bearer " + ADMIN_TOKEN, "Content-Type: text/plain");
  }

  private static void assertRefusedWithoutARow(byte[] body, int status, String code, String text) {
    int before = PROXY.rows(AGENT);

    Answer answer = send(body);

    assertRefused(answer, status, code);
    assertThat(answer.field("error")).contains(text);
    assertThat(PROXY.rows(AGENT)).isEqualTo(before);
  }

  static Stream<byte[]> noJson() {
    String good = ProxyClient.message("m", "hi");
    String open = good.substring(0, good.length() - 1);
    Stream<byte[]> texts =
        Stream.of(
                "",
                " \n",
                open,
                good + "}",
                good + good,
                good + " x",
                open + ",}",
                good.replace('"', '\''),
                open + ",\"a\":NaN}",
                open + ",\"a\":01}",
                open + ",\"a\":\"\\u12\"}",
                open + ",\"a\":\"\n\"}",
                open + ",\"a\":" + "[".repeat(30_000) + "]".repeat(30_000) + "}",
                "method=message/send")
            .map(text -> text.getBytes(StandardCharsets.UTF_8));
    Stream<byte[]> bytes =
        Stream.of("ÿ", "\u0080", "Ã(", "À¯", "í\u00a0\u0080")
            .map(latin ->
                (open + ",\"a\":\"" + latin + "\"}").getBytes(StandardCharsets.ISO_8859_1));
    return Stream.concat(texts, bytes);
  }

  @ParameterizedTest
  @MethodSource("noJson")
  void refusesWhatIsNotJson(byte[] body) {
    assertRefusedWithoutARow(body, 400, "VALIDATION_FAILED", "invalid JSON");
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "42", "\"message/send\"", "[]", "[{\"method\":\"ping\"}]"})
  void refusesWhatIsNotOneObject(String body) {
    assertRefusedWithoutARow(
        body.getBytes(StandardCharsets.UTF_8),
        400,
        "VALIDATION_FAILED",
        "expected: one JSON-RPC request object");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {}                                                        | method: missing
          {'method':''}                                             | method: string
          {'method':5}                                              | method: number
          {'method':'message/send'}                                 | params: missing
          {'method':'SendMessage','params':{}}                      | params.message: missing
          {'method':'message/stream','params':{'message':'hi'}}     | params.message: string
          {'method':'message/send','params':{'message':{}}}         | params.message.parts: missing
          {'method':'message/send','params':{'message':{'content':5}}} | params.message.content: number
          {'method':'message/send','params':{'message':{'parts':[{},5]}}} | params.message.parts[1]: number
          {'method':'message/send','params':{'message':{'parts':[],'messageId':5}}} | messageId: number
          {'method':'message/send','params':{'message':{'parts':[],'metadata':[]}}} | metadata: array
          {'method':'SendMessage','params':{'message':{'parts':[],'message_id':5}}} | messageId: number
          """)
  void refusesARequestThatCannotBeNormalized(String body, String text) {
    byte[] json = body.replace('\'', '"').getBytes(StandardCharsets.UTF_8);

    assertRefusedWithoutARow(json, 400, "VALIDATION_FAILED", text);
  }

  /** curl declares a form unless the caller sets a content type. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "multipart/form-data; boundary=x"
      })
  void readsALargeBodyAsJsonWhateverItsContentType(String type) {
    List<String> headers = List.of("Authorization: Bearer " + ADMIN_TOKEN, "Content-Type: " + type);

    Answer answer =
        RawHttp.send(
            SERVER.port(), "POST " + ProxyClient.path(AGENT.id()), headers, filled(LARGE_FORM));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  /** A message with a text of the length that makes the body this long. */
  static byte[] filled(int length) {
    String empty = ProxyClient.sending("{'content':''}");
    return empty
        .replace("\"\"", "\"" + "x".repeat(length - empty.length()) + "\"")
        .getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void checksTheSizeBeforeTheTarget() {
    byte[] tooLarge = filled(LIMIT + 1);
    String nowhere = "POST " + ProxyClient.path(UUID.randomUUID());

    assertRefused(RawHttp.send(SERVER.port(), nowhere, List.of(), tooLarge), 401);
    assertRefused(RawHttp.send(SERVER.port(), nowhere, headers(), tooLarge), 413);
  }

  @Test
  void storesCharactersThatTheDatabaseRefusesAsEscapes() {
    String odd = "a\\u0000b\\ud800c\\udfff\\ud83d\\ude00";
    String message = "{'messageId':'%1$s','role':'%1$s','parts':[{'text':'%1$s','%1$s':1}]}";
    String request = ProxyClient.sending(message.formatted(odd));

    Answer answer = send(request.getBytes(StandardCharsets.UTF_8));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    String row = answer.field("activity_id");
    String kept = odd.replace("\\ud83d\\ude00", "😀");
    assertThat(PROXY.row(row, "request_body"))
        .contains(message.formatted(kept).replace('\'', '"').replace("}]}", "}],\"metadata\""));
    assertThat(PROXY.row(row, "message_id || '|' || message_text"))
        .isEqualTo("a\ufffdb\ufffdc\ufffd😀|a\ufffdb\ufffdc\ufffd😀");
    assertThat(send(request.getBytes(StandardCharsets.UTF_8)).text()).isEqualTo(answer.text());
  }

  @Test
  void storesSuchCharactersInAMethodToo() {
    String request = "{\"jsonrpc\":\"2.0\",\"method\":\"odd\\u0000\\ud800\"}";

    Answer answer = send(request.getBytes(StandardCharsets.UTF_8));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).contains("\"method\":\"odd\\u0000\\ud800\"");
    assertThat(answer.field("method")).isEqualTo("odd\0\ud800");
    String row = answer.field("activity_id");
    assertThat(PROXY.row(row, "request_body")).isEqualTo(request);
    assertThat(PROXY.row(row, "summary")).isEqualTo("odd\ufffd\ufffd → Bodies");
  }

  @Test
  void escapesSuchCharactersInARefusal() {
    assertRefusedWithoutARow(
        "{\"method\":\"a\"} \\ud800\u0000".getBytes(StandardCharsets.UTF_8),
        400,
        "VALIDATION_FAILED",
        "invalid JSON");
  }

  @Test
  void acceptsFiveHundredLevelsAndNoMore() {
    int above = 6; // request, params, message, parts, part, data
    String deep = deep(500 - above);

    Answer answer = send(deep.getBytes(StandardCharsets.UTF_8));

    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(PROXY.row(answer.field("activity_id"), "request_body"))
        .contains("[".repeat(500 - above) + "]".repeat(500 - above));
    assertRefusedWithoutARow(
        deep(501 - above).getBytes(StandardCharsets.UTF_8),
        400,
        "VALIDATION_FAILED",
        "invalid JSON");
  }

  private static String deep(int levels) {
    return ProxyClient.sending(
        "{'parts':[{'kind':'data','data':{'a':" + "[".repeat(levels) + "]".repeat(levels) + "}}]}");
  }
}
