package dev.muster.platform.text;

/**
 * Takes secrets out of error texts and log lines before they are stored and cut (R6.9).
 *
 * <p>What is taken: Muster's own tokens, {@code Bearer} and {@code Basic} credentials, API keys
 * with a known prefix, JWTs, private keys in PEM, credentials in urls, and values assigned to names
 * like {@code password}, {@code token} or {@code api_key} (query strings, JSON, shell, headers).
 * All else stays verbatim. Takes time linear in the length of the text, whoever wrote it.
 */
public final class Redaction {
  /** What stands where a secret stood. */
  public static final String MARK = "[redacted]";

  /** No secret is recognised by its shape alone that has a shorter unbroken run. */
  private static final int SHORTEST_SHAPE = 12;

  private static final int OWN_TOKEN_LENGTH = 43;

  private Redaction() {}

  /** The text without its secrets; the same instance when there are none. */
  public static String redact(String text) {
    Traits traits = Traits.of(text);
    String result = text;
    if (traits.hasAt) {
      result = SecretShapes.URL_CREDENTIALS.redact(result);
    }
    if (traits.longestRun >= SHORTEST_SHAPE) {
      for (SecretShape shape : SecretShapes.ALL) {
        result = shape.redact(result);
      }
    }
    if (traits.longestRun >= OWN_TOKEN_LENGTH) {
      result = SecretShapes.OWN_TOKEN.redact(result);
    }
    return traits.hasAssignment ? SecretAssignment.redact(result) : result;
  }

  /** What one quick look at every character tells; most texts need no second one. */
  private record Traits(boolean hasAt, boolean hasAssignment, int longestRun) {

    static Traits of(String text) {
      boolean hasAt = false;
      boolean hasAssignment = false;
      int longest = 0;
      int run = 0;
      char before = 0;
      for (int i = 0; i < text.length(); i++) {
        char c = text.charAt(i);
        run = isRunCharacter(c) ? run + 1 : 0;
        longest = Math.max(longest, run);
        hasAt |= c == '@';
        hasAssignment |= c == '=' || c == ':' || c == '%' || (c == '-' && before == '-');
        before = c;
      }
      return new Traits(hasAt, hasAssignment, longest);
    }

    private static boolean isRunCharacter(char c) {
      return (c >= 'a' && c <= 'z') || (c >= '+' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_';
    }
  }
}
