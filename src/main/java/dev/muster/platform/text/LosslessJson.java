package dev.muster.platform.text;

import dev.muster.platform.problem.ProblemException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes JSON documents without loss.
 *
 * <p>The digits of numbers and the order of members are kept. Characters that UTF-8 or PostgreSQL
 * cannot store are written as escapes.
 */
public final class LosslessJson {

  /**
   * Bounds the memory of a tree.
   *
   * <p>Small values make the largest trees: two bytes sent can take a hundred bytes of heap.
   */
  private static final long MAX_TOKENS = 1_000_000;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxTokenCount(MAX_TOKENS).build())
                  .build())
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private static final JsonMapper SORTING =
      MAPPER.rebuild().enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED).build();

  private LosslessJson() {}

  /**
   * Parses one JSON value in UTF-8. Refuses anything else, or too deep nesting, with {@code
   * VALIDATION_FAILED}.
   */
  public static JsonNode parse(byte[] utf8) {
    try {
      JsonNode value = MAPPER.readTree(text(utf8));
      if (value.isMissingNode()) {
        throw invalid("the body is empty");
      }
      return value;
    } catch (JacksonException e) {
      throw invalid(JsonFields.reason(e));
    } catch (NumberFormatException beyondBigDecimal) {
      throw invalid("a number's exponent is out of range");
    }
  }

  private static String text(byte[] utf8) {
    try {
      return decode(utf8);
    } catch (CharacterCodingException e) {
      throw invalid("the body is not UTF-8");
    }
  }

  /**
   * Decodes UTF-8 strictly, because a byte parser accepts some malformed sequences; drops a byte
   * order mark.
   */
  static String decode(byte[] utf8) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }

  private static ProblemException invalid(String reason) {
    return ProblemException.validation("invalid JSON: " + reason);
  }

  /** Writes text that PostgreSQL's {@code json} type accepts and UTF-8 can encode. */
  public static RawJson write(JsonNode value) {
    return new RawJson(withLoneSurrogatesEscaped(MAPPER.writeValueAsString(value)));
  }

  /** Writes the members sorted at every depth, so that equal documents give equal texts. */
  public static String canonical(JsonNode value) {
    return withLoneSurrogatesEscaped(SORTING.writeValueAsString(value));
  }

  /**
   * Escapes lone surrogates. JSON has them only in strings, where an escape means the same
   * character.
   */
  private static String withLoneSurrogatesEscaped(String json) {
    StringBuilder escaped = new StringBuilder();
    int copied = 0;
    for (int i = 0; i < json.length(); i++) {
      char c = json.charAt(i);
      if (!Character.isSurrogate(c)) {
        continue;
      }
      if (i + 1 < json.length() && Character.isSurrogatePair(c, json.charAt(i + 1))) {
        i++;
      } else {
        escaped.append(json, copied, i).append("\\u").append(HexFormat.of().toHexDigits(c));
        copied = i + 1;
      }
    }
    return copied == 0 ? json : escaped.append(json, copied, json.length()).toString();
  }
}
