package dev.muster.console.timeline;

import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
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
      Pattern.compile(
          "([efdr])([0-9a-z]{1,12})(?:\\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))?");

  /** The letters of the lanes, in the order of {@link #text}. */
  private static final String LETTERS =
      Arrays.stream(Lane.values()).map(lane -> lane.letter).collect(Collectors.joining());

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

  /** Parses a cursor; refuses text of another form, such as one with a lane twice. */
  static TimelineCursor parse(String text) {
    EnumMap<Lane, Place> places = new EnumMap<>(Lane.class);
    int next = 0;
    for (String part : text.split("_", -1)) {
      Matcher place = PLACE.matcher(part);
      int lane = place.matches() ? LETTERS.indexOf(place.group(1)) : -1;
      if (lane < next) {
        throw invalid();
      }
      places.put(Lane.values()[lane], place(place));
      next = lane + 1;
    }
    return new TimelineCursor(places);
  }

  private static Place place(Matcher found) {
    long number = Long.parseLong(found.group(2), Character.MAX_RADIX);
    String id = found.group(3);
    return new Place(Math.min(number, MAX_NUMBER), id == null ? NO_ID : UUID.fromString(id));
  }

  private static ProblemException invalid() {
    return ProblemException.validation(
        "before: not usable (expected: the next of the page before, or a time in RFC 3339, such as"
            + " 2026-11-21T20:00:00Z)");
  }
}
