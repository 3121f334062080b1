package dev.muster.agent;

import dev.muster.protocol.MessageContent;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * A message that the agent is to handle. Texts are never null: what is not there is {@code ""}.
 *
 * @param activityId the row of the activity log, which is the cursor after this message; for a
 *     message that was pushed, its message id
 * @param source who it is from
 * @param sourceId the sender's workspace id; {@code ""} for a human
 * @param text all its text parts
 * @param messageId the sender's name for it: the same message always has the same
 * @param delegationId the delegation that it belongs to
 * @param raw the row, or the pushed request, as it came, with everything else in it
 */
public record InboundMessage(
    String activityId,
    InboundSource source,
    String sourceId,
    String text,
    String messageId,
    String delegationId,
    JsonNode raw) {

  /** {@code "peer_agent"} and the like, as on the wire. */
  public String sourceWord() {
    return switch (source) {
      case CANVAS_USER -> "canvas_user";
      case PEER_AGENT -> "peer_agent";
      case SYSTEM -> "system";
      case UNKNOWN -> "unknown";
    };
  }

  /** The id of the own message that this one answers; {@code ""} when it answers none. */
  public String replyTo() {
    JsonNode request = raw.has("request_body") ? raw.path("request_body") : raw;
    return scalar(request.path("params").path("message").path("metadata").path("reply_to"));
  }

  /** Whether this answers a message of this agent, or tells what became of a delegation of its. */
  public boolean isAnswer() {
    return source == InboundSource.SYSTEM || !replyTo().isEmpty();
  }

  /** Whether this is a task that somebody delegated to this agent. */
  public boolean isDelegatedTask() {
    return source == InboundSource.PEER_AGENT && !delegationId.isEmpty() && !isAnswer();
  }

  /**
   * Whether the control plane brought the task: it names the message after the delegation, with
   * {@code ~n} for the n-th retry. A task that the sender brings itself has any name, as has an
   * answer that names nothing but the delegation.
   */
  boolean isDispatched() {
    return messageId.equals(delegationId) || messageId.startsWith(delegationId + "~");
  }

  /** What makes two rows the same message: senders choose ids on their own. */
  String identity() {
    return sourceId + "/" + (messageId.isEmpty() ? activityId : messageId);
  }

  /** The number of its row, to be acknowledged; 0 when the row does not say. */
  long seq() {
    return raw.path("seq").asLong(0);
  }

  /**
   * Of a row of the activity log; empty when it has no id, so that nothing could point after it.
   */
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

  /** Of a request that the proxy made: it says in the metadata who sent it. */
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
