package dev.muster.message.flow;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.platform.text.LosslessJson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

/** A stored response gets the id of the request at hand (R7.3). */
class JsonRpcTest {

  private static final JsonNode OWN = JsonNodeFactory.instance.stringNode("own \u00e9");

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"id\":1}}"
            + "|{\"jsonrpc\":\"2.0\",\"id\":\"own é\",\"result\":{\"id\":1}}",
        "{\"result\":{\"id\":1,\"é𝄞\":[{\"id\":2}]},\"id\":\"ü𝄞\\\"\" }"
            + "|{\"result\":{\"id\":1,\"é𝄞\":[{\"id\":2}]},\"id\":\"own é\" }",
        "{ \"id\" : null , \"error\" : {} }|{ \"id\" : \"own é\" , \"error\" : {} }",
        "{\"id\":-1.50e+3,\"jsonrpc\":\"2.0\"}|{\"id\":\"own é\",\"jsonrpc\":\"2.0\"}",
        "{\"\\ud800\":1,\"id\":true,\"result\":1}|{\"\\ud800\":1,\"id\":\"own é\",\"result\":1}",
        "data: {\"id\":1,\"result\":1}|data: {\"id\":\"own é\",\"result\":1}",
        "\ufeff{\"id\":1,\"result\":\"é\"}|\ufeff{\"id\":\"own é\",\"result\":\"é\"}",
      })
  void replacesOnlyTheIdOfTheResponse(String stored, String expected) {
    assertThat(withId(stored)).isEqualTo(expected);
  }

  @Test
  void keepsTheEndOfAnEvent() {
    assertThat(withId("data: {\"result\":1,\"id\":1}\n\n"))
        .isEqualTo("data: {\"result\":1,\"id\":\"own é\"}\n\n");
  }

  /** A task outside of a response has an id of its own. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "data: ",
        "data: oops",
        "[{\"id\":1,\"result\":1}]",
        "\"id\"",
        "{\"id\":\"t-1\",\"kind\":\"task\",\"status\":{\"state\":\"working\"}}",
        "{\"jsonrpc\":\"2.0\",\"result\":{\"id\":1}}",
        "{\"jsonrpc\":\"2.0\",\"id\":{\"id\":1},\"result\":1}",
      })
  void keepsADocumentWithoutTheIdOfAResponse(String stored) {
    assertThat(withId(stored)).isEqualTo(stored);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"1\"", "null", "12345678901234567890", "1.50", "1E+400"})
  void writesAnIdOfAnyTypeAsItWasSent(String id) {
    JsonNode own = LosslessJson.parse(id.getBytes(UTF_8));

    byte[] changed = JsonRpc.withId("{\"id\":\"x\",\"result\":1}".getBytes(UTF_8), own);

    assertThat(new String(changed, UTF_8)).isEqualTo("{\"id\":" + id + ",\"result\":1}");
  }

  @Test
  void doesNotCopyAResponseThatHasTheIdAlready() {
    byte[] stored = "{\"id\":1,\"result\":1}".getBytes(UTF_8);

    assertThat(JsonRpc.withId(stored, JsonNodeFactory.instance.numberNode(1))).isSameAs(stored);
  }

  @Test
  void findsTheIdBehindALargeResult() {
    String result = "[" + "{\"id\":\"é\"},".repeat(500_000) + "1]";

    String changed = withId("{\"result\":" + result + ",\"id\":1,\"jsonrpc\":\"2.0\"}");

    JsonNode read = JsonMapper.shared().readTree(changed);
    assertThat(read.path("id").asString()).isEqualTo("own é");
    assertThat(read.path("result")).hasSize(500_001);
    assertThat(changed).endsWith("1],\"id\":\"own é\",\"jsonrpc\":\"2.0\"}");
  }

  private static String withId(String stored) {
    return new String(JsonRpc.withId(stored.getBytes(UTF_8), OWN), UTF_8);
  }
}
