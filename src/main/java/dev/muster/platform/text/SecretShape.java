package dev.muster.platform.text;

import dev.muster.platform.text.Redaction.RedactedRanges;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Redacts one kind of secret, recognised by its shape.
 *
 * <p>The secret is the group {@code secret} of the pattern, if it passes the test.
 *
 * <p>A pattern must be linear on any text: its runs are possessive, and the text it reads before it
 * fails is bounded. Matched text is not scanned again, whether or not it passes the test.
 *
 * @param start the characters that every match begins with; searching for them is cheap
 * @param word whether {@code start} must begin a word
 */
record SecretShape(String start, boolean word, Pattern pattern, Predicate<String> test) {

  /** Creates a shape whose secret follows these characters. */
  static SecretShape after(String start, String regex) {
    Pattern pattern = Pattern.compile(Pattern.quote(start) + regex);
    return new SecretShape(start, false, pattern, _ -> true);
  }

  /** Creates a shape for keys that begin with this prefix. */
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

  /** Returns the text with its secrets of this kind replaced; the same instance without any. */
  String redact(String text) {
    int at = text.indexOf(start);
    if (at < 0) {
      return text;
    }
    RedactedRanges ranges = new RedactedRanges(text);
    Matcher matcher = pattern.matcher(text);
    while (at >= 0) {
      int next = at + 1;
      boolean begins = !word || Escape.startsWord(text, at);
      if (begins && matcher.region(at, text.length()).lookingAt()) {
        next = matcher.end();
        if (test.test(matcher.group("secret"))) {
          ranges.add(matcher.start("secret"), matcher.end("secret"));
        }
      }
      at = text.indexOf(start, next);
    }
    return ranges.applied();
  }
}
