package dev.muster.platform.text;

import org.jspecify.annotations.Nullable;

/** Errors as they are kept: without secrets, and not long (R6.9). */
public final class ErrorText {

  private static final int MAX_LENGTH = 4096;

  private ErrorText() {}

  /** Secrets are taken out before the text is cut, since half a secret looks like none. */
  public static String kept(String error) {
    return Text.cut(Redaction.redact(Text.clean(error)), MAX_LENGTH);
  }

  public static @Nullable String keptOrNull(@Nullable String error) {
    return error == null ? null : kept(error);
  }
}
