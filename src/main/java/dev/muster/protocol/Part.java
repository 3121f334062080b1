package dev.muster.protocol;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads message parts, which name their kind in {@code kind}, the older {@code type}, or not at
 * all.
 */
final class Part {

  private Part() {}

  static Optional<String> kind(JsonNode part) {
    return Optional.ofNullable(first(part, "kind", "type"));
  }

  /** Returns the text of a text part; empty for other parts. */
  static Optional<String> saidText(JsonNode part) {
    JsonNode text = part.path("text");
    boolean isText = text.isString() && kind(part).orElse("text").equals("text");
    return isText ? Optional.of(text.stringValue()) : Optional.empty();
  }

  /** Returns a member if it is a non-empty string. */
  static Optional<String> text(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return value.isString() && !value.stringValue().isEmpty()
        ? Optional.of(value.stringValue())
        : Optional.empty();
  }

  /** Returns the first of these members that is a non-empty string, or null. */
  static @Nullable String first(JsonNode object, String... names) {
    return Arrays.stream(names)
        .flatMap(name -> text(object, name).stream())
        .findFirst()
        .orElse(null);
  }
}
