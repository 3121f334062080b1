package dev.muster.protocol;

import dev.muster.protocol.MessageContent.Part;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * What an agent's answer with a 2xx status means (R7.16): a message, or a task and its state.
 *
 * <p>Only a message, a task in the state {@code completed} and another result are an end with
 * success. A state that is not known has not ended.
 */
public sealed interface AgentResponse {

  /** A message or a completed task; {@code text} is the whole document if it has no text part. */
  record Replied(String text) implements AgentResponse {}

  /** A task that has not ended; {@code state} as the agent sent it. */
  record Working(String state) implements AgentResponse {}

  /** A task that failed, was cancelled or was rejected, or a JSON-RPC error. */
  record GaveUp(String state, String text) implements AgentResponse {}

  /** A receipt: the agent has the message and answers later. */
  record Accepted() implements AgentResponse {}

  /** A document with neither a result nor an error, which is no receipt; {@code text} is it all. */
  record Malformed(String text) implements AgentResponse {}

  /** HTTP statuses: an answer, and a promise of one. */
  int OK = 200;

  int ACCEPTED = 202;

  /** Classifies a response whose status is not known; {@code document} is {@code body} parsed. */
  static AgentResponse of(JsonNode document, byte[] body) {
    return of(OK, document, body);
  }

  /**
   * Classifies a response.
   *
   * @param status its HTTP status
   * @param document {@code body} parsed
   */
  static AgentResponse of(int status, JsonNode document, byte[] body) {
    JsonNode answer = unwrapped(document.path("result"));
    if (isAbsent(answer)) {
      answer = unwrapped(document);
    }
    if (isTask(answer)) {
      return ofTask(answer, body);
    }
    if (!isAbsent(document.path("error"))) {
      return new GaveUp("error", document.path("error").path("message").asString(utf8(body)));
    }
    if (status == ACCEPTED || isReceipt(answer)) {
      return new Accepted();
    }
    return isMessage(answer) || !isAbsent(document.path("result"))
        ? new Replied(text(answer, body))
        : new Malformed(utf8(body));
  }

  /** Returns what the agent has said; empty while it works or before it has begun. */
  default Optional<String> said() {
    return switch (this) {
      case Replied(String text) -> Optional.of(text);
      case GaveUp(String state, String text) -> Optional.of(text);
      case Malformed(String text) -> Optional.of(text);
      case Working working -> Optional.empty();
      case Accepted accepted -> Optional.empty();
    };
  }

  /** An A2A 1.0 response wraps its task, message or event. */
  private static JsonNode unwrapped(JsonNode node) {
    return Stream.of("task", "message", "statusUpdate", "artifactUpdate")
        .map(node::path)
        .filter(JsonNode::isObject)
        .findFirst()
        .orElse(node);
  }

  private static boolean isAbsent(JsonNode node) {
    return node.isMissingNode() || node.isNull();
  }

  /** Also for the event of a stream that tells the state of a task. */
  private static boolean isTask(JsonNode answer) {
    return answer.path("status").isObject()
        || Set.of("task", "status-update", "artifact-update")
            .contains(answer.path("kind").asString(""))
        || answer.path("artifact").isObject();
  }

  private static boolean isMessage(JsonNode answer) {
    return answer.path("parts").isArray();
  }

  private static boolean isReceipt(JsonNode answer) {
    return "queued".equalsIgnoreCase(answer.path("status").asString(""));
  }

  private static AgentResponse ofTask(JsonNode task, byte[] body) {
    JsonNode sent = task.path("status").path("state");
    String state = sent.isString() ? sent.stringValue() : "";
    return switch (plain(state)) {
      case "completed" -> new Replied(text(task, body));
      case "failed", "canceled", "cancelled", "rejected" -> new GaveUp(state, text(task, body));
      default -> new Working(state);
    };
  }

  /** Returns a state without the differences between the versions of A2A. */
  private static String plain(String state) {
    String lower = state.toLowerCase(Locale.ROOT).replace('_', '-');
    return lower.startsWith("task-state-") ? lower.substring("task-state-".length()) : lower;
  }

  private static String text(JsonNode answer, byte[] body) {
    Stream<JsonNode> parts =
        Stream.of(
                parts(answer),
                parts(answer.path("status").path("message")),
                answer.path("artifacts").isArray()
                    ? answer.path("artifacts").valueStream().flatMap(AgentResponse::parts)
                    : Stream.<JsonNode>empty())
            .flatMap(some -> some);
    List<String> texts = parts.flatMap(part -> Part.saidText(part).stream()).toList();
    return texts.isEmpty() ? utf8(body) : String.join("\n", texts);
  }

  private static String utf8(byte[] body) {
    return new String(body, StandardCharsets.UTF_8);
  }

  private static Stream<JsonNode> parts(JsonNode holder) {
    JsonNode parts = holder.path("parts");
    return parts.isArray() ? parts.valueStream() : Stream.empty();
  }
}
