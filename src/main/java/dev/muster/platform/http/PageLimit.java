package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.math.BigInteger;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the {@code limit} of a list: 1..1000, clamped (R0.10). */
public final class PageLimit {

  public static final int DEFAULT = 100;
  private static final BigInteger MAX = BigInteger.valueOf(1000);
  private static final int MAX_NUMBER_LENGTH = 40;

  private PageLimit() {}

  /**
   * Returns the limit; empty if absent. Refuses text other than a whole number with {@code
   * VALIDATION_FAILED}.
   */
  public static Optional<Integer> of(HttpServletRequest request) {
    @Nullable String text = request.getParameter("limit");
    if (text == null || text.isEmpty()) {
      return Optional.empty();
    }
    try {
      if (text.length() <= MAX_NUMBER_LENGTH) {
        return Optional.of(new BigInteger(text).max(BigInteger.ONE).min(MAX).intValue());
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the shared error below
    }
    throw ProblemException.validation(
        "limit: not a whole number of up to " + MAX_NUMBER_LENGTH + " digits (expected: 1..1000)");
  }
}
