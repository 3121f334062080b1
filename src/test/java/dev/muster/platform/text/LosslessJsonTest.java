package dev.muster.platform.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

class LosslessJsonTest {

  private static JsonNode parse(String json) {
    return LosslessJson.parse(json.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.50",
        "0.10000000000000000555",
        "123456789012345678901234567890",
        "3.14159265358979323846264338327950288",
        "-0.000",
        "1E+400",
        "9007199254740993",
        "{\"b\":1,\"a\":{\"d\":null,\"c\":[true,{}]},\"\":\"\"}",
        "\"é ☃ 😀 \u2028\"",
        "\"\\u0000\\\"\\\\\"",
        "\"\\ud800\"",
        "\"\\udc00\\ud800 \\ud83d\"",
        "{\"\\udfff\":\"\\u0000\"}"
      })
  void writesTheTextThatItRead(String json) {
    String expected = json.equals("-0.000") ? "0.000" : json; // zero has no sign

    assertThat(LosslessJson.write(parse(json)).text()).isEqualTo(expected);
  }

  @Test
  void escapesWhatUtf8CannotEncode() {
    String loneHigh = "\ud83d";
    String loneLow = "\ude00";
    String text = loneLow + "a" + loneHigh + "😀" + loneHigh + loneHigh + loneLow + loneHigh;

    String json = LosslessJson.write(JsonNodeFactory.instance.stringNode(text)).text();

    assertThat(json).isEqualTo("\"\\ude00a\\ud83d😀\\ud83d😀\\ud83d\"");
    assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(json)).isTrue();
    assertThat(parse(json).stringValue()).isEqualTo(text);
  }

  @Test
  void hasOneCanonicalTextForAllOrdersOfMembers() {
    String one = "{\"a\":[{\"x\":1,\"y\":{\"p\":1,\"q\":\"\\ud800\"}}],\"b\":2}";
    String other = "{\"b\":2,\"a\":[{\"y\":{\"q\":\"\\ud800\",\"p\":1},\"x\":1}]}";

    assertThat(LosslessJson.canonical(parse(other))).isEqualTo(one);
    assertThat(LosslessJson.canonical(parse(one))).isEqualTo(one);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      textBlock =
          """
          [1,2] | [2,1]
          1     | 1.0
          1.0   | 1.00
          1     | "1"
          {}    | {"a":null}
          "\\ud800" | "\\ud801"
          "\\ud800" | "\\\\ud800"
          "\\u0000" | "\\ufffd"
          """)
  void hasDifferentCanonicalTextsForDifferentValues(String one, String other) {
    assertThat(LosslessJson.canonical(parse(one)))
        .isNotEqualTo(LosslessJson.canonical(parse(other)));
  }

  @Test
  void refusesTextsWhoseTreeWouldBeFarLarger() {
    assertThat(parse("[" + "{},".repeat(400_000) + "1]").size()).isEqualTo(400_001);
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> parse("[" + "{},".repeat(600_000) + "1]"))
        .withMessageStartingWith("invalid JSON: ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "{} {}",
        "{} x",
        "nul",
        "{\"a\":NaN}",
        "{'a':1}",
        "{\"a\":1,}",
        "\"\n\"",
        "01",
        "\"\\u12\""
      })
  void refusesTextsThatAreNotOneValue(String text) {
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> parse(text))
        .withMessageStartingWith("invalid JSON: ")
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED));
  }

  @Test
  void refusesTextsThatAreNotUtf8() {
    for (byte[] bytes :
        new byte[][] {{'"', (byte) 0xff, '"'}, {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}}) {
      assertThatExceptionOfType(ProblemException.class)
          .isThrownBy(() -> LosslessJson.parse(bytes))
          .withMessage("invalid JSON: the body is not UTF-8");
    }
  }

  @Test
  void acceptsFiveHundredLevelsAndNoMore() {
    String deepest = "[".repeat(500) + "]".repeat(500);

    assertThat(LosslessJson.write(parse(deepest)).text()).isEqualTo(deepest);
    assertThat(LosslessJson.canonical(parse(deepest))).isEqualTo(deepest);
    assertThatExceptionOfType(ProblemException.class)
        .isThrownBy(() -> parse("[" + deepest + "]"))
        .withMessageStartingWith("invalid JSON: ");
  }
}
