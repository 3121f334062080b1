package dev.muster.delegation;

import org.jspecify.annotations.Nullable;

/** What has come of a delegation. */
sealed interface Outcome {

  /** Nothing yet; {@code warning} says why it is stuck. */
  record Open(@Nullable String warning) implements Outcome {

    static final Open SO_FAR = new Open(null);
  }

  record Completed(WholeText result) implements Outcome {}

  /** {@code kind} is a word for programs, as R9.1 has them. */
  record Failed(String error, @Nullable String kind) implements Outcome {}
}
