package dev.muster.message.send;

import dev.muster.message.NewActivity;
import dev.muster.message.flow.ResponseForm;
import dev.muster.message.store.MessageIdentity;
import dev.muster.message.store.Sender;
import dev.muster.platform.text.LosslessJson;
import dev.muster.protocol.A2aMethod;
import dev.muster.protocol.A2aVersion;
import dev.muster.protocol.MessageContent;
import dev.muster.workspace.DeliveryTarget;
import java.util.Optional;
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
public record NormalizedRequest(String method, ObjectNode body, @Nullable ObjectNode message) {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  /**
   * Normalizes a request; refuses with 400 what cannot be normalized. {@code ids} creates missing
   * ids.
   */
  public static NormalizedRequest of(JsonNode sent, Sender sender, Supplier<UUID> ids) {
    if (!(sent instanceof ObjectNode request)) {
      throw JsonMembers.wrong("the body", sent, "one JSON-RPC request object");
    }
    String method = methodOf(request);
    ObjectNode body = inEnvelope(request, ids);
    if (!A2aMethod.of(method).map(A2aMethod::sendsMessage).orElse(false)) {
      return new NormalizedRequest(method, withTrueSender(body, sender), null);
    }
    ObjectNode params = JsonMembers.copyOfObject("params", request.get("params"));
    ObjectNode message =
        MessageNormalizer.of(
            JsonMembers.copyOfObject("params.message", params.get("message")),
            A2aVersion.ofRequest(method, null),
            sender,
            ids);
    params.set("message", message);
    body.set("params", params);
    return new NormalizedRequest(method, body, message);
  }

  /** Builds the activity row for the target's feed. */
  public NewActivity rowFor(DeliveryTarget target, Sender sender) {
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

  /** Returns the method in A2A; empty for one that A2A does not have (R7.13). */
  Optional<A2aMethod> a2aMethod() {
    return A2aMethod.of(method);
  }

  /**
   * Returns the form of a response that no agent gives to this request.
   *
   * @param versionHeader the {@code A2A-Version} of the request; null without one
   */
  ResponseForm responseForm(@Nullable String versionHeader) {
    @Nullable JsonNode id = body.get("id");
    JsonNode contextId = message == null ? NODES.missingNode() : message.path("contextId");
    return new ResponseForm(
        A2aVersion.ofRequest(method, versionHeader),
        id == null ? NODES.nullNode() : id,
        message != null,
        wantsStream(),
        contextId.isString() && !contextId.stringValue().isEmpty()
            ? contextId.stringValue()
            : null);
  }

  /** Whether the agent may respond with a stream of events (R7.9). */
  boolean wantsStream() {
    return a2aMethod().map(A2aMethod::streams).orElse(false);
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
    ObjectNode body = NODES.objectNode().put("jsonrpc", "2.0");
    if (JsonMembers.isAbsent(rest.get("id"))) {
      rest.remove("id");
      body.put("id", ids.get().toString());
    }
    return body.setAll(rest);
  }
}
