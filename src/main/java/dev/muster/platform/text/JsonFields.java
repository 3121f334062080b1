package dev.muster.platform.text;

import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.InvalidJson;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds the fields of one JSON object as trees with their text positions. */
final class JsonFields {

  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private record Located(JsonNode value, int start, int end) {}

  private final String json;
  private final Map<String, Located> fields;

  private JsonFields(String json, Map<String, Located> fields) {
    this.json = json;
    this.fields = fields;
  }

  static JsonFields parse(byte[] utf8) {
    if (utf8.length == 0) {
      throw ProblemException.validation("the body is empty (expected: a JSON object)");
    }
    String json = decoded(utf8);
    try (JsonParser parser = MAPPER.createParser(json)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw ProblemException.validation(
            "the body is not a JSON object (expected: one, in { and })");
      }
      Map<String, Located> fields = new HashMap<>();
      for (String name = parser.nextName(); name != null; name = parser.nextName()) {
        fields.put(name, locate(parser));
      }
      if (parser.nextToken() != null) {
        throw ProblemException.validation(
            "the body goes on after the end of the JSON object (expected: one object alone)");
      }
      return new JsonFields(json, fields);
    } catch (JacksonException e) {
      throw ProblemException.validation("the body is not valid JSON: " + reason(e));
    }
  }

  /**
   * Decodes first, because a byte parser refuses lone surrogates in names even when they are
   * escaped.
   */
  private static String decoded(byte[] utf8) {
    try {
      return LosslessJson.decode(utf8);
    } catch (CharacterCodingException e) {
      throw ProblemException.validation("the body is not UTF-8 (expected: JSON in UTF-8)");
    }
  }

  private static Located locate(JsonParser parser) {
    parser.nextToken();
    long start = parser.currentTokenLocation().getCharOffset();
    JsonNode value = parser.readValueAsTree();
    long end = parser.currentLocation().getCharOffset();
    return new Located(value, (int) start, (int) end);
  }

  static String reason(JacksonException e) {
    var where = e.getLocation();
    String at =
        where == null
            ? ""
            : " (line " + where.getLineNr() + ", column " + where.getColumnNr() + ")";
    return Text.clean(Text.cut(InvalidJson.reason(e), 200)) + at;
  }

  boolean has(String name) {
    return fields.containsKey(name);
  }

  Set<String> names() {
    return Collections.unmodifiableSet(fields.keySet());
  }

  /** Returns the field's value; empty if it is absent or null. */
  Optional<JsonNode> given(String name) {
    @Nullable Located located = fields.get(name);
    return located == null || located.value().isNull()
        ? Optional.empty()
        : Optional.of(located.value());
  }

  /** Returns the exact text of each item. The field must be present and an array. */
  List<RawJson> rawItems(String name) {
    String array = raw(name).text();
    List<RawJson> items = new ArrayList<>();
    try (JsonParser parser = MAPPER.createParser(array)) {
      parser.nextToken();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        long start = parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        long end = parser.currentLocation().getCharOffset();
        items.add(new RawJson(array.substring((int) start, (int) end)));
      }
    }
    return items;
  }

  /** Returns the exact text of a value. The field must be present. */
  RawJson raw(String name) {
    Located located = Objects.requireNonNull(fields.get(name));
    return new RawJson(json.substring(located.start(), located.end()));
  }
}
