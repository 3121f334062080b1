package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a query parameter that is a time in RFC 3339. */
public final class TimeParameter {

  private static final Instant FAR = Instant.parse("9999-12-31T00:00:00Z");

  /** RFC 3339 has offsets of up to 23:59, and {@link OffsetDateTime} of up to 18:00. */
  private static final Pattern WITH_OFFSET =
      Pattern.compile("(.+)([+-])([01]\\d|2[0-3]):([0-5]\\d)");

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
      Instant time = instant(text.replace(' ', '+'));
      return Optional.of(
          time.isBefore(Instant.EPOCH) ? Instant.EPOCH : time.isAfter(FAR) ? FAR : time);
    } catch (DateTimeParseException notATime) {
      return Optional.empty();
    }
  }

  private static Instant instant(String text) {
    Matcher parts = WITH_OFFSET.matcher(text);
    if (!parts.matches()) {
      return OffsetDateTime.parse(text).toInstant();
    }
    Duration offset =
        Duration.ofHours(Long.parseLong(parts.group(3)))
            .plusMinutes(Long.parseLong(parts.group(4)));
    Instant time = LocalDateTime.parse(parts.group(1)).toInstant(ZoneOffset.UTC);
    return parts.group(2).equals("+") ? time.minus(offset) : time.plus(offset);
  }
}
