package dev.muster.platform.loop;

import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;

/** Summarizes a failure as one text without secrets, at most 500 characters long. */
public final class ErrorSummary {

  private static final int MAX_LENGTH = 500;

  private ErrorSummary() {}

  public static String text(Throwable failure) {
    return Text.cut(Text.clean(Redaction.redact(failure.toString())), MAX_LENGTH);
  }
}
