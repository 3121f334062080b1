package dev.muster.platform.text;

/**
 * Removes secrets from error texts and log lines before they are cut and stored (R6.9).
 *
 * <p>Redacted are Muster's tokens, {@code Bearer} and {@code Basic} credentials, API keys with a
 * known prefix, JWTs, PEM private keys and credentials in URLs. Also redacted are values assigned
 * to names like {@code password}, {@code token} or {@code api_key} (query strings, JSON, shell,
 * headers). The rest stays verbatim. The time is linear in the length of any text.
 */
public final class Redaction {
  /** Replaces each secret. */
  public static final String MARK = "[redacted]";

  /**
   * A text without a run of this length, {@code :}, {@code =}, {@code %} or {@code --} holds no
   * secret.
   */
  private static final int MIN_RUN = 12;

  /** Collects the ranges of a text to redact, in ascending order. */
  static final class RedactedRanges {
    private final String text;
    private final StringBuilder out = new StringBuilder();
    private int copied;

    RedactedRanges(String text) {
      this.text = text;
    }

    void add(int start, int end) {
      out.append(text, copied, start).append(Redaction.MARK);
      copied = end;
    }

    /**
     * Returns the text with {@link Redaction#MARK} for each range; the same instance without
     * ranges.
     */
    String applied() {
      return out.isEmpty() ? text : out.append(text, copied, text.length()).toString();
    }
  }

  private Redaction() {}

  /** Returns the text without its secrets; the same instance when there are none. */
  public static String redact(String text) {
    if (!mayHoldSecret(text)) {
      return text;
    }
    String result = text;
    for (SecretShape shape : SecretShapes.ALL) {
      result = shape.redact(result);
    }
    return SecretAssignment.redact(MusterTokenPattern.redact(result));
  }

  /** Rejects most texts in one pass, so that the patterns run on few. */
  private static boolean mayHoldSecret(String text) {
    int run = 0;
    char before = ' ';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      run = isRunCharacter(c) ? run + 1 : 0;
      boolean option = c == '-' && before == '-';
      if (run >= MIN_RUN || option || c == ':' || c == '=' || c == '%') {
        return true;
      }
      before = c;
    }
    return false;
  }

  private static boolean isRunCharacter(char c) {
    return Escape.isLetterOrDigit(c) || (c >= '+' && c <= '/') || c == '_' || c == '~';
  }
}
