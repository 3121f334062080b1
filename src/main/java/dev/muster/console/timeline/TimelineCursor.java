package dev.muster.console.timeline;

import dev.muster.platform.problem.ProblemException;
import java.math.BigInteger;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The position after which a timeline continues: one place in each source. Its text is opaque to
 * clients.
 */
record TimelineCursor(Map<Lane, Place> places) {

  /** A source of entries; its letter identifies it in the text of a cursor. */
  enum Lane {
    EVENTS("e"),
    FEED("f"),
    DELEGATIONS("d"),
    RUNS("r");

    private final String letter;

    Lane(String letter) {
      this.letter = letter;
    }
  }

  /**
   * A row in the order of its source; rows before it are older.
   *
   * @param number the number of the row, or its time in microseconds since 1970
   * @param id orders rows with the same time; all zero where the number is unique
   */
  record Place(long number, UUID id) {

    /** The place after every possible row. */
    static final Place NEWEST = new Place(MAX_NUMBER, new UUID(-1, -1));

    static Place ofSeq(long seq) {
      return new Place(seq, NO_ID);
    }

    static Place of(Instant time, UUID id) {
      return new Place(ChronoUnit.MICROS.between(Instant.EPOCH, time), id);
    }

    Instant time() {
      return Instant.EPOCH.plus(number, ChronoUnit.MICROS);
    }
  }

  private static final UUID NO_ID = new UUID(0, 0);

  /** The start of the year 10000 in microseconds; no number of a row comes near it either. */
  private static final long MAX_NUMBER = 253_402_300_799_999_999L;

  private static final Pattern PLACE =
      Pattern.compile("([efdr])([0-9a-z]{1,12})(?:\\.([0-9a-f-]{36}))?");

  TimelineCursor {
    places = new EnumMap<>(places);
  }

  Place of(Lane lane) {
    return places.getOrDefault(lane, Place.NEWEST);
  }

  String text() {
    return places.entrySet().stream()
        .map(one -> one.getKey().letter + text(one.getValue()))
        .collect(Collectors.joining("_"));
  }

  private static String text(Place place) {
    String number = Long.toString(place.number(), Character.MAX_RADIX);
    return place.id().equals(NO_ID) ? number : number + "." + place.id();
  }

  /** Parses a cursor; refuses text that {@link #text} did not write. */
  static TimelineCursor parse(String text) {
    Map<Lane, Place> places = new EnumMap<>(Lane.class);
    for (String part : text.split("_", Lane.values().length + 1)) {
      Matcher place = PLACE.matcher(part);
      if (!place.matches()) {
        throw invalid();
      }
      for (Lane lane : Lane.values()) {
        if (lane.letter.equals(place.group(1))) {
          places.put(lane, place(place));
        }
      }
    }
    TimelineCursor cursor = new TimelineCursor(places);
    if (!cursor.text().equals(text)) {
      throw invalid();
    }
    return cursor;
  }

  private static Place place(Matcher found) {
    BigInteger number = new BigInteger(Objects.requireNonNull(found.group(2)), Character.MAX_RADIX);
    if (number.compareTo(BigInteger.valueOf(MAX_NUMBER)) > 0) {
      throw invalid();
    }
    String id = found.group(3);
    try {
      return new Place(number.longValueExact(), id == null ? NO_ID : UUID.fromString(id));
    } catch (IllegalArgumentException notAnId) {
      throw invalid();
    }
  }

  private static ProblemException invalid() {
    return ProblemException.validation(
        "before: not usable (expected: the next of the page before, or a time in RFC 3339, such as"
            + " 2026-11-21T20:00:00Z)");
  }
}
