package dev.muster.platform.loop;

import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;

/** How a failed run is told: one text, without secrets, and not long. */
public final class ErrorSummary {

  private static final int MAX_LENGTH = 500;

  private ErrorSummary() {}

  public static String text(Throwable failure) {
    return Text.cut(Text.clean(Redaction.redact(failure.toString())), MAX_LENGTH);
  }
}
