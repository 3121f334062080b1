package dev.muster.agent;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Holds a handler's reply to a message: a text, nothing, or one of the two later. */
public sealed interface Reply {

  /** A reply with this text; a blank one is no reply. */
  record Text(String text) implements Reply {}

  /** No reply: the message is handled. */
  record None() implements Reply {}

  /** A reply with the text of a stage; a failed stage counts as a handler that threw. */
  record Later(CompletionStage<? extends @Nullable String> text) implements Reply {}

  /** Makes a reply with this text; null and blank ones are {@link None}. */
  static Reply of(@Nullable String text) {
    return text == null || text.isBlank() ? new None() : new Text(text);
  }

  /** Makes a reply without a text. */
  static Reply none() {
    return new None();
  }

  /** Makes a reply with the later text of a stage; null for no reply. */
  static Reply later(CompletionStage<? extends @Nullable String> text) {
    return new Later(text);
  }
}
