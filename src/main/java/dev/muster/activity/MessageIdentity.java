package dev.muster.activity;

import java.util.HexFormat;

/**
 * What makes a message the same one (R7.3), beside its feed and its sender: the SHA-256 of its id,
 * and that of its content, by which a reused id is told from a repeated message; in hexadecimal.
 */
public record MessageIdentity(String key, String contentHash) {

  private static final int SHA_256_CHARACTERS = 64;

  public MessageIdentity {
    if (key.length() != SHA_256_CHARACTERS || contentHash.length() != SHA_256_CHARACTERS) {
      throw new IllegalArgumentException(
          "key: %s, contentHash: %s (expected: a SHA-256 each)".formatted(key, contentHash));
    }
  }

  public MessageIdentity(byte[] key, byte[] contentHash) {
    this(HexFormat.of().formatHex(key), HexFormat.of().formatHex(contentHash));
  }

  static byte[] bytes(String hexadecimal) {
    return HexFormat.of().parseHex(hexadecimal);
  }
}
