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

  /** A secret that has neither a colon nor an equals sign beside it has a longer unbroken run. */
  private static final int MIN_RUN = 12;

  private Redaction() {}

  /** The text without its secrets; the same instance when there are none. */
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

  /** One quick look, after which most texts need no second one. */
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
