package dev.muster.agent;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Sends messages and notifications, and builds the requests of answers. */
final class MessageSender {

  private static final String SENDER = "X-Source-Workspace-Id";
  private static final Duration PEER_LIMIT = Duration.ofMinutes(10);

  /** Builds JSON-RPC requests and messages of text. */
  static final class Envelope {

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

  private final ServerHttp http;
  private final WorkspacePath path;

  MessageSender(ServerHttp http, WorkspacePath path) {
    this.http = http;
    this.path = path;
  }

  SendResult send(String peerId, String text, Duration wait, String messageId) {
    Duration held = RequestTimeouts.heldAtMost(wait);
    String query = held.isPositive() ? "?wait=" + held.toMillis() / 1000.0 : "";
    // the wait applies to poll agents only: the answer of a push agent can take PEER_LIMIT
    RequestTimeouts timeouts =
        RequestTimeouts.held(PEER_LIMIT, RequestTimeouts.USUAL.policy().maxAttempts());
    ServerRequest call = message(peerId, query, messageId, text, Map.of(), timeouts);
    return SendResult.of(messageId, http.json(call));
  }

  void notify(String text) {
    http.json(notification(text, "", RequestTimeouts.USUAL));
  }

  /**
   * Builds the request that answers a message.
   *
   * @throws IllegalArgumentException when the message has no sender to answer
   */
  ServerRequest answer(InboundMessage message, String text, String replyId) {
    return switch (message.source()) {
      case CANVAS_USER -> notification(text, message.messageId(), RequestTimeouts.REPLY);
      case PEER_AGENT -> {
        if (message.sourceId().isEmpty()) {
          throw unanswerable(message, "it names no sender workspace");
        }
        yield message(
            message.sourceId(),
            "",
            replyId,
            TextLimit.MESSAGE.cut(text),
            correlation(message),
            RequestTimeouts.REPLY);
      }
      case SYSTEM -> throw unanswerable(message, "it is from the control plane");
      case UNKNOWN -> throw unanswerable(message, "it has no source");
    };
  }

  /** Builds a request with this workspace as its sender, also for a kept request. */
  ServerRequest again(String where, JsonNode body, RequestTimeouts timeouts) {
    return ServerRequest.post(where, body, timeouts).with(SENDER, path.workspaceId());
  }

  /** Builds a notification; {@code answered} is the id of the answered message, "" for none. */
  private ServerRequest notification(String text, String answered, RequestTimeouts timeouts) {
    ObjectNode body =
        JsonNodeFactory.instance.objectNode().put("message", TextLimit.USUAL.cut(text));
    if (!answered.isEmpty()) {
      body.put("reply_to", answered);
    }
    return ServerRequest.post(path.to("/notify"), body, timeouts);
  }

  private ServerRequest message(
      String peerId,
      String query,
      String messageId,
      String text,
      Map<String, String> metadata,
      RequestTimeouts timeouts) {
    WorkspacePath peer = new WorkspacePath(WorkspacePath.canonical("peer id", peerId));
    return again(peer.to("/a2a" + query), Envelope.send(messageId, text, metadata), timeouts);
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
