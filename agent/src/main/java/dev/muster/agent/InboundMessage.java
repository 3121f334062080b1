package dev.muster.agent;

import dev.muster.protocol.MessageContent;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * Holds a message for the agent to handle. Texts are never null; a missing one is {@code ""}.
 *
 * @param activityId the id of the activity row, which is the cursor after this message; the message
 *     id for a pushed message
 * @param source the kind of the sender
 * @param sourceId the sender's workspace id; {@code ""} for a human
 * @param text all text parts of the message
 * @param messageId the id that the sender chose; a duplicate message has the same one
 * @param delegationId the id of the delegation that the message belongs to
 * @param raw the unchanged activity row or pushed request
 */
public record InboundMessage(
    String activityId,
    InboundSource source,
    String sourceId,
    String text,
    String messageId,
    String delegationId,
    JsonNode raw) {

  /** Returns the source as the API spells it, such as {@code "peer_agent"}. */
  public String sourceWord() {
    return switch (source) {
      case CANVAS_USER -> "canvas_user";
      case PEER_AGENT -> "peer_agent";
      case SYSTEM -> "system";
      case UNKNOWN -> "unknown";
    };
  }

  /** Returns the id of this agent's message that is answered here; {@code ""} for none. */
  public String replyTo() {
    JsonNode request = raw.has("request_body") ? raw.path("request_body") : raw;
    return scalar(request.path("params").path("message").path("metadata").path("reply_to"));
  }

  /** Returns whether this answers a message of this agent or reports a delegation's end. */
  public boolean isAnswer() {
    return source == InboundSource.SYSTEM || !replyTo().isEmpty();
  }

  /** Returns whether this is a task that a peer delegated to this agent. */
  public boolean isDelegatedTask() {
    return source == InboundSource.PEER_AGENT && !delegationId.isEmpty() && !isAnswer();
  }

  /**
   * Returns whether the control plane dispatched the task. Its message id is the delegation id,
   * with {@code ~n} for the n-th operator's retry. A task that the caller sent itself has any
   * message id, and so has an answer that carries only the delegation id.
   */
  boolean isDispatched() {
    return messageId.equals(delegationId) || messageId.startsWith(delegationId + "~");
  }

  /** Identifies a duplicate message; includes the sender, as message ids are only its own. */
  String identity() {
    return sourceId + "/" + (messageId.isEmpty() ? activityId : messageId);
  }

  /** Returns the {@code seq} to acknowledge; 0 when the row has none. */
  long seq() {
    return raw.path("seq").asLong(0);
  }

  /** Parses an activity row; empty when it has no id, because no cursor could follow it. */
  static Optional<InboundMessage> ofRow(JsonNode row) {
    String id = scalar(row.path("id"));
    if (id.isEmpty()) {
      return Optional.empty();
    }
    JsonNode data = row.path("data");
    String sourceId = first(row.path("source_id"), data.path("source_id"));
    MessageContent content = MessageContent.ofRequest(row.path("request_body"));
    return Optional.of(
        new InboundMessage(
            id,
            InboundSource.of(first(data.path("source"), row.path("source")), sourceId),
            sourceId,
            first(data.path("text"), data.path("message")),
            or(scalar(data.path("message_id")), Objects.toString(content.messageId(), "")),
            or(scalar(data.path("delegation_id")), Objects.toString(content.delegationId(), "")),
            row));
  }

  /** Parses a pushed request; the server names the sender in its metadata. */
  static InboundMessage ofRequest(JsonNode request) {
    MessageContent content = MessageContent.ofRequest(request);
    JsonNode metadata = request.path("params").path("message").path("metadata");
    JsonNode sender = metadata.path("sender");
    String sourceId = scalar(sender.path("workspace_id"));
    String messageId = Objects.toString(content.messageId(), "");
    return new InboundMessage(
        messageId,
        InboundSource.of(scalar(sender.path("source")), sourceId),
        sourceId,
        content.text(),
        messageId,
        Objects.toString(content.delegationId(), ""),
        request);
  }

  private static String first(JsonNode one, JsonNode other) {
    return or(scalar(one), scalar(other));
  }

  private static String or(String one, String other) {
    return one.isEmpty() ? other : one;
  }

  private static String scalar(JsonNode node) {
    return node.isMissingNode() || node.isNull()
        ? ""
        : node.isValueNode() ? node.asString("") : node.toString();
  }
}
