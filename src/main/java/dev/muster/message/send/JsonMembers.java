package dev.muster.message.send;

import dev.muster.platform.problem.ProblemException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads members of a request strictly; {@code path} names a member in error messages. */
final class JsonMembers {

  private JsonMembers() {}

  /** Whether the value is missing or an explicit null. */
  static boolean isAbsent(@Nullable JsonNode value) {
    return value == null || value.isNull();
  }

  /** Whether the text is missing, null or empty; refuses a value of another type. */
  static boolean lacksText(String path, @Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return true;
    }
    if (!value.isString()) {
      throw wrong(path, value, "a text");
    }
    return value.stringValue().isEmpty();
  }

  /** Copies an object by {@link #copy}; refuses a missing value or one of another type. */
  static ObjectNode copyOfObject(String path, @Nullable JsonNode value) {
    if (value instanceof ObjectNode object) {
      return copy(object);
    }
    throw wrong(path, value, "a JSON object");
  }

  /** Copies the object but shares the values of its members. */
  static ObjectNode copy(ObjectNode object) {
    return JsonNodeFactory.instance.objectNode().setAll(object);
  }

  static ProblemException wrong(String path, @Nullable JsonNode value, String expected) {
    String found = value == null ? "missing" : value.getNodeType().name().toLowerCase(Locale.ROOT);
    return ProblemException.validation(path + ": " + found + " (expected: " + expected + ")");
  }
}
