package dev.muster.a2a.queue;

import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;
import org.jspecify.annotations.Nullable;

/** Errors as they are kept: without secrets, and not long (R6.9). */
final class ErrorText {

  private static final int LONGEST = 4096;

  private ErrorText() {}

  static @Nullable String kept(@Nullable String error) {
    return error == null ? null : Text.cut(Text.clean(Redaction.redact(error)), LONGEST);
  }
}
