package dev.muster.activity;

import dev.muster.platform.text.ErrorText;
import dev.muster.platform.text.Text;
import org.jspecify.annotations.Nullable;

/** Holds the status, error and duration of an activity. */
public record ActivityResult(
    String status, @Nullable String errorDetail, @Nullable Long durationMs) {

  static final ActivityResult OK = new ActivityResult("ok", null, null);

  private static final int MAX_STATUS_LENGTH = 64;

  public ActivityResult {
    status = Text.cut(Text.clean(status), MAX_STATUS_LENGTH);
    errorDetail = ErrorText.keptOrNull(errorDetail);
  }
}
