package dev.muster.protocol;

import dev.muster.protocol.MessageContent.Part;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Classifies an agent's JSON-RPC response: a message, or a task and its state (R8.3). */
public sealed interface AgentResponse {

  /** A message or a finished task; {@code text} is the whole document if it has no text part. */
  record Replied(String text) implements AgentResponse {}

  /** A task that has not ended; {@code state} as the agent sent it. */
  record Working(String state) implements AgentResponse {}

  /** A task that failed, was cancelled or was rejected. */
  record GaveUp(String state, String text) implements AgentResponse {}

  /** Classifies a response; {@code document} is {@code body} parsed. */
  static AgentResponse of(JsonNode document, byte[] body) {
    JsonNode result = document.path("result");
    // An A2A 1.0 response wraps its result in "task" or "message".
    JsonNode said = result.has("task") ? result.path("task") : result.path("message");
    JsonNode answer = said.isObject() ? said : result;
    String state = A2aTaskStates.of(answer);
    if (A2aTaskStates.isRunning(state)) {
      return new Working(state);
    }
    String text = text(answer).orElseGet(() -> new String(body, StandardCharsets.UTF_8));
    return A2aTaskStates.isGivenUp(state) ? new GaveUp(state, text) : new Replied(text);
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

  /** Classifies the task states of A2A 0.3 and 1.0. */
  static final class A2aTaskStates {

    private static final Set<String> RUNNING =
        bothForms("submitted", "working", "input-required", "auth-required", "unknown");

    private static final Set<String> GIVEN_UP = bothForms("failed", "canceled", "rejected");

    private A2aTaskStates() {}

    /** Returns the state of a task; {@code ""} when the document is not a task. */
    static String of(JsonNode answer) {
      JsonNode state = answer.path("status").path("state");
      return state.isString() ? state.stringValue() : "";
    }

    static boolean isRunning(String state) {
      return RUNNING.contains(state);
    }

    static boolean isGivenUp(String state) {
      return GIVEN_UP.contains(state);
    }

    private static Set<String> bothForms(String... states) {
      return Stream.of(states)
          .flatMap(state ->
              Stream.of(state, "TASK_STATE_" + state.toUpperCase(Locale.ROOT).replace('-', '_')))
          .collect(Collectors.toUnmodifiableSet());
    }
  }
}
