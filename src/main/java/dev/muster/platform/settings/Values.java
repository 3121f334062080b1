package dev.muster.platform.settings;

import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses setting values; each parser rejects others with a message that says what it expected. */
public final class Values {

  private static final Pattern BYTES = Pattern.compile("(\\d+) *([KkMmGg]i[Bb])?");

  private static final Pattern WHOLE = Pattern.compile("[+]?[0-9]+");

  private Values() {}

  public static Integer positiveInt(String text) {
    try {
      int value = Integer.parseInt(text);
      if (value > 0) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the one message for both
    }
    throw new IllegalArgumentException("expected a positive whole number");
  }

  /** Parses a whole number of 0 or more, of any size. */
  static BigInteger wholeNumber(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException("expected 0 or a positive whole number");
    }
    return new BigInteger(text);
  }

  public static Integer zeroOrPositiveInt(String text) {
    try {
      int value = Integer.parseInt(text);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the one message for both
    }
    throw new IllegalArgumentException("expected 0 or a positive whole number");
  }

  /**
   * Parses an amount of bytes above 0: a whole number, alone or with KiB, MiB or GiB.
   *
   * <p>Example: {@code 512 MiB}.
   */
  public static Long bytes(String text) {
    Matcher amount = BYTES.matcher(text);
    try {
      if (amount.matches()) {
        long bytes = Math.multiplyExact(Long.parseLong(amount.group(1)), unit(amount.group(2)));
        if (bytes > 0) {
          return bytes;
        }
      }
    } catch (NumberFormatException | ArithmeticException tooLarge) {
      // falls through to the one message for all
    }
    throw new IllegalArgumentException(
        "expected a positive number of bytes, or of KiB, MiB or GiB, such as 512MiB");
  }

  private static long unit(@Nullable String name) {
    return switch (name == null ? "" : name.toLowerCase(Locale.ROOT)) {
      case "kib" -> 1L << 10;
      case "mib" -> 1L << 20;
      case "gib" -> 1L << 30;
      default -> 1;
    };
  }

  /** Parses a number from 0 to 1. */
  public static Double ratio(String text) {
    try {
      double value = Double.parseDouble(text);
      if (value >= 0 && value <= 1) {
        return value;
      }
    } catch (NumberFormatException notANumber) {
      // falls through to the one message for both
    }
    throw new IllegalArgumentException("expected a number from 0 to 1");
  }

  public static Boolean flag(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "1", "yes", "on" -> true;
      case "false", "0", "no", "off" -> false;
      default -> throw new IllegalArgumentException("expected true or false");
    };
  }
}
