package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.protocol.MessageContent.Attachment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class MessageContentTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static JsonNode json(String singleQuoted) {
    return JSON.readTree(singleQuoted.replace('\'', '"'));
  }

  private static MessageContent ofMessage(String message) {
    return MessageContent.ofRequest(
        json("{'jsonrpc':'2.0','method':'message/send','params':{'message':" + message + "}}"));
  }

  private static MessageContent ofParts(String parts) {
    return ofMessage("{'parts':[" + parts + "]}");
  }

  @Test
  void joinsTheTextPartsOfAllForms() {
    MessageContent content =
        ofParts(
            "{'kind':'text','text':'one'},{'type':'text','text':'two'},{'text':'three'},"
                + "{'kind':'data','data':{'text':'no'}},{'kind':'text','text':''},"
                + "{'kind':'data','text':'no'},{'type':'image','text':'no'},"
                + "{'kind':'text','type':'data','text':'four'}");

    assertThat(content.text()).isEqualTo("one\ntwo\nthree\n\nfour");
    assertThat(content.attachments()).isEmpty();
  }

  @Test
  void readsIdsThatAreTexts() {
    MessageContent content =
        ofMessage("{'messageId':'m-1','metadata':{'delegation_id':'d-1'},'parts':[]}");

    assertThat(content).isEqualTo(new MessageContent("", "m-1", "d-1", List.of()));
  }

  @Test
  void readsTheOtherNameOfTheId() {
    assertThat(ofMessage("{'message_id':'m-1','parts':[]}").messageId()).isEqualTo("m-1");
    assertThat(ofMessage("{'message_id':'m-1','messageId':'m-2','parts':[]}").messageId())
        .isEqualTo("m-2");
  }

  @Test
  void keepsTextsUnchanged() {
    String odd = "a\\u0000b\\ud800c\\ufffd";

    MessageContent content =
        ofMessage(
            "{'messageId':'%1$s','metadata':{'delegation_id':'%1$s'},'parts':[{'text':'%1$s'}]}"
                .formatted(odd));

    assertThat(content.text()).isEqualTo("a\0b\ud800c\ufffd");
    assertThat(content.messageId()).isEqualTo("a\0b\ud800c\ufffd");
    assertThat(content.delegationId()).isEqualTo("a\0b\ud800c\ufffd");
  }

  @Test
  void readsAMessageInEachPlace() {
    String message = "{'messageId':'m','parts':[{'text':'hi'}]}";
    MessageContent expected = new MessageContent("hi", "m", null, List.of());

    assertThat(ofMessage(message)).isEqualTo(expected);
    assertThat(MessageContent.ofRequest(json("{'message':" + message + "}"))).isEqualTo(expected);
    assertThat(MessageContent.ofRequest(json(message))).isEqualTo(expected);
  }

  @Test
  void readsTheOldContentWithoutParts() {
    assertThat(ofMessage("{'content':'hi'}").text()).isEqualTo("hi");
    assertThat(ofMessage("{'content':[{'type':'text','text':'hi'}]}").text()).isEqualTo("hi");
    assertThat(ofMessage("{'content':'old','parts':[{'text':'new'}]}").text()).isEqualTo("new");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          {'kind':'file','file':{'uri':'u','name':'n','mimeType':'m'}} | file  | u | m | n
          {'type':'file','file':{'uri':'u','name':'n','mimeType':'m'}} | file  | u | m | n
          {'kind':'image','file':{'uri':'u'}}                          | image | u | - | -
          {'file':{'uri':'u','name':5,'mimeType':null}}                | file  | u | - | -
          {'file':{'uri':'u','bytes':'eA=='}}                          | file  | u | - | -
          {'url':'u','filename':'n','mediaType':'m'}                   | file  | u | m | n
          {'uri':'u','name':'n','mediaType':'m'}                       | file  | u | m | n
          {'kind':'audio','url':'u'}                                   | audio | u | - | -
          """)
  void findsAReferencedFile(
      String part, String kind, String uri, @Nullable String mimeType, @Nullable String name) {
    Attachment expected = new Attachment(kind, uri, mimeType, name);

    assertThat(ofParts(part).attachments()).containsExactly(expected);
    assertThat(MessageContent.attachmentsOf(json("[5," + part + "," + part + "]")))
        .containsExactly(expected, expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'kind':'file','file':{'bytes':'eA==','name':'n'}}",
        "{'kind':'file','file':{'uri':''}}",
        "{'kind':'file','file':{'uri':5}}",
        "{'kind':'file','file':'u'}",
        "{'kind':'file'}",
        "{'raw':'eA==','filename':'n'}",
        "{'kind':'text','text':'t','url':'u'}",
        "{'kind':'data','data':{'uri':'u'},'uri':'u'}",
        "{'text':'t'}",
        "'u'",
        "null",
        "[{'url':'u'}]"
      })
  void findsNoOtherAttachments(String part) {
    assertThat(ofParts(part).attachments()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "5",
        "'text'",
        "[]",
        "{}",
        "[{'message':{'parts':[{'text':'hi'}]}}]",
        "{'params':null}",
        "{'params':[{'message':{'parts':[{'text':'hi'}]}}]}",
        "{'params':{'message':'hi'}}",
        "{'params':{'message':[]}}",
        "{'params':{'message':null}}",
        "{'params':{'id':'task'},'message':{'parts':[{'text':'hi'}]}}",
        "{'params':{'message':{}}}",
        "{'params':{'message':{'messageId':5,'metadata':{'delegation_id':{}},'parts':'hi'}}}",
        "{'params':{'message':{'messageId':'','metadata':'d','parts':{'a':{'text':'hi'}}}}}",
        "{'params':{'message':{'content':{'text':'hi'},'metadata':{'delegation_id':''}}}}",
        "{'params':{'message':{'parts':[null,5,'hi',[],{},{'kind':'text'},{'text':5}]}}}"
      })
  void isEmptyWithoutAMessageOrText(String request) {
    assertThat(MessageContent.ofRequest(json(request))).isEqualTo(MessageContent.EMPTY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "5", "'u'", "{'a':{'url':'u'}}", "[]"})
  void findsNoAttachmentsWithoutAnArrayOfParts(String parts) {
    assertThat(MessageContent.attachmentsOf(json(parts))).isEmpty();
  }
}
