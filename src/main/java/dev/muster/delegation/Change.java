package dev.muster.delegation;

import dev.muster.platform.text.ErrorText;
import org.jspecify.annotations.Nullable;

/** What somebody wants to become of a delegation. */
sealed interface Change {

  /** It is on its way to its callee. */
  record Dispatched() implements Change {}

  /** Its callee has it. */
  record Started() implements Change {}

  /** Its callee is at work on it right now (R8.5). */
  record Beaten() implements Change {}

  /**
   * {@code heard}: its caller learns of it by the callee's own message, and needs no row for it
   * (R8.7).
   */
  record Completed(WholeText result, boolean heard) implements Change {}

  /** The error is kept without secrets (R6.9). */
  record Failed(String error, @Nullable String kind) implements Change {

    private static final String NO_REASON = "failed, without a reason";

    public Failed {
      String kept = ErrorText.kept(error);
      error = kept.isBlank() ? NO_REASON : kept;
    }
  }

  /** An operator wants it delivered again (R8.9). */
  record Retried() implements Change {}
}
