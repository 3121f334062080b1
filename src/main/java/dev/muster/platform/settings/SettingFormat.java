package dev.muster.platform.settings;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.unit.DataSize;

/**
 * The type, the unit and the range of a setting. A variable has a plain number in the unit of its
 * name. A property has a unit, as in {@code 30s}.
 */
enum SettingFormat {
  /**
   * Any text; the class that uses it checks it. It may be a secret, so only that it is set is
   * shown, and of an address its host.
   */
  TEXT(String.class, "a text"),
  /** The same, but it is shown, without what looks like a secret. */
  OPEN_TEXT(String.class, "a text"),
  FLAG(Boolean.class, "true or false"),
  COUNT(Integer.class, 1, Integer.MAX_VALUE, "a positive whole number"),
  COUNT_OR_ZERO(Integer.class, 0, Integer.MAX_VALUE, "0 or a positive whole number"),
  RATIO(Double.class, 0, 1, "a number from 0 to 1"),
  SECONDS(
      "s",
      1,
      Integer.MAX_VALUE,
      "a positive whole number",
      "a positive time in whole seconds, such as 30s"),
  SECONDS_OR_ZERO(
      "s",
      0,
      Integer.MAX_VALUE,
      "0 or a positive whole number",
      "0 or a positive time in whole seconds, such as 30s"),
  /** The range is in seconds. */
  HOURS(
      "h",
      1,
      Integer.MAX_VALUE,
      "a positive whole number",
      "a positive time in whole seconds, such as 6h"),
  /**
   * Bounded, so that computed ages stay within the times that ids and SQL can express. A variable's
   * number outside becomes the nearest one: the default could be shorter and delete rows that the
   * operator wants to keep.
   */
  DAYS("d", 1, 10_000, "0 or a positive whole number", "1 to 10000 whole days, such as 7d"),
  BYTES(
      DataSize.class,
      "",
      1,
      Long.MAX_VALUE,
      "a positive number of bytes, or of KiB, MiB or GiB, such as 512MiB",
      "a positive size, such as 512MB");

  private static final List<String> SIZES = List.of("", "KiB", "MiB", "GiB");

  private final Class<?> type;
  private final String unit;
  private final long least;
  private final long most;
  private final String expected;
  private final String expectedOfProperty;

  SettingFormat(Class<?> type, String expected) {
    this(type, 0, 0, expected);
  }

  SettingFormat(Class<?> type, long least, long most, String expected) {
    this(type, "", least, most, expected, expected);
  }

  SettingFormat(String unit, long least, long most, String expected, String expectedOfProperty) {
    this(Duration.class, unit, least, most, expected, expectedOfProperty);
  }

  SettingFormat(
      Class<?> type,
      String unit,
      long least,
      long most,
      String expected,
      String expectedOfProperty) {
    this.type = type;
    this.unit = unit;
    this.least = least;
    this.most = most;
    this.expected = expected;
    this.expectedOfProperty = expectedOfProperty;
  }

  /** Describes the values of the variable, such as "a positive whole number". */
  String expected() {
    return expected;
  }

  /** Describes the values of the property. */
  String expectedOfProperty() {
    return expectedOfProperty;
  }

  /** Tells whether it is a text or a list of texts. */
  boolean isText() {
    return type == String.class;
  }

  /** Returns the property's value for a variable's; empty where it is not {@link #expected}. */
  Optional<String> toProperty(String variable) {
    String property =
        switch (this) {
          case TEXT, OPEN_TEXT, FLAG, RATIO -> variable;
          case BYTES ->
              variable.matches("(?i)\\d+( *[KMG]iB)?")
                  ? variable.replaceAll("(?i)[ i]", "").toUpperCase(Locale.ROOT)
                  : "";
          default -> variable.matches("[+]?[0-9]+") ? nearest(new BigInteger(variable)) + unit : "";
        };
    return parse(property).map(value -> value instanceof Duration ? property : value.toString());
  }

  private BigInteger nearest(BigInteger number) {
    return this == DAYS
        ? number.max(BigInteger.valueOf(least)).min(BigInteger.valueOf(most))
        : number;
  }

  /** Returns a property's value; empty where it is not {@link #expectedOfProperty}. */
  Optional<Object> parse(String property) {
    try {
      return Optional.<Object>ofNullable(
              ApplicationConversionService.getSharedInstance().convert(property, type))
          .filter(this::isInRange);
    } catch (ConversionException notOfThatType) {
      return Optional.empty();
    }
  }

  private boolean isInRange(Object value) {
    return switch (value) {
      case Duration time -> {
        Duration step = this == DAYS ? one() : Duration.ofSeconds(1);
        yield isWhole(time, step) && isBetween(time.dividedBy(step));
      }
      case DataSize size -> isBetween(size.toBytes());
      case Number number -> isBetween(number);
      default -> true;
    };
  }

  private boolean isBetween(Number number) {
    double value = number.doubleValue();
    return value >= least && value <= most;
  }

  private Duration one() {
    return DurationStyle.SIMPLE.parse("1" + unit);
  }

  private static boolean isWhole(Duration time, Duration step) {
    return time.equals(step.multipliedBy(time.dividedBy(step)));
  }

  /** Returns the variable's value for one that {@link #parse} returned. */
  String toVariable(Object value) {
    return switch (value) {
      case Duration time when isWhole(time, one()) -> String.valueOf(time.dividedBy(one()));
      case Duration time -> time.toSeconds() + " s";
      case DataSize size -> size(size.toBytes());
      default -> value.toString();
    };
  }

  private static String size(long bytes) {
    int power = Math.min(Long.numberOfTrailingZeros(bytes) / 10, SIZES.size() - 1);
    return (bytes >> (10 * power)) + SIZES.get(power);
  }
}
