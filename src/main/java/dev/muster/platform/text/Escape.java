package dev.muster.platform.text;

/**
 * Escaped characters such as in URLs ({@code %3D}) and JSON ({@code \n}), whose letters and digits
 * are no part of the word that comes after them.
 */
final class Escape {
  private Escape() {}

  /** How many characters from here on belong to an escape that began just before; mostly none. */
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

  /** Whether a word may start here, because no letter or digit stands before it. */
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
