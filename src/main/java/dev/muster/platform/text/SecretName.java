package dev.muster.platform.text;

import java.util.List;
import java.util.Optional;

/**
 * A name that ends in a word for a secret, such as {@code OPENAI_API_KEY}, {@code clientSecret} or
 * {@code X-Auth-Token}; what comes before that word matters little.
 *
 * @param start where the word for a secret begins
 */
record SecretName(int start, Kind kind) {

  /** What the word is about. */
  enum Kind {
    PASSWORD,
    KEY,
    AUTHORIZATION
  }

  private static final List<String> PASSWORDS = List.of("password", "passwd", "passphrase");
  private static final List<String> KEYS = List.of("token", "secret");
  private static final List<String> KINDS_OF_KEY =
      List.of("api", "access", "private", "account", "secret");

  /** As far back as the beginning of a header's or option's name is looked for. */
  private static final int MAX_LENGTH = 40;

  /** The name that ends before this index, if it is one. */
  static Optional<SecretName> before(String text, int end) {
    return firstOf(PASSWORDS, text, end, Kind.PASSWORD)
        .or(() -> firstOf(KEYS, text, end, Kind.KEY))
        .or(() -> key(text, end))
        .or(() -> shortPassword(text, end))
        .or(() -> firstOf(List.of("authorization"), text, end, Kind.AUTHORIZATION));
  }

  private static Optional<SecretName> firstOf(List<String> words, String text, int end, Kind kind) {
    for (String word : words) {
      if (endsWith(text, end, word)) {
        return Optional.of(new SecretName(end - word.length(), kind));
      }
    }
    return Optional.empty();
  }

  private static Optional<SecretName> key(String text, int end) {
    if (!endsWith(text, end, "key")) {
      return Optional.empty();
    }
    int gap = end - 4;
    boolean parted = gap >= 0 && (text.charAt(gap) == '_' || text.charAt(gap) == '-');
    return firstOf(KINDS_OF_KEY, text, parted ? gap : end - 3, Kind.KEY);
  }

  /** {@code pwd}, but not as a part of a word, and {@code pass}, but only as a part of a name. */
  private static Optional<SecretName> shortPassword(String text, int end) {
    if (endsWith(text, end, "pwd")) {
      boolean whole = end < 4 || !Character.isLetter(text.charAt(end - 4));
      return whole ? Optional.of(new SecretName(end - 3, Kind.PASSWORD)) : Optional.empty();
    }
    boolean part =
        endsWith(text, end, "pass") && end > 4 && "_-".indexOf(text.charAt(end - 5)) >= 0;
    return part ? Optional.of(new SecretName(end - 4, Kind.PASSWORD)) : Optional.empty();
  }

  private static boolean endsWith(String text, int end, String word) {
    return text.regionMatches(true, end - word.length(), word, 0, word.length());
  }

  /** Whether the whole name is that of a header like {@code X-Api-Key}. */
  boolean isHeader(String text) {
    int first = wholeStart(text);
    return text.regionMatches(true, first, "x-", 0, 2);
  }

  /** Whether the whole name is that of a command line option like {@code --api-key}. */
  boolean isOption(String text) {
    return text.startsWith("--", wholeStart(text));
  }

  /** {@code PWD=/home/x} is where a process runs. */
  boolean isFolder(String text, String value) {
    return value.startsWith("/") && text.regionMatches(true, start, "pwd", 0, 3);
  }

  private int wholeStart(String text) {
    int first = start;
    while (first > 0 && start - first < MAX_LENGTH && isNameCharacter(text.charAt(first - 1))) {
      first--;
    }
    return first;
  }

  private static boolean isNameCharacter(char c) {
    return Character.isLetterOrDigit(c) || c == '-' || c == '_';
  }
}
