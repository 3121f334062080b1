package dev.muster.agent;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How a row of the activity log becomes a message (seed 004). */
class InboundRowTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'data':{'source':'canvas_user'}}                      | CANVAS_USER |",
        "{'data':{'source':'user'}}                             | CANVAS_USER |",
        "{'source':'canvas_user'}                               | CANVAS_USER |",
        "{'source':'user','data':{'source':''}}                 | CANVAS_USER |",
        "{'data':{'source':'peer_agent'},'source_id':'w'}       | PEER_AGENT  | w",
        "{'data':{'source':'peer_agent'}}                       | PEER_AGENT  |",
        "{'source':'peer_agent','data':{'source_id':'w'}}       | PEER_AGENT  | w",
        "{'source':'x','data':{'source':'canvas_user'}}         | CANVAS_USER |",
        "{'source':'canvas_user','data':{'source':'peer_agent'}}| PEER_AGENT  |",
        "{'source_id':'w'}                                      | PEER_AGENT  | w",
        "{'source_id':'w','data':{'source_id':'v'}}             | PEER_AGENT  | w",
        "{'data':{'source_id':'w'}}                             | PEER_AGENT  | w",
        "{'source_id':'','data':{'source_id':'w'}}              | PEER_AGENT  | w",
        "{'source':'webhook','source_id':'w'}                   | PEER_AGENT  | w",
        "{'source_id':'user'}                                   | CANVAS_USER | user",
        "{'data':{'source_id':'user'}}                          | CANVAS_USER | user",
        "{'source':'canvas_user','source_id':'w'}               | CANVAS_USER | w",
        "{'source':'system'}                                    | SYSTEM      |",
        "{'source':'system','source_id':null}                   | SYSTEM      |",
        "{'source':'system','source_id':'w'}                    | PEER_AGENT  | w",
        "{'source':'self'}                                      | UNKNOWN     |",
        "{}                                                     | UNKNOWN     |",
        "{'source':null,'data':null}                            | UNKNOWN     |",
        "{'source':7,'data':'text'}                             | UNKNOWN     |",
        "{'source':'CANVAS_USER'}                               | UNKNOWN     |",
      })
  void normalisesTheSource(String fields, InboundSource source, String sourceId) {
    InboundMessage message = message(fields);

    assertThat(message.source()).isEqualTo(source);
    assertThat(message.sourceId()).isEqualTo(sourceId == null ? "" : sourceId);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'data':{'text':'hi'}}                 | hi",
        "{'data':{'message':'hi'}}              | hi",
        "{'data':{'text':'','message':'hi'}}    | hi",
        "{'data':{'text':'hi','message':'no'}}  | hi",
        "{'data':{'text':null,'message':'hi'}}  | hi",
        "{'data':{'text':7}}                    | 7",
        "{'data':{}}                            | ``",
        "{'data':['text']}                      | ``",
        "{'text':'not here'}                    | ``",
      })
  void findsTheText(String fields, String text) {
    assertThat(message(fields).text()).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "{'id':''}", "{'id':null}", "[]", "7", "'text'", "null"})
  void ignoresRowsWithoutAnId(String row) {
    assertThat(InboundMessage.ofRow(json(row))).isEmpty();
  }

  @Test
  void keepsTheRawRow() {
    JsonNode row = json("{'id':'a-1','data':{'text':'hi'},'more':[1.50]}");

    assertThat(InboundMessage.ofRow(row).orElseThrow().raw()).isEqualTo(row);
  }

  @Test
  void findsTheMessageIdInTheRowOrItsRequest() {
    String request =
        "'request_body':{'params':{'message':{'messageId':'m-1','parts':[],"
            + "'metadata':{'delegation_id':'d-1','reply_to':'m-0'}}}}";

    InboundMessage ofData =
        message("{'data':{'message_id':'m-2','delegation_id':'d-2'}," + request + "}");
    InboundMessage ofRequest = message("{" + request + "}");

    assertThat(ofData.messageId()).isEqualTo("m-2");
    assertThat(ofData.delegationId()).isEqualTo("d-2");
    assertThat(ofRequest.messageId()).isEqualTo("m-1");
    assertThat(ofRequest.delegationId()).isEqualTo("d-1");
    assertThat(ofRequest.replyTo()).isEqualTo("m-0");
    assertThat(ofRequest.isAnswer()).isTrue();
  }

  @Test
  void distinguishesADelegatedTaskFromItsResult() {
    String task = "{'source':'peer_agent','source_id':'w','data':{'delegation_id':'d'}}";
    String result = "{'source':'system','data':{'delegation_id':'d','text':'done'}}";

    assertThat(message(task).isDelegatedTask()).isTrue();
    assertThat(message(task).isAnswer()).isFalse();
    assertThat(message(result).isDelegatedTask()).isFalse();
    assertThat(message(result).isAnswer()).isTrue();
  }

  @Test
  void distinguishesMessagesOfTwoSenders() {
    String one = "{'source_id':'w','data':{'message_id':'m-1'}}";
    String other = "{'source_id':'v','data':{'message_id':'m-1'}}";

    assertThat(message(one).identity()).isNotEqualTo(message(other).identity());
  }

  private static InboundMessage message(String fields) {
    String row =
        fields.replaceFirst("\\{", fields.startsWith("{}") ? "{'id':'a-1'" : "{'id':'a-1',");
    return InboundMessage.ofRow(json(row)).orElseThrow();
  }

  private static JsonNode json(String text) {
    return JsonMapper.shared().readTree(text.replace('\'', '"'));
  }
}
