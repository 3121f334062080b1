package dev.muster.platform.settings;

import java.util.Locale;

/** The forms a setting's value may take; each refuses others by saying what it expected. */
public final class Values {

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

  /** A number from 0 to 1. */
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
