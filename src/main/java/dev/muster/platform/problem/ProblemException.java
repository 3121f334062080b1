package dev.muster.platform.problem;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request is refused: the code clients branch on, the text people read, and what else the answer
 * carries.
 */
public final class ProblemException extends RuntimeException {

  private final ErrorCode code;
  private final transient Map<String, ? extends @Nullable Object> extras;

  public ProblemException(ErrorCode code, String detail) {
    this(code, detail, Map.of());
  }

  public ProblemException(
      ErrorCode code, String detail, Map<String, ? extends @Nullable Object> extras) {
    // no stack trace: this is an answer, not a fault, and a flood of refusals should stay cheap
    super(detail, null, false, false);
    this.code = code;
    this.extras = extras;
  }

  public static ProblemException validation(String detail) {
    return new ProblemException(ErrorCode.VALIDATION_FAILED, detail);
  }

  /** The one answer to "cannot tell right now" (R0.6). */
  public static ProblemException unavailable(String detail) {
    return new ProblemException(ErrorCode.UNAVAILABLE, detail);
  }

  public ErrorCode code() {
    return code;
  }

  public String detail() {
    return String.valueOf(getMessage());
  }

  public Map<String, ? extends @Nullable Object> extras() {
    return extras;
  }
}
