package dev.muster.platform.text;

import org.jspecify.annotations.Nullable;

/** Prepares error texts for storage and logs: redacts secrets and cuts the length (R6.9). */
public final class ErrorText {

  private static final int MAX_LENGTH = 4096;

  private static final int MAX_SUMMARY_LENGTH = 500;

  private ErrorText() {}

  /**
   * Redacts and then cuts to 4096 code points. A secret that is cut first is no longer recognised.
   */
  public static String kept(String error) {
    return Text.cut(Redaction.redact(Text.clean(error)), MAX_LENGTH);
  }

  public static @Nullable String keptOrNull(@Nullable String error) {
    return error == null ? null : kept(error);
  }

  /** Returns the failure with its type, as one text of at most 500 characters without secrets. */
  public static String summary(Throwable failure) {
    return Text.cut(Text.clean(Redaction.redact(failure.toString())), MAX_SUMMARY_LENGTH);
  }
}
