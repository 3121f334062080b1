package dev.muster.platform.text;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kind of secret that is recognised by its shape: the group {@code secret} of a pattern, if it
 * passes a test.
 *
 * <p>A pattern has to be linear on any text: runs are possessive, and what a failed match reads is
 * bounded.
 *
 * @param hints one of these is part of every match; a search for them is far cheaper than the
 *     pattern
 */
record SecretShape(List<String> hints, Pattern pattern, Predicate<String> test) {
  /** An escaped character, whose letters and digits are no part of the word after it. */
  static final String ESCAPE = "%[0-9A-Fa-f]{2}|\\\\(?:[nrt]|u[0-9A-Fa-f]{4})";

  static SecretShape shaped(List<String> hints, String regex) {
    return new SecretShape(hints, Pattern.compile(regex), _ -> true);
  }

  /** A key that begins with these very characters, not in the middle of a word. */
  static SecretShape prefixed(String prefix, String rest) {
    String regex =
        "(?:(?<![A-Za-z0-9])|(?<=" + ESCAPE + "))(?<secret>" + Pattern.quote(prefix) + rest + ")";
    return shaped(List.of(prefix), regex);
  }

  SecretShape onlyIf(Predicate<String> newTest) {
    return new SecretShape(hints, pattern, newTest);
  }

  /** The text with its secrets of this kind replaced; the same instance when it has none. */
  String redact(String text) {
    return hints.stream().anyMatch(text::contains) ? replaceMatches(text) : text;
  }

  private String replaceMatches(String text) {
    Matcher matcher = pattern.matcher(text);
    StringBuilder out = new StringBuilder();
    int copied = 0;
    while (matcher.find()) {
      if (test.test(matcher.group("secret"))) {
        out.append(text, copied, matcher.start("secret")).append(Redaction.MARK);
        copied = matcher.end("secret");
      }
    }
    return copied == 0 ? text : out.append(text, copied, text.length()).toString();
  }
}
