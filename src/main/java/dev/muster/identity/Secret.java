package dev.muster.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/**
 * Holds a bearer secret in clear: 32 random bytes as base64url without padding (R1.1). It is shown
 * once, and never stored or logged. It does not begin with a hyphen, since the parser of a command
 * line may take such a value for an option.
 */
record Secret(String text) {

  private static final int BYTES = 32;
  private static final int PREFIX = 8;
  private static final SecureRandom RANDOM = new SecureRandom();

  static Secret random() {
    byte[] bytes = new byte[BYTES];
    String text;
    do {
      RANDOM.nextBytes(bytes);
      text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    } while (text.startsWith("-"));
    return new Secret(text);
  }

  /** Returns the SHA-256 hash that is stored instead of the secret. */
  SecretHash hash() {
    try {
      byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
      return new SecretHash(MessageDigest.getInstance("SHA-256").digest(utf8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  String prefix() {
    return text.substring(0, PREFIX);
  }

  @Override
  public String toString() {
    return "Secret[hidden]";
  }
}
