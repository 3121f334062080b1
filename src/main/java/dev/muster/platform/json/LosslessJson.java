package dev.muster.platform.json;

import dev.muster.platform.problem.ProblemException;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Documents that are read, changed in places and written again, where the rest must come out as it
 * went in: every digit of a number, the order of members, and characters that neither UTF-8 nor
 * PostgreSQL has room for, which are written as escapes.
 */
public final class LosslessJson {

  /** Small values make the largest trees, a hundred bytes for two that were sent. */
  private static final long MAX_TOKENS = 1_000_000;

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
   * Refuses with {@code VALIDATION_FAILED} what is not one JSON value in UTF-8, or is nested too
   * deep.
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
      return Utf8.text(utf8);
    } catch (CharacterCodingException e) {
      throw invalid("the body is not UTF-8");
    }
  }

  private static ProblemException invalid(String reason) {
    return ProblemException.validation("invalid JSON: " + reason);
  }

  /** As text that PostgreSQL's {@code json} takes and UTF-8 can carry. */
  public static RawJson write(JsonNode value) {
    return new RawJson(withLoneSurrogatesEscaped(MAPPER.writeValueAsString(value)));
  }

  /** One text for all orders of members, at every depth. */
  public static String canonical(JsonNode value) {
    return withLoneSurrogatesEscaped(SORTING.writeValueAsString(value));
  }

  /** Characters beyond ASCII stand only in strings, where an escape means the same. */
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
