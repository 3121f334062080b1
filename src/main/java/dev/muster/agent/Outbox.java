package dev.muster.agent;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.node.JsonNodeFactory;

/** Sends messages, answers and notifications. */
final class Outbox {

  private static final Duration PEER_LIMIT = Duration.ofMinutes(10);

  private final PlatformHttp http;
  private final WorkspacePath path;

  Outbox(PlatformHttp http, WorkspacePath path) {
    this.http = http;
    this.path = path;
  }

  Sent send(String peerId, String text, Duration wait) {
    Duration held = Patience.heldAtMost(wait);
    String query = held.isPositive() ? "?wait=" + held.toMillis() / 1000.0 : "";
    // a peer that is called takes its time, whatever we would wait for one that polls
    Patience patience = Patience.held(PEER_LIMIT, Patience.USUAL.policy().maxAttempts());
    return deliver(peerId, query, UUID.randomUUID().toString(), text, Map.of(), patience);
  }

  void notify(String text, Patience patience) {
    http.json(
        PlatformCall.post(
            path.to("/notify"),
            JsonNodeFactory.instance.objectNode().put("message", text),
            patience));
  }

  void reply(InboundMessage message, String text, String replyId) {
    switch (message.source()) {
      case CANVAS_USER -> notify(text, Patience.REPLY);
      case PEER_AGENT -> {
        if (message.sourceId().isEmpty()) {
          throw unanswerable(message, "it does not say which workspace it is from");
        }
        deliver(message.sourceId(), "", replyId, text, correlation(message), Patience.REPLY);
      }
      case SYSTEM -> throw unanswerable(message, "it is from the control plane");
      case UNKNOWN -> throw unanswerable(message, "it does not say who it is from");
    }
  }

  private Sent deliver(
      String peerId,
      String query,
      String messageId,
      String text,
      Map<String, String> metadata,
      Patience patience) {
    WorkspacePath peer = new WorkspacePath(WorkspacePath.canonical("peer id", peerId));
    return Sent.of(
        messageId,
        http.json(
            PlatformCall.post(
                    peer.to("/a2a" + query), Envelope.send(messageId, text, metadata), patience)
                .with("X-Source-Workspace-Id", path.workspaceId())));
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
