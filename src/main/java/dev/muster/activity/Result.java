package dev.muster.activity;

import dev.muster.platform.text.ErrorText;
import dev.muster.platform.text.Text;
import org.jspecify.annotations.Nullable;

/** How it went, and how long it took. */
public record Result(String status, @Nullable String errorDetail, @Nullable Long durationMs) {

  static final Result OK = new Result("ok", null, null);

  private static final int LONGEST_STATUS = 64;

  public Result {
    status = Text.cut(Text.clean(status), LONGEST_STATUS);
    errorDetail = ErrorText.keptOrNull(errorDetail);
  }
}
