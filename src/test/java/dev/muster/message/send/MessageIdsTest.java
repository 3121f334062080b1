package dev.muster.message.send;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.store.MessageIdentity;
import dev.muster.message.store.Sender;
import dev.muster.platform.text.LosslessJson;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What makes two messages the same (R7.3). */
class MessageIdsTest {

  private static final String MESSAGE =
      "{'messageId':'m','role':'user','parts':[{'kind':'text','text':'hi'}],'x':{'a':1,'b':2.0}}";

  private static MessageIdentity of(String method, String message) {
    return of(method, message, Sender.CANVAS);
  }

  private static MessageIdentity of(String method, String message, Sender sender) {
    String request = "{'method':'" + method + "','params':{'message':" + message + "}}";
    byte[] json = request.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    return Objects.requireNonNull(
        NormalizedRequest.of(LosslessJson.parse(json), sender, UUID::randomUUID).identity());
  }

  private static MessageIdentity named(String id) {
    return of("message/send", "{'messageId':'" + id + "','parts':[]}");
  }

  @Test
  void areTheHashesOfTheIdAndOfTheContent() {
    // printf '\0m' | sha256sum, and the same of the JSON text with sorted members
    MessageIdentity identity =
        of("message/send", "{'messageId':'m','role':'user','parts':[],'metadata':{}}");

    assertThat(identity.key())
        .isEqualTo("8c941a526a0adc76166600d48309556769aac616405011874d3ca7c2048064e7");
    assertThat(identity.contentHash())
        .isEqualTo("7c0f86fd38fe10941b642399c4ec88c004f8ad8c055894deb79e83a35e80c0e9");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'x':{'b':2.0,'a':1},'parts':[{'text':'hi','kind':'text'}],'role':'user','messageId':'m'}",
        "{'messageId':'m','parts':[{'type':'text','text':'hi'}],'x':{'a':1,'b':2.0}}",
        "{'messageId':'m','content':'hi','x':{'a':1,'b':2.0}}",
        "{'messageId':'m','content':'hi','x':{'a':1,'b':2.0},'metadata':{'try':2,'sender':1}}"
      })
  void areTheSameForMessagesWithTheSameNormalForm(String message) {
    assertThat(of("message/send", message)).isEqualTo(of("message/send", MESSAGE));
  }

  @Test
  void leaveTheSenderOut() {
    assertThat(of("message/send", MESSAGE, new Sender(UUID.randomUUID())))
        .isEqualTo(of("message/send", MESSAGE));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          'hi'      | 'hi '
          'hi'      | 'Hi'
          'user'    | 'agent'
          2.0       | 2
          2.0       | 2.00
          'a':1     | 'a':null
          'x':      | 'y':
          'b':2.0   | 'c':2.0
          }],       | },{}],
          """)
  void distinguishAnotherContentUnderTheSameId(String there, String instead) {
    String other = MESSAGE.replaceFirst(Pattern.quote(there), instead);

    assertThat(other).isNotEqualTo(MESSAGE);
    assertThat(of("message/send", other).key()).isEqualTo(of("message/send", MESSAGE).key());
    assertThat(of("message/send", other).contentHash())
        .isNotEqualTo(of("message/send", MESSAGE).contentHash());
  }

  @Test
  void distinguishAnotherMethod() {
    assertThat(of("message/stream", MESSAGE).contentHash())
        .isNotEqualTo(of("message/send", MESSAGE).contentHash());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          m       | M
          m       | m\\u0000
          \\ud800 | \\ud801
          \\ud800 | \\ufffd
          \\ud800 | ?
          é       | e\\u0301
          12      | 1\\u00002
          """)
  void distinguishIds(String one, String other) {
    assertThat(named(one).key()).isNotEqualTo(named(other).key());
    assertThat(named(one).key()).isEqualTo(named(one).key());
  }

  @Test
  void areForMessagesOnly() {
    NormalizedRequest request =
        NormalizedRequest.of(
            LosslessJson.parse("{\"method\":\"GetTask\"}".getBytes(StandardCharsets.UTF_8)),
            Sender.CANVAS,
            UUID::randomUUID);

    assertThat(request.identity()).isNull();
  }
}
