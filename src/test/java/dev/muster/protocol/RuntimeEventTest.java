package dev.muster.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.protocol.RuntimeEvent.RuntimeEnd;
import dev.muster.protocol.RuntimeEvent.RuntimeError;
import dev.muster.protocol.RuntimeEvent.RuntimeStart;
import dev.muster.protocol.RuntimeEvent.RuntimeStderr;
import dev.muster.protocol.RuntimeEvent.RuntimeStdout;
import dev.muster.protocol.RuntimeEvent.UndecodableEventException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The five runtime events on the wire (R9.1), with the cases of seed 003 and the extremes. */
class RuntimeEventTest {

  static Stream<Arguments> eventsAndEnvelopes() {
    return Stream.of(
        Arguments.of(
            new RuntimeStart("analyse", "run_python", "python"),
            """
            {"type":"RuntimeStart","payload":{"task_name":"analyse","runtime_name":"run_python","language":"python"}}\
            """),
        Arguments.of(
            new RuntimeStdout("t", "hello\n"),
            """
            {"type":"RuntimeStdout","payload":{"task_name":"t","chunk":"hello\\n"}}\
            """),
        Arguments.of(
            new RuntimeStderr("t", "warn: deprecated\n"),
            """
            {"type":"RuntimeStderr","payload":{"task_name":"t","chunk":"warn: deprecated\\n"}}\
            """),
        Arguments.of(
            new RuntimeEnd("t", 0, 1234),
            """
            {"type":"RuntimeEnd","payload":{"task_name":"t","exit_code":0,"duration_ms":1234}}\
            """),
        Arguments.of(
            new RuntimeError("t", "Timeout", "exceeded 30s budget"),
            """
            {"type":"RuntimeError","payload":{"task_name":"t","kind":"Timeout","message":"exceeded 30s budget"}}\
            """),
        Arguments.of(
            new RuntimeEnd("t", Integer.MIN_VALUE, RuntimeEnd.MAX_MS),
            """
            {"type":"RuntimeEnd","payload":{"task_name":"t","exit_code":-2147483648,"duration_ms":18446744073709551615}}\
            """),
        Arguments.of(
            new RuntimeEnd("", Integer.MAX_VALUE, new BigInteger("9223372036854775808")),
            """
            {"type":"RuntimeEnd","payload":{"task_name":"","exit_code":2147483647,"duration_ms":9223372036854775808}}\
            """),
        Arguments.of(
            new RuntimeStdout("é", "😀\0\ud83d|\ude00"),
            """
            {"type":"RuntimeStdout","payload":{"task_name":"é","chunk":"😀\\u0000\\ud83d|\\ude00"}}\
            """));
  }

  @ParameterizedTest
  @MethodSource("eventsAndEnvelopes")
  void isWrittenCompactlyAndReadBackEqual(RuntimeEvent event, String envelope) {
    assertThat(event.encode()).isEqualTo(envelope);
    String overTheWire =
        new String(event.encode().getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    assertThat(RuntimeEvent.decode(overTheWire)).isEqualTo(event);
    assertThat(RuntimeEvent.decode(envelope)).isEqualTo(event);
  }

  @Test
  void keepsANegativeExitCode() {
    RuntimeEvent killed =
        RuntimeEvent.decode(
            """
            {"type":"RuntimeEnd","payload":{"task_name":"t","exit_code":-9,"duration_ms":50}}
            """);

    assertThat(killed).isEqualTo(new RuntimeEnd("t", -9, 50));
  }

  @Test
  void cutsFractions() {
    RuntimeEvent end =
        RuntimeEvent.decode(
            """
            {"type":"RuntimeEnd","payload":{"task_name":"t","exit_code":-9.0,"duration_ms":1e3}}
            """);

    assertThat(end).isEqualTo(new RuntimeEnd("t", -9, 1000));
  }

  @Test
  void keepsAnUnknownWord() {
    RuntimeError error = new RuntimeError("t", "FutureKindFromNewerEngine", "?");

    assertThat(error.errorKind()).isEqualTo(RuntimeErrorKind.UNKNOWN);
    assertThat(RuntimeEvent.decode(error.encode())).isEqualTo(error);
  }

  @Test
  void ignoresUnknownFields() {
    RuntimeEvent event =
        RuntimeEvent.decode(
            """
            {"v":2,"payload":{"at":[1,{"deep":null}],"chunk":"x","task_name":"t","chunk_no":7},"type":"RuntimeStderr"}
            """);

    assertThat(event).isEqualTo(new RuntimeStderr("t", "x"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'type':'RuntimeFoo','payload':{'task_name':'t'}}",
        "{'type':'TaskStart','payload':['t',null]}",
        "{'type':'runtimestart','payload':{'task_name':'t','runtime_name':'r','language':'l'}}",
        "{'type':7,'payload':{}}",
        "{'payload':{'task_name':'t','chunk':'x'}}",
        "{'type':'RuntimeStdout'}",
        "{'type':'RuntimeStdout','payload':null}",
        "{'type':'RuntimeStdout','payload':['t','x']}",
        "{'type':'RuntimeStdout','payload':{'chunk':'x'}}",
        "{'type':'RuntimeStdout','payload':{'task_name':'t'}}",
        "{'type':'RuntimeStdout','payload':{'task_name':'t','chunk':null}}",
        "{'type':'RuntimeStdout','payload':{'task_name':1,'chunk':'x'}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':2147483648,'duration_ms':1}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':-2147483649,'duration_ms':1}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':2147483648.0,'duration_ms':1}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':'0','duration_ms':1}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':0,'duration_ms':-1}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':0,'duration_ms':18446744073709551616}}",
        "{'type':'RuntimeEnd','payload':{'task_name':'t','exit_code':0,'duration_ms':1e400}}",
        "{'type':'RuntimeError','payload':{'task_name':'t','kind':'Timeout'}}",
        "[]",
        "null",
        "'RuntimeStart'",
        "{'type':'RuntimeStdout'",
        "{} {}",
        ""
      })
  void refusesOtherEventsWithAReason(String json) {
    assertThatThrownBy(() -> RuntimeEvent.decode(json.replace('\'', '"')))
        .isInstanceOf(UndecodableEventException.class)
        .hasMessageMatching("(?s)(.*\\(expected: .*\\))|(not valid JSON: .*)");
  }

  @Test
  void refusesTooDeepNesting() {
    String deep = "[".repeat(5_000) + "]".repeat(5_000);

    assertThatThrownBy(() ->
            RuntimeEvent.decode(
                "{\"type\":\"RuntimeStdout\",\"payload\":{\"task_name\":\"t\",\"chunk\":"
                    + deep
                    + "}}"))
        .isInstanceOf(UndecodableEventException.class);
  }

  @Test
  void namesTheValueAndTheExpectation() {
    assertThatThrownBy(() ->
            RuntimeEvent.decode(
                """
                {"type":"RuntimeEnd","payload":{"task_name":"t","exit_code":3000000000,"duration_ms":1}}
                """))
        .hasMessage(
            "payload.exit_code: 3000000000 (expected: a whole number, -2147483648..2147483647)");
    assertThatThrownBy(() -> RuntimeEvent.decode("{\"type\":\"TaskStart\"}"))
        .hasMessage(
            "type: \"TaskStart\" (expected: RuntimeStart, RuntimeStdout, RuntimeStderr, RuntimeEnd"
                + " or RuntimeError)");
    assertThatThrownBy(() -> RuntimeEvent.decode("{\"type\":\"RuntimeStdout\",\"payload\":{}}"))
        .hasMessage("payload.task_name is missing (expected: a text)");
  }

  @Test
  void refusesADurationThatTheWireCannotHold() {
    for (BigInteger bad : List.of(BigInteger.valueOf(-1), RuntimeEnd.MAX_MS.add(BigInteger.ONE))) {
      assertThatThrownBy(() -> new RuntimeEnd("t", 0, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(bad.toString());
    }
  }
}
