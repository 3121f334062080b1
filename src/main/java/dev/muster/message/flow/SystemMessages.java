package dev.muster.message.flow;

import dev.muster.message.store.Messages.StoredMessage;
import dev.muster.platform.text.LosslessJson;
import dev.muster.platform.text.RawJson;
import java.util.Objects;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Builds messages that the control plane itself writes. */
public final class SystemMessages {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private SystemMessages() {}

  public static ObjectNode message(String messageId, String text) {
    ObjectNode message = NODES.objectNode();
    message.put("kind", "message");
    message.put("messageId", messageId);
    message.put("role", "user");
    message.putArray("parts").addObject().put("kind", "text").put("text", text);
    return message;
  }

  /** Builds the JSON-RPC request that delivers such a row to a push agent. */
  static RawJson request(StoredMessage row) {
    String messageId = Objects.requireNonNull(row.messageId());
    ObjectNode message = message(messageId, Objects.requireNonNull(row.systemText()));
    ObjectNode metadata = message.putObject("metadata");
    metadata.put("delegation_id", row.delegationId());
    metadata.putObject("sender").putNull("workspace_id").put("source", "system");
    ObjectNode request =
        NODES.objectNode().put("jsonrpc", "2.0").put("id", messageId).put("method", "message/send");
    request.putObject("params").set("message", message);
    return LosslessJson.write(request);
  }
}
