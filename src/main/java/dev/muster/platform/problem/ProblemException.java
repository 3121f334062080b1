package dev.muster.platform.problem;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a request with a code, a text and extra members of the response.
 *
 * <p>Clients branch on the code; people read the text.
 */
public final class ProblemException extends RuntimeException {

  private final ErrorCode code;
  private final transient Map<String, ? extends @Nullable Object> extras;
  private final @Nullable Duration retryAfter;

  public ProblemException(ErrorCode code, String detail) {
    this(code, detail, Map.of());
  }

  public ProblemException(
      ErrorCode code, String detail, Map<String, ? extends @Nullable Object> extras) {
    this(code, detail, extras, null);
  }

  private ProblemException(
      ErrorCode code,
      String detail,
      Map<String, ? extends @Nullable Object> extras,
      @Nullable Duration retryAfter) {
    // no stack trace: a refusal is a normal response, and a flood of refusals should stay cheap
    super(detail, null, false, false);
    this.code = code;
    this.extras = extras;
    this.retryAfter = retryAfter;
  }

  public static ProblemException validation(String detail) {
    return new ProblemException(ErrorCode.VALIDATION_FAILED, detail);
  }

  /** Returns the only response to an outage (R0.6). */
  public static ProblemException unavailable(String detail) {
    return new ProblemException(ErrorCode.UNAVAILABLE, detail);
  }

  /** Returns the same refusal with its own {@code Retry-After} instead of that of its code. */
  public ProblemException retryAfter(Duration pause) {
    return new ProblemException(code, detail(), extras, pause);
  }

  /** Returns the refusal's own {@code Retry-After}; null for that of its code. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
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
