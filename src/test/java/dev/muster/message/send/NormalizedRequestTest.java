package dev.muster.message.send;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.message.store.Sender;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.LosslessJson;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The normal forms of R7.2; in these texts, single quotes stand for double ones. */
class NormalizedRequestTest {

  private static final UUID PEER = UUID.fromString("11111111-2222-4333-8444-555555555555");
  private static final String SENDER =
      "'sender':{'workspace_id':'11111111-2222-4333-8444-555555555555','source':'peer_agent'}";
  private static final String METADATA = "'metadata':{" + SENDER + "}";

  private final AtomicInteger made = new AtomicInteger();

  private static JsonNode json(String singleQuoted) {
    return LosslessJson.parse(singleQuoted.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
  }

  private NormalizedRequest normal(String request) {
    return NormalizedRequest.of(
        json(request), new Sender(PEER), () -> new UUID(0, made.incrementAndGet()));
  }

  private static String id(int n) {
    return new UUID(0, n).toString();
  }

  private static String sending(String message) {
    return "{'jsonrpc':'2.0','id':7,'method':'message/send','params':{'message':" + message + "}}";
  }

  private void assertNormal(String sent, String expected) {
    assertThat(LosslessJson.write(normal(sent).body()).text())
        .isEqualTo(expected.replace('\'', '"'));
  }

  private void assertNormalMessage(String sent, String expected) {
    assertNormal(sending(sent), sending(expected));
  }

  private void assertRefused(String request, String message) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> normal(request))
        .withMessage(message.replace('\'', '"'))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          'message_id':'m','context_id':'c','task_id':'t','role':'user','parts':[]
          'messageId':'m','message_id':'m','contextId':'c','taskId':'t','role':'user','parts':[]
          'messageId':'','message_id':'m','contextId':null,'context_id':'c','task_id':'t','role':'user','parts':[]
          'messageId':'m','message_id':null,'contextId':'c','context_id':'','taskId':'t','role':'user','parts':[]
          """)
  void givesMembersTheirUsualNames(String members) {
    NormalizedRequest normal = normal(sending("{" + members + "}"));

    assertThat(normal.message())
        .isEqualTo(
            json(
                "{'messageId':'m','contextId':'c','taskId':'t','role':'user','parts':[],"
                    + METADATA
                    + "}"));
    assertThat(normal.identity())
        .isEqualTo(
            normal(
                    sending(
                        "{'messageId':'m','contextId':'c','taskId':'t','role':'user','parts':[]}"))
                .identity());
  }

  @ParameterizedTest
  @CsvSource({"message_id, messageId", "context_id, contextId", "task_id, taskId"})
  void refusesTwoValuesForOneMember(String other, String usual) {
    assertRefused(
        sending("{'" + usual + "':'a','" + other + "':'b','parts':[]}"),
        "params.message."
            + other
            + ": not the value of "
            + usual
            + " (expected: one of the two members, or the same value in both)");
  }

  /** Methods of a later version may mean something else by these names. */
  @Test
  void renamesNothingInOtherMethods() {
    String request =
        "{'jsonrpc':'2.0','id':7,'method':'x/y','params':{'message':{'message_id':'m'}}}";
    assertNormal(request, request);
  }

  @Test
  void addsOnlyTheSenderToAMessageThatIsNormal() {
    assertNormalMessage(
        "{'messageId':'m','role':'agent','parts':[{'kind':'text','text':'hi'}]}",
        "{'messageId':'m','role':'agent','parts':[{'kind':'text','text':'hi'}]," + METADATA + "}");
  }

  @Test
  void keepsUnknownMembersInTheirPlaceAndDigitForDigit() {
    String part = "{'x':1.50,'kind':'data','data':{'z':1,'a':[0.10,null]},'y':{}}";
    String request =
        "{'z':[1.0],'jsonrpc':'2.0','params':{'priority':100,'message':{'b':{'d':2,'c':1},'parts':["
            + part
            + "],'messageId':'m','metadata':{'q':1e-7,%s'p':2},'role':'user','contextId':null},'a':0},"
            + "'id':null,'method':'message/send','more':{}}";

    assertNormal(
        request.formatted("'sender':'forged',").replace("1e-7", "1E-7"),
        request.formatted(SENDER + ",").replace("1e-7", "1E-7"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"SendMessage", "SendStreamingMessage"})
  void addsWhatAMessageLacksInItsVersion(String method) {
    JsonNode message =
        requireNonNull(
            normal("{'method':'" + method + "','params':{'message':{'content':'hi'}}}").message());

    assertThat(message.path("role").asString()).isEqualTo("ROLE_USER");
    assertThat(message.path("parts").toString()).isEqualTo("[{\"text\":\"hi\"}]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"message/send", "message/stream", "SendMessage", "SendStreamingMessage"})
  void normalisesTheMethodsThatSend(String method) {
    NormalizedRequest request =
        normal("{'method':'" + method + "','params':{'message':{'content':'hi'}}}");

    assertThat(request.method()).isEqualTo(method);
    assertThat(request.message()).isSameAs(request.body().at("/params/message"));
    assertThat(request.body().at("/params/message/parts/0/text").asString("")).isEqualTo("hi");
    assertThat(request.body().at("/params/message/metadata/sender/source").asString(""))
        .isEqualTo("peer_agent");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'jsonrpc':'2.0','id':1,'method':'tasks/get','params':{'message':{'content':'hi'}}}",
        "{'jsonrpc':'2.0','method':'GetTask','params':{'message':5}}",
        "{'jsonrpc':'2.0','method':'message/Send'}",
        "{'jsonrpc':'1.0','id':null,'method':'ping','params':[1.50]}",
        "{'jsonrpc':'','method':'ping'}",
        "{'jsonrpc':5,'method':'\\u0000\\ud800'}"
      })
  void forwardsOtherRequestsUnchanged(String request) {
    assertNormal(request, request);
    assertThat(normal(request).message()).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tasks/send",
        "Message/Send",
        "message/send ",
        " message/send",
        "message/send\\u0000",
        "sendmessage",
        "SENDMESSAGE",
        "GetTask",
        "anything"
      })
  void writesTheTrueSenderIntoTheMessageOfAnyMethod(String method) {
    String request =
        "{'params':{'a':1.50,'message':{'content':5,'metadata':{'q':2,%s'p':null},'z':[]},'b':{}},"
            + "'jsonrpc':'2.0','method':'"
            + method
            + "','id':1}";

    assertNormal(
        request.formatted("'sender':{'workspace_id':'forged','admin':true},"),
        request.formatted(SENDER + ","));
    assertNormal(
        request.formatted("").replace("null}", "null," + "'sender':'x'}"),
        request.formatted("").replace("null}", "null," + SENDER + "}"));
    assertThat(normal(request.formatted("")).message()).isNull();
  }

  @Test
  void writesTheTrueSenderIntoTheLastOfMembersThatComeTwice() {
    assertNormal(
        "{'jsonrpc':'2.0','method':'x','params':{'message':{'metadata':{'sender':1}}},"
            + "'params':{'message':5,'message':{'metadata':{},'metadata':{'sender':2,'sender':3}}}}",
        "{'jsonrpc':'2.0','method':'x','params':{'message':{'metadata':{" + SENDER + "}}}}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'message':{'metadata':null}}",
        "{'message':{'metadata':['sender']}}",
        "{'message':{'metadata':'sender'}}",
        "{'message':[{'metadata':{'sender':1}}]}",
        "[{'message':{'metadata':{'sender':1}}}]",
        "{'metadata':{'sender':1}}"
      })
  void leavesRequestsThatHaveNoPlaceForASenderUnchanged(String params) {
    String request = "{'jsonrpc':'2.0','method':'tasks/send','params':" + params + "}";

    assertNormal(request, request);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "'jsonrpc':null,", "'id':null,", "'id':null,'jsonrpc':null,"})
  void wrapsWhatIsNoJsonRpcInAnEnvelopeWithANewId(String beginning) {
    assertNormal(
        "{" + beginning + "'a':1,'method':'ping','params':{'b':2}}",
        "{'jsonrpc':'2.0','id':'" + id(1) + "','a':1,'method':'ping','params':{'b':2}}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "'mine'", "''", "0.50"})
  void keepsTheIdOfWhatItWraps(String given) {
    assertNormal(
        "{'method':'ping','id':" + given + "}",
        "{'jsonrpc':'2.0','method':'ping','id':" + given + "}");
  }

  @Test
  void makesNoIdInsideAnEnvelope() {
    assertNormal("{'jsonrpc':'2.0','method':'ping'}", "{'jsonrpc':'2.0','method':'ping'}");
    assertThat(made).hasValue(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          {'parts':[]}                                | 'parts':[],'messageId':'%s','role':'user'
          {'messageId':null,'role':null,'parts':[]}   | 'messageId':'%s','role':'user','parts':[]
          {'role':'','parts':[],'messageId':''}       | 'role':'user','parts':[],'messageId':'%s'
          """)
  void givesAnIdAndTheRoleOfAUserToAMessageThatLacksThem(String sent, String expected) {
    assertNormalMessage(sent, "{" + expected.formatted(id(1)) + "," + METADATA + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          'content':'hi'                          | 'parts':[{'kind':'text','text':'hi'}]
          'content':''                            | 'parts':[{'kind':'text','text':''}]
          'content':'hi','parts':null             | 'parts':[{'kind':'text','text':'hi'}]
          'content':[]                            | 'parts':[]
          'content':[{'type':'text','text':'hi'}] | 'parts':[{'text':'hi','kind':'text'}]
          'content':[{'kind':'a'},{'x':1}]        | 'parts':[{'kind':'a'},{'x':1}]
          'parts':[{'text':'hi'}]                 | 'parts':[{'text':'hi'}]
          'parts':[{'type':'file','file':{'type':'x'}}] | 'parts':[{'file':{'type':'x'},'kind':'file'}]
          'parts':[{'type':'a','kind':'b'}]       | 'parts':[{'kind':'b'}]
          'parts':[{'kind':null,'type':'a'}]      | 'parts':[{'kind':'a'}]
          'parts':[{'type':5}]                    | 'parts':[{'type':5}]
          'parts':[],'content':'hi'               | 'parts':[],'content':'hi'
          'parts':[],'content':5                  | 'parts':[],'content':5
          """)
  void normalizesParts(String sent, String expected) {
    String beginning = "{'messageId':'m','role':'user',";

    assertNormalMessage(beginning + sent + "}", beginning + expected + "," + METADATA + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          null                                           | {SENDER}
          {}                                             | {SENDER}
          {'sender':{'workspace_id':null,'source':'canvas_user','admin':true}} | {SENDER}
          {'sender':[],'a':{'sender':'mine'}}            | {SENDER,'a':{'sender':'mine'}}
          {'Sender':1,'delegation_id':'d'}               | {'Sender':1,'delegation_id':'d',SENDER}
          """)
  void overwritesAnySenderWithTheTrueOne(String sent, String expected) {
    String beginning = "{'messageId':'m','role':'user','parts':[],'metadata':";

    assertNormalMessage(
        beginning + sent + "}", beginning + expected.replace("SENDER", SENDER) + "}");
  }

  @Test
  void namesTheCanvasWithoutAWorkspace() {
    NormalizedRequest request =
        NormalizedRequest.of(
            json(sending("{'content':'hi'}")), Sender.CANVAS, () -> new UUID(0, 1));

    assertThat(request.body().at("/params/message/metadata/sender").toString())
        .isEqualTo("{\"workspace_id\":null,\"source\":\"canvas_user\"}");
  }

  @Test
  void doesNotChangeItsInput() {
    JsonNode sent =
        json("{'method':'SendMessage','params':{'message':{'content':[{'type':'a'}]}}}");
    String before = sent.toString();

    NormalizedRequest.of(sent, Sender.CANVAS, () -> new UUID(0, 1));

    assertThat(sent).hasToString(before);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          []                  | array
          [{'method':'ping'}] | array
          5                   | number
          'ping'              | string
          null                | null
          """)
  void refusesABodyThatIsNotAnObject(String body, String found) {
    assertRefused(body, "the body: " + found + " (expected: one JSON-RPC request object)");
  }

  @ParameterizedTest
  @CsvSource({
    "{}, missing",
    "{\"method\":null}, null",
    "{\"method\":\"\"}, string",
    "{\"method\":\" \"}, string",
    "{\"method\":5}, number",
    "{\"method\":[]}, array"
  })
  void refusesARequestWithoutAMethod(String request, String found) {
    assertRefused(request, "method: " + found + " (expected: a text like 'message/send')");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
                                         | params: missing (expected: a JSON object)
          ,'params':null                 | params: null (expected: a JSON object)
          ,'params':[{'message':{}}]     | params: array (expected: a JSON object)
          ,'params':{}                   | params.message: missing (expected: a JSON object)
          ,'params':{'message':null}     | params.message: null (expected: a JSON object)
          ,'params':{'message':'hi'}     | params.message: string (expected: a JSON object)
          ,'params':{'message':[]}       | params.message: array (expected: a JSON object)
          """)
  void refusesASendWithoutAMessage(@Nullable String params, String text) {
    String rest = params == null ? "" : params;

    assertRefused("{'jsonrpc':'2.0','method':'message/send'" + rest + "}", text);
    assertRefused("{'jsonrpc':'2.0','method':'SendStreamingMessage'" + rest + "}", text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          'parts':[],'messageId':5     | messageId: number (expected: a text)
          'parts':[],'messageId':{}    | messageId: object (expected: a text)
          'parts':[],'messageId':false | messageId: boolean (expected: a text)
          'parts':[],'role':5          | role: number (expected: a text)
          'parts':[],'metadata':'a'    | metadata: string (expected: a JSON object)
          'parts':[],'metadata':[]     | metadata: array (expected: a JSON object)
          'role':'user'                | parts: missing (expected: an array of parts, or content)
          'parts':null                 | parts: null (expected: an array of parts, or content)
          'content':null               | parts: missing (expected: an array of parts, or content)
          'parts':'hi'                 | parts: string (expected: an array of parts)
          'parts':{},'content':'hi'    | parts: object (expected: an array of parts)
          'content':5                  | content: number (expected: an array of parts)
          'content':{'text':'hi'}      | content: object (expected: an array of parts)
          'parts':['hi']               | parts[0]: string (expected: a JSON object)
          'parts':[{},{},null]         | parts[2]: null (expected: a JSON object)
          'parts':[{},[{}]]            | parts[1]: array (expected: a JSON object)
          'content':[{},'hi']          | content[1]: string (expected: a JSON object)
          """)
  void refusesAMessageThatCannotBeNormalized(String message, String text) {
    assertRefused(sending("{" + message + "}"), "params.message." + text);
  }
}
