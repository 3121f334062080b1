package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Marks the row after which a keyset-paged list continues, by time and id.
 *
 * <p>Its text is opaque to clients (R0.10). Every text of its form is a cursor, so that the API
 * description says exactly which are accepted.
 *
 * @param createdAt in microseconds, as the database stores it
 */
public record PageCursor(Instant createdAt, UUID id) {

  /** Precedes every possible row. */
  public static final PageCursor START = new PageCursor(Instant.EPOCH, new UUID(0, 0));

  /** Follows every possible row. */
  public static final PageCursor END =
      new PageCursor(Instant.parse("9999-12-31T00:00:00Z"), new UUID(-1, -1));

  /** A number of 11 digits is a time before the year 6142. */
  private static final Pattern TEXT =
      Pattern.compile("([0-9a-z]{1,11})\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");

  public String text() {
    return Long.toString(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt), Character.MAX_RADIX)
        + "."
        + id;
  }

  /** Parses a cursor; refuses other text with {@code VALIDATION_FAILED}. */
  public static PageCursor parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw unknown();
    }
    long micros = Long.parseLong(parts.group(1), Character.MAX_RADIX);
    return new PageCursor(
        Instant.EPOCH.plus(micros, ChronoUnit.MICROS), UUID.fromString(parts.group(2)));
  }

  /** Returns the error for a cursor that is none, which all lists share. */
  public static ProblemException unknown() {
    return ProblemException.validation(
        "cursor: not one of this list (expected: the cursor of the last page's Link header)");
  }
}
