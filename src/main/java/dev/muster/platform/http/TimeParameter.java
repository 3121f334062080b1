package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Reads a query parameter that is a time in RFC 3339. */
public final class TimeParameter {

  private static final Instant FAR = Instant.parse("9999-12-31T00:00:00Z");

  private TimeParameter() {}

  /**
   * Returns the time, within those that a database can store; empty for {@code ""}. Refuses other
   * texts with {@code VALIDATION_FAILED}.
   */
  public static Optional<Instant> read(String name, String text) {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    Optional<Instant> time = parse(text);
    if (time.isEmpty()) {
      throw ProblemException.validation(
          name + ": not a time (expected: RFC 3339, such as 2026-11-21T20:00:00Z)");
    }
    return time;
  }

  /** Returns the time as {@link #read} does; empty for any text that is none. */
  public static Optional<Instant> parse(String text) {
    try {
      // a plus that the client did not escape arrives as a space
      Instant time = OffsetDateTime.parse(text.replace(' ', '+')).toInstant();
      return Optional.of(
          time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time.isAfter(FAR) ? FAR : time);
    } catch (DateTimeParseException notATime) {
      return Optional.empty();
    }
  }
}
