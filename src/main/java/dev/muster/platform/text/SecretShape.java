package dev.muster.platform.text;

import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kind of secret that is recognised by its shape: the group {@code secret} of a pattern, if it
 * passes a test.
 *
 * <p>A pattern has to be linear on any text: its runs are possessive, and what it reads before it
 * fails is bounded. What it matches is not read again, passed or not.
 *
 * @param start the characters that every match begins with; searching them is cheap
 * @param word whether those must be the beginning of a word
 */
record SecretShape(String start, boolean word, Pattern pattern, Predicate<String> test) {

  /** A secret in whatever comes after these characters. */
  static SecretShape after(String start, String regex) {
    Pattern pattern = Pattern.compile(Pattern.quote(start) + regex);
    return new SecretShape(start, false, pattern, _ -> true);
  }

  /** A key that begins with this prefix. */
  static SecretShape prefixed(String prefix, String rest) {
    Pattern pattern = Pattern.compile("(?<secret>" + Pattern.quote(prefix) + rest + ")");
    return new SecretShape(prefix, true, pattern, _ -> true);
  }

  SecretShape onlyWord() {
    return new SecretShape(start, true, pattern, test);
  }

  SecretShape onlyIf(Predicate<String> newTest) {
    return new SecretShape(start, word, pattern, newTest);
  }

  /** The text with its secrets of this kind replaced; the same instance when it has none. */
  String redact(String text) {
    int at = text.indexOf(start);
    if (at < 0) {
      return text;
    }
    RedactedRanges cuts = new RedactedRanges(text);
    Matcher matcher = pattern.matcher(text);
    while (at >= 0) {
      int next = at + 1;
      boolean begins = !word || Escape.startsWord(text, at);
      if (begins && matcher.region(at, text.length()).lookingAt()) {
        next = matcher.end();
        if (test.test(matcher.group("secret"))) {
          cuts.add(matcher.start("secret"), matcher.end("secret"));
        }
      }
      at = text.indexOf(start, next);
    }
    return cuts.applied();
  }
}
