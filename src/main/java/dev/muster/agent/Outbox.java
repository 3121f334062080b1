package dev.muster.agent;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Sends messages, answers and notifications. */
final class Outbox {

  private static final String SENDER = "X-Source-Workspace-Id";
  private static final Duration PEER_LIMIT = Duration.ofMinutes(10);

  private final PlatformHttp http;
  private final WorkspacePath path;

  Outbox(PlatformHttp http, WorkspacePath path) {
    this.http = http;
    this.path = path;
  }

  Sent send(String peerId, String text, Duration wait, String messageId) {
    Duration held = Patience.heldAtMost(wait);
    String query = held.isPositive() ? "?wait=" + held.toMillis() / 1000.0 : "";
    // a peer that is called takes its time, whatever we would wait for one that polls
    Patience patience = Patience.held(PEER_LIMIT, Patience.USUAL.policy().maxAttempts());
    PlatformCall call = message(peerId, query, messageId, text, Map.of(), patience);
    return Sent.of(messageId, http.json(call));
  }

  void notify(String text) {
    http.json(notification(text, "", Patience.USUAL));
  }

  /**
   * What answers a message.
   *
   * @throws IllegalArgumentException when there is nobody to answer
   */
  PlatformCall answer(InboundMessage message, String text, String replyId) {
    return switch (message.source()) {
      case CANVAS_USER -> notification(text, message.messageId(), Patience.REPLY);
      case PEER_AGENT -> {
        if (message.sourceId().isEmpty()) {
          throw unanswerable(message, "it does not say which workspace it is from");
        }
        yield message(
            message.sourceId(),
            "",
            replyId,
            TextLimit.MESSAGE.cut(text),
            correlation(message),
            Patience.REPLY);
      }
      case SYSTEM -> throw unanswerable(message, "it is from the control plane");
      case UNKNOWN -> throw unanswerable(message, "it does not say who it is from");
    };
  }

  /** What was not sent, once more, as the same workspace. */
  PlatformCall again(String where, JsonNode body, Patience patience) {
    return PlatformCall.post(where, body, patience).with(SENDER, path.workspaceId());
  }

  /** {@code answered} is the id of the message that it answers; "" for none. */
  private PlatformCall notification(String text, String answered, Patience patience) {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("message", TextLimit.USUAL.cut(text));
    if (!answered.isEmpty()) {
      body.put("reply_to", answered);
    }
    return PlatformCall.post(path.to("/notify"), body, patience);
  }

  private PlatformCall message(
      String peerId,
      String query,
      String messageId,
      String text,
      Map<String, String> metadata,
      Patience patience) {
    WorkspacePath peer = new WorkspacePath(WorkspacePath.canonical("peer id", peerId));
    return again(peer.to("/a2a" + query), Envelope.send(messageId, text, metadata), patience);
  }

  private static Map<String, String> correlation(InboundMessage message) {
    Map<String, String> metadata = new LinkedHashMap<>();
    if (!message.messageId().isEmpty()) {
      metadata.put("reply_to", message.messageId());
    }
    if (!message.delegationId().isEmpty()) {
      metadata.put("delegation_id", message.delegationId());
    }
    return metadata;
  }

  private static IllegalArgumentException unanswerable(InboundMessage message, String why) {
    return new IllegalArgumentException(
        "message " + message.activityId() + " cannot be answered: " + why);
  }
}
