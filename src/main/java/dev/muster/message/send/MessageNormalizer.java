package dev.muster.message.send;

import dev.muster.message.store.Sender;
import dev.muster.platform.problem.ProblemException;
import dev.muster.protocol.A2aVersion;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Sets the id, role, parts and true sender of a message (R7.2). */
final class MessageNormalizer {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /** No agent needs more; a parsed part takes far more memory than its bytes. */
  private static final int MAX_PARTS = 10_000;

  private MessageNormalizer() {}

  /** The other names of members that ProtoJSON allows. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of("message_id", "messageId", "context_id", "contextId", "task_id", "taskId");

  /**
   * Changes {@code message} but no object inside it, and returns it. What it lacks is added in the
   * form of {@code version}.
   */
  static ObjectNode of(ObjectNode message, A2aVersion version, Sender sender, Supplier<UUID> ids) {
    OTHER_NAMES.forEach((other, name) -> rename(message, other, name));
    if (JsonMembers.lacksText("params.message.messageId", message.get("messageId"))) {
      message.put("messageId", ids.get().toString());
    }
    if (JsonMembers.lacksText("params.message.role", message.get("role"))) {
      message.put("role", version == A2aVersion.V1_0 ? "ROLE_USER" : "user");
    }
    setParts(message, version);
    message.set("metadata", metadata(message.get("metadata"), sender));
    return message;
  }

  /** Gives a member its usual name. Refuses two values for one member; null and "" are none. */
  private static void rename(ObjectNode message, String other, String name) {
    @Nullable JsonNode value = message.remove(other);
    if (isNone(value)) {
      return;
    }
    @Nullable JsonNode usual = message.get(name);
    if (!isNone(usual) && !value.equals(usual)) {
      throw ProblemException.validation(
          "params.message."
              + other
              + ": not the value of "
              + name
              + " (expected: one of the two members, or the same value in both)");
    }
    message.set(name, value);
  }

  private static boolean isNone(@Nullable JsonNode value) {
    return value == null || value.isNull() || (value.isString() && value.stringValue().isEmpty());
  }

  /**
   * Normalizes the parts. They take precedence over the old {@code content}, which then stays
   * unchanged.
   */
  private static void setParts(ObjectNode message, A2aVersion version) {
    @Nullable JsonNode parts = message.get("parts");
    if (parts != null && !parts.isNull()) {
      message.set("parts", partsOf("params.message.parts", parts));
      return;
    }
    @Nullable JsonNode content = message.remove("content");
    if (content == null || content.isNull()) {
      throw JsonMembers.wrong("params.message.parts", parts, "an array of parts, or content");
    }
    message.set(
        "parts",
        content.isString()
            ? NODES.arrayNode().add(textPart(content, version))
            : partsOf("params.message.content", content));
  }

  private static ObjectNode textPart(JsonNode text, A2aVersion version) {
    ObjectNode part = NODES.objectNode();
    if (version == A2aVersion.V0_3) {
      part.put("kind", "text");
    }
    part.set("text", text);
    return part;
  }

  private static ArrayNode partsOf(String path, JsonNode sent) {
    if (!sent.isArray()) {
      throw JsonMembers.wrong(path, sent, "an array of parts");
    }
    if (sent.size() > MAX_PARTS) {
      throw ProblemException.validation(
          path + ": " + sent.size() + " parts (expected: at most " + MAX_PARTS + ")");
    }
    ArrayNode parts = NODES.arrayNode(sent.size());
    for (int i = 0; i < sent.size(); i++) {
      parts.add(part(JsonMembers.copyOfObject(path + "[" + i + "]", sent.get(i))));
    }
    return parts;
  }

  /** Replaces the old member {@code type} by {@code kind}. */
  private static ObjectNode part(ObjectNode part) {
    @Nullable JsonNode type = part.get("type");
    if (type != null && type.isString()) {
      part.remove("type");
      if (JsonMembers.isAbsent(part.get("kind"))) {
        part.set("kind", type);
      }
    }
    return part;
  }

  private static ObjectNode metadata(@Nullable JsonNode sent, Sender sender) {
    return withSender(
        JsonMembers.isAbsent(sent)
            ? NODES.objectNode()
            : JsonMembers.copyOfObject("params.message.metadata", sent),
        sender);
  }

  /** Changes {@code metadata}: overwrites the sender that the client states, and returns it. */
  static ObjectNode withSender(ObjectNode metadata, Sender sender) {
    ObjectNode truth = NODES.objectNode();
    truth.put(
        "workspace_id", sender.workspaceId() == null ? null : sender.workspaceId().toString());
    truth.put("source", sender.source());
    metadata.set("sender", truth);
    return metadata;
  }
}
