package dev.muster.a2a;

import dev.muster.activity.MessageIdentity;
import dev.muster.activity.NewActivity;
import dev.muster.delivery.JsonMembers;
import dev.muster.delivery.Sender;
import dev.muster.platform.json.LosslessJson;
import dev.muster.protocol.MessageContent;
import dev.muster.workspace.DeliveryTarget;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A JSON-RPC request in the form in which it is stored and sent (R7.2). Unknown members keep their
 * values and their order.
 *
 * @param message the message of the request; null for a method that sends none
 */
record NormalizedRequest(String method, ObjectNode body, @Nullable ObjectNode message) {

  /** The methods of A2A 0.3 and 1.0 (R7.13). */
  private static final Set<String> STREAM_METHODS =
      Set.of("message/stream", "SendStreamingMessage", "tasks/resubscribe", "SubscribeToTask");

  private static final Set<String> SEND_METHODS =
      Set.of("message/send", "message/stream", "SendMessage", "SendStreamingMessage");

  /**
   * Normalizes a request; refuses with 400 what cannot be normalized. {@code ids} creates missing
   * ids.
   */
  static NormalizedRequest of(JsonNode sent, Sender sender, Supplier<UUID> ids) {
    if (!(sent instanceof ObjectNode request)) {
      throw JsonMembers.wrong("the body", sent, "one JSON-RPC request object");
    }
    String method = methodOf(request);
    ObjectNode body = inEnvelope(request, ids);
    if (!SEND_METHODS.contains(method)) {
      return new NormalizedRequest(method, withTrueSender(body, sender), null);
    }
    ObjectNode params = JsonMembers.copyOfObject("params", request.get("params"));
    ObjectNode message =
        MessageNormalizer.of(
            JsonMembers.copyOfObject("params.message", params.get("message")), sender, ids);
    params.set("message", message);
    body.set("params", params);
    return new NormalizedRequest(method, body, message);
  }

  /** Builds the activity row for the target's feed. */
  NewActivity rowFor(DeliveryTarget target, Sender sender) {
    return NewActivity.inbound(
            target.id(),
            sender.workspaceId(),
            method,
            method + " → " + target.name(),
            LosslessJson.write(body),
            MessageContent.ofRequest(body),
            identity())
        .by(sender.author());
  }

  /**
   * Overwrites the sender in the message's metadata and changes nothing else. An unknown method may
   * also send a message to the agent.
   */
  private static ObjectNode withTrueSender(ObjectNode body, Sender sender) {
    if (body.get("params") instanceof ObjectNode params
        && params.get("message") instanceof ObjectNode message
        && message.get("metadata") instanceof ObjectNode metadata) {
      ObjectNode changed = JsonMembers.copy(message);
      changed.set("metadata", MessageNormalizer.withSender(JsonMembers.copy(metadata), sender));
      body.set("params", JsonMembers.copy(params).set("message", changed));
    }
    return body;
  }

  /** Returns the identity that detects duplicate messages; null for a request without a message. */
  @Nullable MessageIdentity identity() {
    return message == null ? null : MessageIdentity.of(method, message);
  }

  /** Returns the JSON-RPC id; JSON null for a request without one. */
  JsonNode rpcId() {
    @Nullable JsonNode id = body.get("id");
    return id == null ? JsonNodeFactory.instance.nullNode() : id;
  }

  /** Whether the agent may respond with a stream of events (R7.9). */
  boolean wantsStream() {
    return STREAM_METHODS.contains(method);
  }

  private static String methodOf(ObjectNode request) {
    @Nullable JsonNode method = request.get("method");
    if (method == null || !method.isString() || method.stringValue().isBlank()) {
      throw JsonMembers.wrong("method", method, "a text like \"message/send\"");
    }
    return method.stringValue();
  }

  /** Adds {@code jsonrpc} and {@code id}, which clients may omit but agents need. */
  private static ObjectNode inEnvelope(ObjectNode request, Supplier<UUID> ids) {
    if (!JsonMembers.isAbsent(request.get("jsonrpc"))) {
      return JsonMembers.copy(request);
    }
    ObjectNode rest = JsonMembers.copy(request);
    rest.remove("jsonrpc");
    ObjectNode body = JsonNodeFactory.instance.objectNode().put("jsonrpc", "2.0");
    if (JsonMembers.isAbsent(rest.get("id"))) {
      rest.remove("id");
      body.put("id", ids.get().toString());
    }
    return body.setAll(rest);
  }
}
