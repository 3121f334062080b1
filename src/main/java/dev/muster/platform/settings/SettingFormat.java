package dev.muster.platform.settings;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * The values that a setting may have. A variable has a plain number in the unit of its name. A
 * property has a unit, as in {@code 30s}.
 */
enum SettingFormat {
  /** Any text; the class that uses it checks it. */
  TEXT("a text", "a text"),
  COUNT("a positive whole number", "a positive whole number"),
  COUNT_OR_ZERO("0 or a positive whole number", "0 or a positive whole number"),
  SECONDS("a positive whole number", "a positive time in whole seconds, such as 30s"),
  SECONDS_OR_ZERO(
      "0 or a positive whole number", "0 or a positive time in whole seconds, such as 30s"),
  HOURS("a positive whole number", "a positive time in whole seconds, such as 6h"),
  /** Bounded, so that computed ages stay within the times that ids and SQL can express. */
  DAYS("0 or a positive whole number", "1 to 10000 whole days, such as 7d"),
  RATIO("a number from 0 to 1", "a number from 0 to 1"),
  FLAG("true or false", "true or false"),
  BYTES(
      "a positive number of bytes, or of KiB, MiB or GiB, such as 512MiB",
      "a positive size, such as 512MB");

  private static final int MAX_DAYS = 10_000;
  private static final Pattern AMOUNT = Pattern.compile("(\\d+) *([KkMmGg]i[Bb])?");
  private static final Pattern WHOLE = Pattern.compile("[+]?[0-9]+");

  private final String expected;
  private final String expectedOfProperty;

  SettingFormat(String expected, String expectedOfProperty) {
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

  /**
   * Returns the property's value for a variable's. Throws {@link IllegalArgumentException} for a
   * value that is not {@link #expected}.
   */
  String toProperty(String value) {
    return switch (this) {
      case TEXT -> value;
      case COUNT -> String.valueOf(number(value, 1));
      case COUNT_OR_ZERO -> String.valueOf(number(value, 0));
      case SECONDS -> number(value, 1) + "s";
      case SECONDS_OR_ZERO -> number(value, 0) + "s";
      case HOURS -> number(value, 1) + "h";
      case DAYS -> clamped(wholeNumber(value)) + "d";
      case RATIO -> String.valueOf(ratio(value));
      case FLAG -> String.valueOf(flag(value));
      case BYTES -> bytes(value) + "B";
    };
  }

  /** Returns the variable's value for a property's converted one. */
  String toVariable(Object value) {
    return switch (this) {
      case SECONDS, SECONDS_OR_ZERO -> String.valueOf(((Duration) value).toSeconds());
      case HOURS -> hours((Duration) value);
      case DAYS -> String.valueOf(((Duration) value).toDays());
      case BYTES -> size(((DataSize) value).toBytes());
      case TEXT, COUNT, COUNT_OR_ZERO, RATIO, FLAG -> String.valueOf(value);
    };
  }

  private static String hours(Duration time) {
    return time.equals(Duration.ofHours(time.toHours()))
        ? String.valueOf(time.toHours())
        : time.toSeconds() + " s";
  }

  private static String size(long bytes) {
    for (String name : new String[] {"GiB", "MiB", "KiB"}) {
      if (bytes % unit(name) == 0) {
        return bytes / unit(name) + name;
      }
    }
    return String.valueOf(bytes);
  }

  /** Returns the type of the property's converted value. */
  Class<?> type() {
    return switch (this) {
      case TEXT -> String.class;
      case COUNT, COUNT_OR_ZERO -> Integer.class;
      case SECONDS, SECONDS_OR_ZERO, HOURS, DAYS -> Duration.class;
      case RATIO -> Double.class;
      case FLAG -> Boolean.class;
      case BYTES -> DataSize.class;
    };
  }

  /** Tells whether a property's converted value is one of {@link #expectedOfProperty}. */
  boolean isInRange(Object value) {
    return switch (this) {
      case TEXT, FLAG -> true;
      case COUNT -> value instanceof Integer number && number > 0;
      case COUNT_OR_ZERO -> value instanceof Integer number && number >= 0;
      case SECONDS, HOURS -> isSeconds(value, 1);
      case SECONDS_OR_ZERO -> isSeconds(value, 0);
      case DAYS ->
          value instanceof Duration time
              && time.equals(Duration.ofDays(time.toDays()))
              && isWithinDays(BigInteger.valueOf(time.toDays()));
      case RATIO -> value instanceof Double ratio && ratio >= 0 && ratio <= 1;
      case BYTES -> value instanceof DataSize size && size.toBytes() > 0;
    };
  }

  /**
   * Tells whether a number of days is from 1 to 10,000. A variable's number outside becomes the
   * nearest one: the default could be shorter and delete rows that the operator wants to keep.
   */
  static boolean isWithinDays(BigInteger days) {
    return clamped(days).equals(days);
  }

  private static BigInteger clamped(BigInteger days) {
    return days.max(BigInteger.ONE).min(BigInteger.valueOf(MAX_DAYS));
  }

  /** Parses a whole number of 0 or more, of any size. */
  static BigInteger wholeNumber(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new NumberFormatException(text);
    }
    return new BigInteger(text);
  }

  private static int number(String text, int least) {
    int value = Integer.parseInt(text);
    if (value < least) {
      throw new NumberFormatException(text);
    }
    return value;
  }

  private static boolean isSeconds(Object value, int least) {
    return value instanceof Duration time
        && time.equals(Duration.ofSeconds(time.toSeconds()))
        && time.toSeconds() >= least
        && time.toSeconds() <= Integer.MAX_VALUE;
  }

  private static double ratio(String text) {
    double value = Double.parseDouble(text);
    if (!(value >= 0 && value <= 1)) {
      throw new NumberFormatException(text);
    }
    return value;
  }

  private static boolean flag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> true;
      case "false", "0", "no", "off" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  private static long bytes(String text) {
    Matcher amount = AMOUNT.matcher(text);
    if (!amount.matches()) {
      throw new NumberFormatException(text);
    }
    try {
      long bytes = Math.multiplyExact(Long.parseLong(amount.group(1)), unit(amount.group(2)));
      if (bytes > 0) {
        return bytes;
      }
    } catch (ArithmeticException tooLarge) {
      // falls through to the one failure for all
    }
    throw new NumberFormatException(text);
  }

  private static long unit(@Nullable String name) {
    return switch (name == null ? "" : name.toLowerCase(Locale.ROOT)) {
      case "kib" -> 1L << 10;
      case "mib" -> 1L << 20;
      case "gib" -> 1L << 30;
      default -> 1;
    };
  }
}
