package dev.muster.identity;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;

/** Holds the SHA-256 of a secret; usable as a map key. */
final class SecretHash {

  private final byte[] sha256;

  SecretHash(byte[] sha256) {
    this.sha256 = sha256;
  }

  byte[] bytes() {
    return sha256.clone();
  }

  /** Compares in constant time, so that timing reveals nothing of the hash. */
  boolean matches(SecretHash other) {
    return MessageDigest.isEqual(sha256, other.sha256);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SecretHash hash && Arrays.equals(sha256, hash.sha256);
  }

  @Override
  public int hashCode() {
    return ByteBuffer.wrap(sha256).getInt();
  }
}
