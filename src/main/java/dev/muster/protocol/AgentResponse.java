package dev.muster.protocol;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** What an agent's JSON-RPC response says: a message, or a task and how that stands (R8.3). */
public sealed interface AgentResponse {

  /** All texts of the answer; the whole document where it has none. */
  record Said(String text) implements AgentResponse {}

  /** A task that has not ended; {@code state} as the agent named it. */
  record Working(String state) implements AgentResponse {}

  /** A task that ended without doing what was asked. */
  record GaveUp(String state, String text) implements AgentResponse {}

  /** {@code document} is {@code body} as a tree. */
  static AgentResponse of(JsonNode document, byte[] body) {
    JsonNode result = document.path("result");
    // of A2A 1.0 a response names what it holds
    JsonNode said = result.has("task") ? result.path("task") : result.path("message");
    JsonNode answer = said.isObject() ? said : result;
    String state = A2aTaskStates.of(answer);
    if (A2aTaskStates.isRunning(state)) {
      return new Working(state);
    }
    String text = text(answer).orElseGet(() -> new String(body, StandardCharsets.UTF_8));
    return A2aTaskStates.isGivenUp(state) ? new GaveUp(state, text) : new Said(text);
  }

  private static Optional<String> text(JsonNode answer) {
    Stream<JsonNode> parts =
        Stream.of(
                parts(answer),
                parts(answer.path("status").path("message")),
                answer.path("artifacts").isArray()
                    ? answer.path("artifacts").valueStream().flatMap(AgentResponse::parts)
                    : Stream.<JsonNode>empty())
            .flatMap(some -> some);
    List<String> texts = parts.flatMap(part -> Part.saidText(part).stream()).toList();
    return texts.isEmpty() ? Optional.empty() : Optional.of(String.join("\n", texts));
  }

  private static Stream<JsonNode> parts(JsonNode holder) {
    JsonNode parts = holder.path("parts");
    return parts.isArray() ? parts.valueStream() : Stream.empty();
  }
}
