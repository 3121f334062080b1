package dev.muster.protocol;

import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads a part of a message, in any of its forms: {@code kind}, the old {@code type}, or none. */
final class Part {

  private Part() {}

  static Optional<String> kind(JsonNode part) {
    return Optional.ofNullable(first(part, "kind", "type"));
  }

  /** What a text part says. */
  static Optional<String> saidText(JsonNode part) {
    JsonNode text = part.path("text");
    boolean isText = text.isString() && kind(part).orElse("text").equals("text");
    return isText ? Optional.of(text.stringValue()) : Optional.empty();
  }

  /** A member that is a text and not empty. */
  static Optional<String> text(JsonNode object, String name) {
    JsonNode value = object.path(name);
    return value.isString() && !value.stringValue().isEmpty()
        ? Optional.of(value.stringValue())
        : Optional.empty();
  }

  /** The first of these members that is a text and not empty. */
  static @Nullable String first(JsonNode object, String... names) {
    return Arrays.stream(names)
        .flatMap(name -> text(object, name).stream())
        .findFirst()
        .orElse(null);
  }
}
