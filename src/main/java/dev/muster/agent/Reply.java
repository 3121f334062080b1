package dev.muster.agent;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What a handler says to a message: a text, nothing, or one of the two later. */
public sealed interface Reply {

  /** This text; a blank one is no reply. */
  record Text(String text) implements Reply {}

  /** Nothing: the message is handled, and nobody waits for an answer. */
  record None() implements Reply {}

  /** What the stage comes to; a failed stage is a handler that threw. */
  record Later(CompletionStage<? extends @Nullable String> text) implements Reply {}

  /** A text; null and blank ones are {@link None}. */
  static Reply of(@Nullable String text) {
    return text == null || text.isBlank() ? new None() : new Text(text);
  }

  /** No reply. */
  static Reply none() {
    return new None();
  }

  /** The text that the stage comes to, null for none. */
  static Reply later(CompletionStage<? extends @Nullable String> text) {
    return new Later(text);
  }
}
