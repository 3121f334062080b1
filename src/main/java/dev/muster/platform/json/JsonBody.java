package dev.muster.platform.json;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.Text;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One JSON object of a request, read by the conventions of R0.1: unknown fields are ignored, text
 * too long is cut, numbers out of range are clamped, and only what is missing or of a wrong type is
 * refused, with a message that says what was expected. Explicit nulls count as absent unless a
 * caller asks for the {@link Field}.
 */
public final class JsonBody {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();
  private static final int SHOWN_OF_A_BAD_VALUE = 60;

  private record Located(JsonNode value, int start, int end) {}

  private final byte[] utf8;
  private final Map<String, Located> fields;

  private JsonBody(byte[] utf8, Map<String, Located> fields) {
    this.utf8 = utf8;
    this.fields = fields;
  }

  /** Refuses with {@code VALIDATION_FAILED} whatever is not one JSON object in UTF-8. */
  public static JsonBody parse(byte[] utf8) {
    if (utf8.length == 0) {
      throw ProblemException.validation("the body is empty (expected: a JSON object)");
    }
    requireUtf8(utf8);
    try (JsonParser parser = MAPPER.createParser(utf8)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw ProblemException.validation("the body is not a JSON object");
      }
      Map<String, Located> fields = new HashMap<>();
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        fields.put(name, locate(parser));
      }
      if (parser.nextToken() != null) {
        throw ProblemException.validation("the body goes on after the end of the JSON object");
      }
      return new JsonBody(utf8, fields);
    } catch (JacksonException e) {
      throw ProblemException.validation("the body is not valid JSON: " + reason(e));
    }
  }

  /** The parser forgives forms that are not UTF-8; what is kept byte for byte must be. */
  private static void requireUtf8(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
    } catch (CharacterCodingException e) {
      throw ProblemException.validation("the body is not UTF-8 (expected: JSON in UTF-8)");
    }
  }

  private static Located locate(JsonParser parser) {
    boolean structured = parser.nextToken().isStructStart();
    long start = structured ? parser.currentTokenLocation().getByteOffset() : 0;
    JsonNode value = parser.readValueAsTree();
    long end = structured ? parser.currentLocation().getByteOffset() : 0;
    if (start < 0 || end < 0) {
      throw ProblemException.validation("the body is not UTF-8 (expected: JSON in UTF-8)");
    }
    return new Located(value, (int) start, (int) end);
  }

  private static String reason(JacksonException e) {
    var where = e.getLocation();
    String at =
        where == null
            ? ""
            : " (line " + where.getLineNr() + ", column " + where.getColumnNr() + ")";
    return Text.clean(Text.cut(e.getOriginalMessage(), 200)) + at;
  }

  /** For documents of others, where a field of another type is none of our business. */
  public boolean isText(String name) {
    return given(name).filter(JsonNode::isString).isPresent();
  }

  /** Cleaned (R0.8) and cut on code points. */
  public Optional<String> text(String name, int maxCodePoints) {
    return given(name).map(value -> textOf(name, value, maxCodePoints));
  }

  public String requiredText(String name, int maxCodePoints) {
    return text(name, maxCodePoints)
        .filter(value -> !value.isBlank())
        .orElseThrow(() -> missing(name, "a text of 1 to " + maxCodePoints + " characters"));
  }

  /** {@code ""} counts as absent (R0.3). */
  public Optional<UUID> id(String name) {
    return given(name)
        .map(value -> textOf(name, value, Integer.MAX_VALUE))
        .filter(text -> !text.isEmpty())
        .map(Ids::parse);
  }

  /** {@code ""} counts as absent here too (R0.3); null is a value. */
  public Field<UUID> idField(String name) {
    boolean empty =
        given(name).filter(value -> value.isString() && value.stringValue().isEmpty()).isPresent();
    return empty ? new Field.Absent<>() : field(name, () -> id(name));
  }

  public UUID requiredId(String name) {
    return id(name).orElseThrow(() -> missing(name, "a UUID"));
  }

  public Optional<Integer> integer(String name, int min, int max) {
    return given(name).map(value -> (int) clamped(name, value, min, max));
  }

  public Optional<Long> longInteger(String name, long min, long max) {
    return given(name).map(value -> clamped(name, value, min, max));
  }

  /** NaN and infinities, also as too large an exponent, are refused. */
  public Optional<Double> number(String name, double min, double max) {
    return given(name).map(value -> Math.clamp(finite(name, value, "a number"), min, max));
  }

  public Optional<Boolean> flag(String name) {
    return given(name)
        .map(value -> expect(value.isBoolean(), name, value, "true or false").booleanValue());
  }

  /** An object as a body of its own, for its fields. */
  public Optional<JsonBody> object(String name) {
    return rawObject(name).map(raw -> parse(raw.text().getBytes(StandardCharsets.UTF_8)));
  }

  /** An object, byte for byte as it was sent. */
  public Optional<RawJson> rawObject(String name) {
    return given(name)
        .map(value -> {
          expect(value.isObject(), name, value, "a JSON object");
          return slice(name);
        });
  }

  public RawJson requiredRawObject(String name) {
    return rawObject(name).orElseThrow(() -> missing(name, "a JSON object"));
  }

  /** At most {@code maxItems} texts; what is beyond is left out. */
  public Optional<List<String>> texts(String name, int maxItems, int maxCodePoints) {
    return given(name).map(value -> textsOf(name, value, maxItems, maxCodePoints));
  }

  private static List<String> textsOf(
      String name, JsonNode value, int maxItems, int maxCodePoints) {
    expect(value.isArray(), name, value, "an array of texts");
    List<String> texts = new ArrayList<>();
    for (JsonNode item : value) {
      String text = textOf(name + "[]", item, maxCodePoints);
      if (texts.size() < maxItems) {
        texts.add(text);
      }
    }
    return texts;
  }

  /** The names of all fields, in no order. */
  public Set<String> names() {
    return Set.copyOf(fields.keySet());
  }

  /** Whether the sender wrote the field, be it as null. */
  public boolean has(String name) {
    return fields.containsKey(name);
  }

  /**
   * {@code read} is one of this body's readers, for example {@code body.field("role", () ->
   * body.text("role", 255))}.
   */
  public <T> Field<T> field(String name, java.util.function.Supplier<Optional<T>> read) {
    return has(name) ? new Field.Given<>(read.get()) : new Field.Absent<>();
  }

  private Optional<JsonNode> given(String name) {
    @Nullable Located located = fields.get(name);
    return located == null || located.value().isNull()
        ? Optional.empty()
        : Optional.of(located.value());
  }

  private RawJson slice(String name) {
    Located located = java.util.Objects.requireNonNull(fields.get(name));
    return new RawJson(
        new String(utf8, located.start(), located.end() - located.start(), StandardCharsets.UTF_8));
  }

  private static String textOf(String name, JsonNode value, int maxCodePoints) {
    String text = expect(value.isString(), name, value, "a text").stringValue();
    return Text.cut(Text.clean(text), maxCodePoints);
  }

  private static long clamped(String name, JsonNode value, long min, long max) {
    String expected = "a whole number";
    if (value.isIntegralNumber()) {
      BigInteger number = value.bigIntegerValue();
      return number.max(BigInteger.valueOf(min)).min(BigInteger.valueOf(max)).longValue();
    }
    double number = finite(name, value, expected);
    expect(number == Math.rint(number), name, value, expected);
    return Math.clamp((long) number, min, max);
  }

  private static double finite(String name, JsonNode value, String expected) {
    expect(value.isNumber(), name, value, expected);
    if (value.isBigInteger()) {
      return value.bigIntegerValue().doubleValue();
    }
    expect(Double.isFinite(value.doubleValue()), name, value, expected);
    return value.doubleValue();
  }

  private static JsonNode expect(boolean met, String name, JsonNode value, String expected) {
    if (!met) {
      String shown = Text.clean(Text.cut(value.toString(), SHOWN_OF_A_BAD_VALUE));
      throw ProblemException.validation(name + ": " + shown + " (expected: " + expected + ")");
    }
    return value;
  }

  private static ProblemException missing(String name, String expected) {
    return new ProblemException(
        ErrorCode.VALIDATION_FAILED, name + " is missing or empty (expected: " + expected + ")");
  }
}
