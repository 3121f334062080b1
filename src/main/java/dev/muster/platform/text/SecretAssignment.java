package dev.muster.platform.text;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A value assigned to a name that speaks of a secret: {@code ?api_key=…}, {@code "token":"…"},
 * {@code DB_PASSWORD=…}, {@code X-Api-Key: …}, {@code --password …}.
 *
 * <p>After {@code =}, a quoted name or an authentication header any value is a secret. After a
 * plain colon it may as well be prose ("unexpected token: else"), so it has to look like a key.
 */
record SecretAssignment(boolean plain, boolean password, AssignedValue value) {
  private static final Pattern NAME =
      Pattern.compile(
          """
          (?xi)
          (?: (?<header>(?<![a-z0-9])x-(?:[a-z]{1,12}-){0,2}) | (?<flag>--(?:[a-z0-9]{1,20}-){0,3}) )?
          (?: (?<password> password | passwd | passphrase | (?<=[_-])pass
                | (?<![a-z])pwd(?!\\s{0,4}[=:]\\s{0,4}/) )     # PWD=/home is a folder
            | token | secret(?:[_-]?key)? | (?:api|access|private|account)[_-]?key
            | (?<auth>authorization) )
          (?<quote>\\\\?["'\\]])?
          (?: \\s{0,4}(?:(?<equals>={1,2}>?|:=|%3d)|:)\\s{0,4} | (?<blank>\\s{1,4}) )
          """);

  private static final Pattern SCHEME =
      Pattern.compile("(?i)(?:bearer|basic|token|digest|negotiate|apikey)\\s{1,4}");

  /** Words that say something about a secret, or stand in for one. */
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

  /** References to a variable, format directives, and rows of stars or dots. */
  private static final Pattern PLACEHOLDER =
      Pattern.compile("\\$|\\$\\{.*|\\$[A-Z_][A-Z0-9_]*|%[a-z]|[*.xX•…_-]+");

  /** The text with such values replaced; the same instance when it has none. */
  static String redact(String text) {
    Matcher name = NAME.matcher(text);
    StringBuilder out = new StringBuilder();
    int copied = 0;
    int from = 0;
    while (name.find(from)) {
      SecretAssignment found = read(text, name);
      from = found.value.start();
      if (found.isSecret(text)) {
        int end = found.value.wholeEnd(text);
        out.append(text, copied, from).append(Redaction.MARK);
        copied = end;
        from = end;
      }
    }
    return copied == 0 ? text : out.append(text, copied, text.length()).toString();
  }

  private static SecretAssignment read(String text, Matcher name) {
    boolean plain =
        name.group("equals") == null
            && name.group("header") == null
            && (name.group("quote") == null || name.group("blank") != null);
    int start = name.end();
    if (name.group("blank") != null && name.group("flag") == null) {
      return new SecretAssignment(plain, false, AssignedValue.none(start));
    }
    if (name.group("auth") != null) {
      Matcher scheme = SCHEME.matcher(text).region(start, text.length());
      if (scheme.lookingAt()) {
        start = scheme.end();
        plain = false;
      }
    }
    return new SecretAssignment(
        plain, name.group("password") != null, AssignedValue.at(text, start));
  }

  private boolean isSecret(String text) {
    String word = value.text(text);
    if (word.isEmpty()
        || word.startsWith(Redaction.MARK)
        || WORDS.contains(word.toLowerCase(Locale.ROOT))
        || PLACEHOLDER.matcher(word).matches()) {
      return false;
    }
    Randomness randomness = Randomness.of(word);
    if (!plain) {
      boolean number = randomness.digits() == word.length();
      return password || word.length() >= (number ? 8 : 4);
    }
    if (password) {
      return value.endsClause(text) || (word.length() >= 6 && randomness.looksLikeKey());
    }
    boolean path = word.startsWith("/") || word.contains("://");
    return !path && word.length() >= 8 && randomness.looksLikeKey();
  }
}
