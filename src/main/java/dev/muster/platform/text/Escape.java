package dev.muster.platform.text;

/**
 * Recognises escapes in URLs ({@code %3D}) and JSON ({@code \n}).
 *
 * <p>Their letters and digits are no part of the word that follows.
 */
final class Escape {
  private Escape() {}

  /**
   * Returns how many characters from {@code at} belong to an escape.
   *
   * <p>The escape starts at {@code at - 1}; the result is 0 if there is none.
   */
  static int lengthAt(String text, int at) {
    char before = at == 0 ? ' ' : text.charAt(at - 1);
    if (before == '%') {
      return 2;
    }
    if (before != '\\' || at == text.length()) {
      return 0;
    }
    return text.charAt(at) == 'u' ? 5 : 1;
  }

  /**
   * Returns whether a word may start at {@code at}.
   *
   * <p>No letter or digit may precede it, except those of an escape.
   */
  static boolean startsWord(String text, int at) {
    return at == 0
        || !isLetterOrDigit(text.charAt(at - 1))
        || endsAt(text, at, 1)
        || endsAt(text, at, 2)
        || endsAt(text, at, 5);
  }

  private static boolean endsAt(String text, int at, int length) {
    return at > length && lengthAt(text, at - length) == length;
  }

  static boolean isLetterOrDigit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  }
}
