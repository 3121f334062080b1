package dev.muster.activity;

import dev.muster.platform.text.Redaction;
import dev.muster.platform.text.Text;
import org.jspecify.annotations.Nullable;

/** How it went, and how long it took. */
public record Result(String status, @Nullable String errorDetail, @Nullable Long durationMs) {

  static final Result OK = new Result("ok", null, null);

  private static final int LONGEST_STATUS = 64;
  private static final int LONGEST_ERROR = 4096;

  /** Secrets are taken out before the text is cut, since half a secret looks like none (R6.9). */
  public Result {
    status = Text.cut(Text.clean(status), LONGEST_STATUS);
    errorDetail =
        errorDetail == null
            ? null
            : Text.cut(Redaction.redact(Text.clean(errorDetail)), LONGEST_ERROR);
  }
}
