package dev.muster.platform.text;

/**
 * Tells keys from words by counting changes of character class.
 *
 * <p>The classes are capitals, small letters, digits and the rest.
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

  /**
   * Returns whether the word looks like a key.
   *
   * <p>Use it only where a key is plausible.
   */
  boolean looksLikeKey() {
    int letters = capitals + smalls;
    if (letters == 0) {
      return digits >= 16;
    }
    boolean base64 = changes * 4 > length; // camel case stays below: two changes per word
    return digits > 0 || base64 || (length >= 32 && letters == length);
  }

  /**
   * Returns whether 43 characters of base64url look random.
   *
   * <p>Random text has about 27 changes and 17 capitals; a camel case name has one capital per
   * word. Misses fewer than one token in a million.
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
