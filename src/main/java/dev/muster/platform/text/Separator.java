package dev.muster.platform.text;

import java.util.Optional;

/**
 * Locates the separator between a name and its value.
 *
 * <p>It is {@code :}, {@code =}, {@code :=}, {@code =>}, {@code %3D} or the blank after a command
 * line option. Quotes and white space around it belong to it.
 *
 * @param nameEnd index after the name
 * @param valueStart index of the value, at its opening quote if it has one
 * @param strong whether it is surely an assignment; a colon after an unquoted word is not
 * @param blank whether it is only white space
 */
record Separator(int nameEnd, int valueStart, boolean strong, boolean blank) {
  private static final int MAX_SPACES = 4;

  /** Returns the separator that begins at index {@code at}; empty if there is none. */
  static Optional<Separator> at(String text, int at) {
    char c = text.charAt(at);
    if (c == ' ' || c == '\t') {
      return Optional.of(new Separator(at, skipSpaces(text, at), false, true));
    }
    if (c != ':' && c != '=' && !(c == '%' && text.regionMatches(true, at, "%3d", 0, 3))) {
      return Optional.empty();
    }
    int end = c == '%' ? at + 3 : at + 1;
    while (end < text.length() && end < at + 3 && isTail(text.charAt(end))) {
      end++;
    }
    boolean equals = c != ':' || (end > at + 1 && text.charAt(at + 1) == '=');
    int nameEnd = skipSpacesBack(text, at);
    boolean quoted = nameEnd > 0 && "\"'".indexOf(text.charAt(nameEnd - 1)) >= 0;
    if (quoted || (equals && nameEnd > 0 && text.charAt(nameEnd - 1) == ']')) {
      nameEnd--;
    }
    if (quoted && nameEnd > 0 && text.charAt(nameEnd - 1) == '\\') {
      nameEnd--; // JSON within JSON
    }
    return Optional.of(new Separator(nameEnd, skipSpaces(text, end), equals || quoted, false));
  }

  private static boolean isTail(char c) {
    return c == '=' || c == '>';
  }

  private static int skipSpaces(String text, int from) {
    int i = from;
    while (i < text.length() && i < from + MAX_SPACES && text.charAt(i) <= ' ') {
      i++;
    }
    return i;
  }

  private static int skipSpacesBack(String text, int from) {
    int i = from;
    while (i > 0 && i > from - MAX_SPACES && text.charAt(i - 1) <= ' ') {
      i--;
    }
    return i;
  }
}
