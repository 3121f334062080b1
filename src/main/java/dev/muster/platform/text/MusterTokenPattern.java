package dev.muster.platform.text;

import dev.muster.platform.text.Redaction.RedactedRanges;

/** Redacts Muster's tokens: 32 random bytes in base64url without a prefix (R1.1). */
final class MusterTokenPattern {
  static final int LENGTH = 43;

  /**
   * The possible last characters: 43 characters hold two bits more than 32 bytes, and those are 0.
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
    return LAST.indexOf(word.charAt(LENGTH - 1)) >= 0 && TokenEntropy.of(word).looksLikeOwnToken();
  }

  private static boolean isWordCharacter(char c) {
    return Escape.isLetterOrDigit(c) || c == '-' || c == '_';
  }
}
