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
}
