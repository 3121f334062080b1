package dev.muster.platform.text;

import java.util.List;
import java.util.Optional;

/**
 * Recognises names that end in a word for a secret.
 *
 * <p>Examples are {@code OPENAI_API_KEY}, {@code clientSecret} and {@code X-Auth-Token}. Most text
 * before that word is ignored.
 *
 * @param start index of the word for a secret
 */
record SecretName(int start, Kind kind) {

  /** The kind of secret that the name announces. */
  enum Kind {
    PASSWORD,
    KEY,
    AUTHORIZATION
  }

  private static final List<String> PASSWORDS = List.of("password", "passwd", "passphrase");
  private static final List<String> KEYS = List.of("token", "secret");
  private static final List<String> KINDS_OF_KEY =
      List.of("api", "access", "private", "account", "secret");

  /** The characters searched backwards for the start of a header's or option's name. */
  private static final int MAX_LENGTH = 40;

  /** Returns the secret's name that ends before index {@code end}; empty if there is none. */
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

  /**
   * Accepts {@code pwd} unless a letter precedes it, and {@code pass} only after {@code _} or
   * {@code -}.
   */
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

  /** Returns whether the whole name is that of a header like {@code X-Api-Key}. */
  boolean isHeader(String text) {
    int first = wholeStart(text);
    return text.regionMatches(true, first, "x-", 0, 2);
  }

  /** Returns whether the whole name is that of a command line option like {@code --api-key}. */
  boolean isOption(String text) {
    return text.startsWith("--", wholeStart(text));
  }

  /** Returns whether this is a working directory, such as {@code PWD=/home/x}. */
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
