package dev.muster.platform.text;

/**
 * Tells keys from language by how often a word changes between capitals, small letters, digits and
 * the rest.
 */
record TokenEntropy(int length, int capitals, int smalls, int digits, int changes) {

  static TokenEntropy of(CharSequence word) {
    int capitals = 0;
    int smalls = 0;
    int digits = 0;
    int changes = 0;
    for (int i = 0; i < word.length(); i++) {
      char kind = kindOf(word.charAt(i));
      capitals += kind == 'A' ? 1 : 0;
      smalls += kind == 'a' ? 1 : 0;
      digits += kind == '0' ? 1 : 0;
      changes += i > 0 && kind != kindOf(word.charAt(i - 1)) ? 1 : 0;
    }
    return new TokenEntropy(word.length(), capitals, smalls, digits, changes);
  }

  /** Whether the word is more likely a key than a word, in a place where keys stand. */
  boolean looksLikeKey() {
    int letters = capitals + smalls;
    if (letters == 0) {
      return digits >= 16;
    }
    boolean base64 = changes * 4 > length; // camel case changes twice a word, less than that
    return digits > 0 || base64 || (length >= 32 && letters == length);
  }

  /**
   * Whether 43 characters of base64url look drawn by lot: 27 changes and 17 capitals are to be
   * expected then, whereas a name in camel case has one capital a word. Misses fewer than one token
   * in a million.
   */
  boolean looksLikeOwnToken() {
    return capitals > 0 && smalls > 0 && (changes >= 12 || Math.min(capitals, smalls) >= 10);
  }

  private static char kindOf(char c) {
    if (c >= 'a' && c <= 'z') {
      return 'a';
    }
    if (c >= 'A' && c <= 'Z') {
      return 'A';
    }
    return c >= '0' && c <= '9' ? '0' : '-';
  }
}
