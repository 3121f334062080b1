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
    return SecretAssignment.redact(MusterTokenPattern.redact(SecretShapes.redact(text)));
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

  /** Redacts Muster's tokens: 32 random bytes in base64url without a prefix (R1.1). */
  private static final class MusterTokenPattern {
    static final int LENGTH = 43;

    /**
     * The possible last characters: 43 characters hold two bits more than 32 bytes, and those are
     * 0.
     */
    private static final String LAST = "AEIMQUYcgkosw048";

    private MusterTokenPattern() {}

    /** Returns the text without such tokens; the same instance when there are none. */
    static String redact(String text) {
      RedactedRanges ranges = new RedactedRanges(text);
      int start = 0;
      for (int end = 0; end <= text.length(); end++) {
        if (end == text.length() || !isWordCharacter(text.charAt(end))) {
          if (end - start >= LENGTH) {
            int from = start + Escape.lengthAt(text, start);
            if (end - from == LENGTH && isToken(text.substring(from, end))) {
              ranges.add(from, end);
            }
          }
          start = end + 1;
        }
      }
      return ranges.applied();
    }

    private static boolean isToken(String word) {
      return LAST.indexOf(word.charAt(LENGTH - 1)) >= 0
          && TokenEntropy.of(word).looksLikeOwnToken();
    }

    private static boolean isWordCharacter(char c) {
      return Escape.isLetterOrDigit(c) || c == '-' || c == '_';
    }
  }
}
