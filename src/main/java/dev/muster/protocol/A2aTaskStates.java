package dev.muster.protocol;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/** Classifies the task states of A2A 0.3 and 1.0. */
final class A2aTaskStates {

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
