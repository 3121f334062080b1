package dev.muster.agent;

import dev.muster.protocol.MessageContent;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Holds the result of a message to a peer. */
public sealed interface SendResult {

  /**
   * The peer answered.
   *
   * @param text all text parts of its message, or of its task's status or artifacts
   * @param raw the JSON-RPC response
   */
  record Answered(String messageId, String text, JsonNode raw) implements SendResult {}

  /**
   * The server keeps the message until the peer polls or accepts it. An answer comes as a message.
   *
   * @param id the id of the activity row ({@code activity_id}) or, without one, of the queue entry
   *     ({@code queue_id})
   */
  record Queued(String messageId, String id) implements SendResult {}

  /** The peer answered with a JSON-RPC error. */
  record Refused(String messageId, long code, String text) implements SendResult {}

  /** Returns the message id of all attempts; an answer carries it as {@code reply_to}. */
  String messageId();

  static SendResult of(String messageId, JsonNode answer) {
    if (answer.path("status").asString("").equals("queued")) {
      String row = answer.path("activity_id").asString("");
      return new Queued(messageId, row.isEmpty() ? answer.path("queue_id").asString("") : row);
    }
    JsonNode error = answer.path("error");
    if (!error.isMissingNode() && !error.isNull()) {
      return new Refused(
          messageId, error.path("code").asLong(0), error.path("message").asString(""));
    }
    return new Answered(messageId, text(answer.path("result")), answer);
  }

  private static String text(JsonNode result) {
    Stream<JsonNode> said =
        Stream.concat(
            Stream.of(result, result.path("status").path("message")),
            result.path("artifacts").isArray()
                ? result.path("artifacts").valueStream()
                : Stream.empty());
    return said.filter(node -> node.path("parts").isArray())
        .map(node -> MessageContent.ofRequest(wrapped(node)).text())
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static JsonNode wrapped(JsonNode message) {
    return JsonNodeFactory.instance.objectNode().set("message", message);
  }
}
