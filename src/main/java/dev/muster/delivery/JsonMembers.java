package dev.muster.delivery;

import dev.muster.platform.problem.ProblemException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads members of a request strictly; {@code path} names them in refusals. */
public final class JsonMembers {

  private JsonMembers() {}

  /** Explicit nulls count as absent. */
  public static boolean isAbsent(@Nullable JsonNode value) {
    return value == null || value.isNull();
  }

  /** Whether there is no text, or an empty one; refuses what is no text. */
  public static boolean lacksText(String path, @Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return true;
    }
    if (!value.isString()) {
      throw wrong(path, value, "a text");
    }
    return value.stringValue().isEmpty();
  }

  /** An object of its own, with the members of one that must be there. */
  public static ObjectNode copyOfObject(String path, @Nullable JsonNode value) {
    if (value instanceof ObjectNode object) {
      return copy(object);
    }
    throw wrong(path, value, "a JSON object");
  }

  /** The members themselves are shared. */
  public static ObjectNode copy(ObjectNode object) {
    return JsonNodeFactory.instance.objectNode().setAll(object);
  }

  public static ProblemException wrong(String path, @Nullable JsonNode value, String expected) {
    String found = value == null ? "missing" : value.getNodeType().name().toLowerCase(Locale.ROOT);
    return ProblemException.validation(path + ": " + found + " (expected: " + expected + ")");
  }
}
