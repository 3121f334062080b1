package dev.muster.agent;

import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds JSON-RPC requests and messages of text. */
final class Envelope {

  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private Envelope() {}

  static ObjectNode send(String messageId, String text, Map<String, String> metadata) {
    ObjectNode request =
        JSON.objectNode()
            .put("jsonrpc", "2.0")
            .put("id", UUID.randomUUID().toString())
            .put("method", "message/send");
    ObjectNode message = message("user", messageId, text);
    if (!metadata.isEmpty()) {
      ObjectNode object = message.putObject("metadata");
      metadata.forEach(object::put);
    }
    request.putObject("params").set("message", message);
    return request;
  }

  /** Builds a message; an empty text gives an empty {@code parts}. */
  static ObjectNode message(String role, String messageId, String text) {
    ObjectNode message =
        JSON.objectNode().put("kind", "message").put("role", role).put("messageId", messageId);
    var parts = message.putArray("parts");
    if (!text.isEmpty()) {
      parts.addObject().put("kind", "text").put("text", text);
    }
    return message;
  }
}
