package dev.muster.platform.http;

import dev.muster.platform.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads a query parameter that is a time in RFC 3339. */
public final class TimeParameter {

  private static final Instant FAR = Instant.parse("9999-12-31T00:00:00Z");

  /** RFC 3339 has offsets of up to 23:59, and {@link java.time.OffsetDateTime} of up to 18:00. */
  private static final Pattern TIME =
      Pattern.compile(
          "(\\d{4}-\\d{2}-\\d{2})[Tt](\\d{2}:\\d{2})(?::([0-5]\\d|60)(?:\\.(\\d{1,9})\\d*)?)?"
              + "(?:[Zz]|([+-])([01]\\d|2[0-3]):([0-5]\\d))");

  private static final LocalTime LAST_MINUTE = LocalTime.of(23, 59);

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

  /** A leap second is the last one of a day in UTC, and counts as the first of the next day. */
  private static Instant instant(String text) {
    Matcher parts = TIME.matcher(text);
    if (!parts.matches()) {
      throw new DateTimeParseException("not of RFC 3339", text, 0);
    }
    LocalDateTime minute =
        LocalDateTime.parse(parts.group(1) + "T" + parts.group(2)).minus(offset(parts));
    int second = parts.group(3) == null ? 0 : Integer.parseInt(parts.group(3));
    if (second == 60 && !minute.toLocalTime().equals(LAST_MINUTE)) {
      throw new DateTimeParseException("no leap second", text, 0);
    }
    String fraction = parts.group(4) == null ? "0" : parts.group(4);
    long nanos = Long.parseLong(fraction + "0".repeat(9 - fraction.length()));
    return minute.toInstant(ZoneOffset.UTC).plusSeconds(second).plusNanos(nanos);
  }

  private static Duration offset(Matcher parts) {
    if (parts.group(5) == null) {
      return Duration.ZERO;
    }
    Duration offset =
        Duration.ofHours(Long.parseLong(parts.group(6)))
            .plusMinutes(Long.parseLong(parts.group(7)));
    return parts.group(5).equals("+") ? offset : offset.negated();
  }
}
