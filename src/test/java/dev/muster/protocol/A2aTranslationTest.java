package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Requests of A2A 0.3 as ones of 1.0, and answers the other way (R7.13). */
class A2aTranslationTest {

  private static final JsonMapper JSON = JsonMapper.shared();

  private static ObjectNode parsed(String singleQuoted) {
    return (ObjectNode) JSON.readTree(singleQuoted.replace('\'', '"'));
  }

  private static ObjectNode request(String method, String params) {
    return parsed("{'jsonrpc':'2.0','id':'1','method':'" + method + "','params':" + params + "}");
  }

  private static ObjectNode answer(String result) {
    return parsed("{'jsonrpc':'2.0','id':'1','result':" + result + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'message':{'kind':'message','messageId':'m','role':'user','contextId':'c','parts':[{'kind':'text','text':'hi'}],'metadata':{'kind':'x'}}}"
            + " | {'message':{'messageId':'m','role':'ROLE_USER','contextId':'c','parts':[{'text':'hi'}],'metadata':{'kind':'x'}}}",
        "{'message':{'role':'agent','parts':[{'kind':'data','data':{'n':1},'metadata':{'a':1}}]}}"
            + " | {'message':{'role':'ROLE_AGENT','parts':[{'data':{'n':1},'metadata':{'a':1}}]}}",
        "{'message':{'parts':[{'kind':'file','file':{'uri':'u','mimeType':'t','name':'n'}},{'kind':'file','file':{'bytes':'QQ=='}}]}}"
            + " | {'message':{'parts':[{'url':'u','mediaType':'t','filename':'n'},{'raw':'QQ=='}]}}",
        "{'message':{'role':'ROLE_USER','parts':7},'configuration':{'blocking':false,'historyLength':3},'priority':10}"
            + " | {'message':{'role':'ROLE_USER','parts':7},'configuration':{'historyLength':3,'returnImmediately':true},'priority':10}",
        "{'configuration':{'pushNotificationConfig':{'url':'u','token':'t','authentication':{'schemes':['Bearer'],'credentials':'c'}}}}"
            + " | {'configuration':{'taskPushNotificationConfig':{'url':'u','token':'t','authentication':{'credentials':'c','scheme':'Bearer'}}}}",
        "[] | []",
      })
  void requests(String params, String translated) {
    ObjectNode sent = request("message/send", params);

    assertThat(A2aTranslation.requestTo1(sent)).isEqualTo(request("SendMessage", translated));
    assertThat(sent).isEqualTo(request("message/send", params));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'kind':'text','text':'a','metadata':{'b':1}} | {'text':'a','metadata':{'b':1}}",
        "{'kind':'data','data':{'a':1}} | {'data':{'a':1}}",
        "{'kind':'file','file':{'uri':'u','name':'n'}} | {'url':'u','filename':'n'}",
        "{'kind':'file','file':{'bytes':'eA=='},'x':1} | {'x':1,'raw':'eA=='}",
        "7 | 7"
      })
  void messagesOfAgentsInAnyForm(String old, String new1) {
    for (String part : List.of(old, new1)) {
      String sent = "{'messageId':'m','role':'user','parts':[" + part + "],'x':[1]}";
      ObjectNode message = parsed(sent);

      assertThat(A2aTranslation.messageOfAgent(message, A2aVersion.V1_0))
          .isEqualTo(parsed(sent.replace(part, new1).replace("user", "ROLE_AGENT")));
      assertThat(A2aTranslation.messageOfAgent(message, A2aVersion.V0_3))
          .isEqualTo(
              parsed(
                  sent.replace(part, old)
                      .replace("'user'", "'agent'")
                      .replace("'x':[1]", "'x':[1],'kind':'message'")));
      assertThat(message).isEqualTo(parsed(sent));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'message':{'messageId':'a','role':'ROLE_AGENT','parts':[{'text':'hi'},{'data':[1]},{'url':'u','filename':'n'},{'odd':1}]}}"
            + " | {'messageId':'a','role':'agent','parts':[{'text':'hi','kind':'text'},{'data':{'value':[1]},'kind':'data'},{'kind':'file','file':{'uri':'u','name':'n'}},{'odd':1}],'kind':'message'}",
        "{'task':{'id':'t','status':{'state':'TASK_STATE_INPUT_REQUIRED','message':{'role':'ROLE_AGENT','parts':[{'text':'which?'}]}},'history':[{'role':'ROLE_USER'}],'artifacts':[{'artifactId':'x','parts':[{'raw':'QQ==','mediaType':'t'}]}]}}"
            + " | {'id':'t','status':{'state':'input-required','message':{'role':'agent','parts':[{'text':'which?','kind':'text'}],'kind':'message'}},'history':[{'role':'user','kind':'message'}],'artifacts':[{'artifactId':'x','parts':[{'kind':'file','file':{'bytes':'QQ==','mimeType':'t'}}]}],'kind':'task'}",
        "{'task':{'status':{'state':'TASK_STATE_UNSPECIFIED'}}} |"
            + " {'status':{'state':'unknown'},'kind':'task'}",
        "{'task':{'status':{'state':'working'}}} | {'status':{'state':'working'},'kind':'task'}",
        "{'kind':'message','parts':[]} | {'kind':'message','parts':[]}",
        "7 | 7",
      })
  void answers(String result, String translated) {
    ObjectNode sent = answer(result);

    assertThat(A2aTranslation.answerTo03(sent)).isEqualTo(answer(translated));
    assertThat(sent).isEqualTo(answer(result));
  }
}
