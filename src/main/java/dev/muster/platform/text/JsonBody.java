package dev.muster.platform.text;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.WholeNumber;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * Reads one JSON object of a request by the conventions of R0.1.
 *
 * <p>Unknown fields are ignored, long texts are cut, numbers out of range are clamped, and whole
 * numbers lose their fraction. Only a missing field or a wrong type is refused, with a message that
 * names the expected value. An explicit null counts as absent unless the caller asks for an {@link
 * OptionalField}.
 */
public final class JsonBody {

  private static final int SHOWN_OF_A_BAD_VALUE = 60;

  private final JsonFields fields;

  /** The prefix of field names in error messages, for example {@code canvas.}; may be empty. */
  private final String path;

  private JsonBody(JsonFields fields, String path) {
    this.fields = fields;
    this.path = path;
  }

  /** Parses one JSON object in UTF-8, or refuses the bytes with {@code VALIDATION_FAILED}. */
  public static JsonBody parse(byte[] utf8) {
    return new JsonBody(JsonFields.parse(utf8), "");
  }

  /** Returns whether the field is a string, for documents where another type is no error. */
  public boolean isText(String name) {
    return fields.given(name).filter(JsonNode::isString).isPresent();
  }

  /** Returns the text, cleaned (R0.8) and cut to {@code maxCodePoints} code points. */
  public Optional<String> text(String name, int maxCodePoints) {
    return fields.given(name).map(value -> textOf(name, value, maxCodePoints));
  }

  public String requiredText(String name, int maxCodePoints) {
    return text(name, maxCodePoints)
        .filter(value -> !value.isBlank())
        .orElseThrow(() ->
            missing(
                name,
                maxCodePoints == Integer.MAX_VALUE
                    ? "a text that is not empty"
                    : "a text of 1 to " + maxCodePoints + " characters"));
  }

  /** Returns the id; {@code ""} counts as absent (R0.3). */
  public Optional<UUID> id(String name) {
    return fields
        .given(name)
        .map(value -> textOf(name, value, Integer.MAX_VALUE))
        .filter(text -> !text.isEmpty())
        .map(Ids::parse);
  }

  /** Returns the id as a field: {@code ""} counts as absent (R0.3), null is {@code Given}. */
  public OptionalField<UUID> idField(String name) {
    boolean empty =
        fields
            .given(name)
            .filter(value -> value.isString() && value.stringValue().isEmpty())
            .isPresent();
    return empty ? new OptionalField.Absent<>() : field(name, () -> id(name));
  }

  public UUID requiredId(String name) {
    return id(name).orElseThrow(() -> missing(name, "a UUID"));
  }

  public Optional<Integer> integer(String name, int min, int max) {
    return fields.given(name).map(value -> (int) clamped(name, value, min, max));
  }

  public Optional<Long> longInteger(String name, long min, long max) {
    return fields.given(name).map(value -> clamped(name, value, min, max));
  }

  /** Returns the number, clamped to the range; refuses NaN and numbers that become infinite. */
  public Optional<Double> number(String name, double min, double max) {
    return fields.given(name).map(value -> Math.clamp(finite(name, value), min, max));
  }

  public Optional<Boolean> flag(String name) {
    return fields
        .given(name)
        .map(value -> expect(value.isBoolean(), name, value, "true or false").booleanValue());
  }

  /** Returns a nested object as a {@code JsonBody}. */
  public Optional<JsonBody> object(String name) {
    return rawObject(name).map(raw -> inner(raw, name));
  }

  /** Returns an array of objects, each as a {@code JsonBody}. */
  public Optional<List<JsonBody>> objects(String name) {
    return fields
        .given(name)
        .map(value -> {
          expect(value.isArray(), name, value, "an array of JSON objects");
          List<RawJson> items = fields.rawItems(name);
          List<JsonBody> objects = new ArrayList<>();
          for (RawJson item : items) {
            String place = name + "[" + objects.size() + "]";
            if (!value.path(objects.size()).isObject()) {
              throw unexpected(place, item, "a JSON object");
            }
            objects.add(inner(item, place));
          }
          return objects;
        });
  }

  private JsonBody inner(RawJson object, String name) {
    byte[] utf8 = object.text().getBytes(StandardCharsets.UTF_8);
    return new JsonBody(JsonFields.parse(utf8), path + name + ".");
  }

  /** Returns a nested object with the exact text of the request. */
  public Optional<RawJson> rawObject(String name) {
    return fields
        .given(name)
        .map(value -> {
          expect(value.isObject(), name, value, "a JSON object");
          return fields.raw(name);
        });
  }

  /** Returns any value except null, with the exact text of the request. */
  public Optional<RawJson> rawJson(String name) {
    return fields.given(name).map(value -> fields.raw(name));
  }

  /** Returns any value except null as a tree. */
  public Optional<JsonNode> tree(String name) {
    return fields.given(name);
  }

  public RawJson requiredRawObject(String name) {
    return rawObject(name).orElseThrow(() -> missing(name, "a JSON object"));
  }

  /** Returns the first {@code maxItems} texts and drops the rest. */
  public Optional<List<String>> texts(String name, int maxItems, int maxCodePoints) {
    return fields.given(name).map(value -> textsOf(name, value, maxItems, maxCodePoints));
  }

  private List<String> textsOf(String name, JsonNode value, int maxItems, int maxCodePoints) {
    expect(value.isArray(), name, value, "an array of texts");
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < value.size(); i++) {
      JsonNode item = value.path(i);
      if (!item.isString()) {
        throw unexpected(name + "[" + i + "]", fields.rawItems(name).get(i), "a text");
      }
      if (i < maxItems) {
        texts.add(clean(item, maxCodePoints));
      }
    }
    return texts;
  }

  /** Returns an unmodifiable view of all field names, in no order. */
  public Set<String> names() {
    return fields.names();
  }

  /** Returns whether the field is present, including as null. */
  public boolean has(String name) {
    return fields.has(name);
  }

  /**
   * Reads a field and keeps absent apart from null.
   *
   * @param read a reader of this body, for example {@code body.field("role", () ->
   *     body.text("role", 255))}
   */
  public <T> OptionalField<T> field(String name, Supplier<Optional<T>> read) {
    return has(name) ? new OptionalField.Given<>(read.get()) : new OptionalField.Absent<>();
  }

  private String textOf(String name, JsonNode value, int maxCodePoints) {
    return clean(expect(value.isString(), name, value, "a text"), maxCodePoints);
  }

  private static String clean(JsonNode text, int maxCodePoints) {
    return Text.cut(Text.clean(text.stringValue()), maxCodePoints);
  }

  private long clamped(String name, JsonNode value, long min, long max) {
    expect(value.isNumber(), name, value, "a whole number");
    BigInteger number =
        WholeNumber.of(value)
            .orElseThrow(() -> unexpected(name, fields.raw(name), "a finite whole number"));
    return number.max(BigInteger.valueOf(min)).min(BigInteger.valueOf(max)).longValueExact();
  }

  private double finite(String name, JsonNode value) {
    expect(value.isNumber(), name, value, "a number");
    if (value.isBigInteger()) {
      return value.bigIntegerValue().doubleValue();
    }
    expect(Double.isFinite(value.doubleValue()), name, value, "a finite number");
    return value.doubleValue();
  }

  private JsonNode expect(boolean met, String name, JsonNode value, String expected) {
    if (!met) {
      throw unexpected(name, fields.raw(name), expected);
    }
    return value;
  }

  /**
   * Quotes the request's text.
   *
   * <p>The tree holds only an infinity for a number that is too large.
   */
  private ProblemException unexpected(String name, RawJson sent, String expected) {
    String shown = Text.clean(Text.cut(sent.text(), SHOWN_OF_A_BAD_VALUE));
    return ProblemException.validation(
        path + name + ": " + shown + " (expected: " + expected + ")");
  }

  private ProblemException missing(String name, String expected) {
    return new ProblemException(
        ErrorCode.VALIDATION_FAILED,
        path + name + " is missing or empty (expected: " + expected + ")");
  }
}
