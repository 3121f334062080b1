package dev.muster.platform.text;

import dev.muster.platform.text.Redaction.RedactedRanges;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Redacts values assigned to a secret's name.
 *
 * <p>Examples are {@code ?api_key=…}, {@code "token":"…"}, {@code DB_PASSWORD=…}, {@code X-Api-Key:
 * …} and {@code --password …}.
 *
 * <p>After {@code =}, a quoted name or an authentication header, any value is a secret. After a
 * plain colon the text may be prose ("unexpected token: else"), so the value must look like a key.
 */
record SecretAssignment(SecretName name, boolean prose, AssignedValue value) {
  private static final Pattern SCHEME =
      Pattern.compile("(?i)(?:bearer|basic|token|digest|negotiate|apikey)\\s{1,4}");

  /** Words that describe a secret or stand in for one; they are not redacted. */
  private static final Set<String> WORDS =
      Set.of(
          """
          a an and any bad be but can cannot contains denied disabled does empty error expected
          expired failed false field has in incorrect invalid is length malformed may mismatch
          missing must nil no none not null of ok optional or rejected required revoked should
          size string the this too true undefined unexpected unknown unset value was weak wrong
          you your\
          """
              .split("\\s+"));

  /** Matches references to a variable, format directives, and rows of stars or dots. */
  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\$|\\$\\{.*|\\$[A-Z_][A-Z0-9_]*|%[a-z]|[*.xX•…_-]{3,}");

  /** Returns the text with such values replaced; the same instance when there are none. */
  static String redact(String text) {
    RedactedRanges ranges = new RedactedRanges(text);
    int at = 0;
    while (at < text.length()) {
      Optional<SecretAssignment> found = separatedAt(text, at).filter(one -> one.isSecret(text));
      if (found.isPresent()) {
        at = found.get().value.wholeEnd(text);
        ranges.add(found.get().value.start(), at);
      } else {
        at++;
      }
    }
    return ranges.applied();
  }

  private static Optional<SecretAssignment> separatedAt(String text, int at) {
    return Separator.at(text, at)
        .flatMap(separator ->
            SecretName.before(text, separator.nameEnd())
                .filter(name -> !separator.blank() || name.isOption(text))
                .map(name -> read(text, name, separator)));
  }

  private static SecretAssignment read(String text, SecretName name, Separator separator) {
    int start = separator.valueStart();
    boolean prose = !separator.strong() && !name.isHeader(text);
    if (name.kind() == SecretName.Kind.AUTHORIZATION) {
      Matcher scheme = SCHEME.matcher(text).region(start, text.length());
      if (scheme.lookingAt()) {
        start = scheme.end();
        prose = false;
      }
    }
    return new SecretAssignment(name, prose, AssignedValue.at(text, start));
  }

  private boolean isSecret(String text) {
    String word = value.text(text);
    if (word.isEmpty()
        || word.startsWith(Redaction.MARK)
        || WORDS.contains(word.toLowerCase(Locale.ROOT))
        || PLACEHOLDER.matcher(word).matches()
        || name.isFolder(text, word)) {
      return false;
    }
    TokenEntropy entropy = TokenEntropy.of(word);
    boolean password = name.kind() == SecretName.Kind.PASSWORD;
    if (!prose) {
      boolean number = entropy.digits() == word.length();
      return password || word.length() >= (number ? 8 : 4);
    }
    if (password) {
      return value.endsClause(text) || (word.length() >= 6 && entropy.looksLikeKey());
    }
    boolean path = word.startsWith("/") || word.contains("://");
    return !path && word.length() >= 8 && entropy.looksLikeKey();
  }

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
  private record Separator(int nameEnd, int valueStart, boolean strong, boolean blank) {
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
}
