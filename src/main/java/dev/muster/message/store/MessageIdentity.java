package dev.muster.message.store;

import dev.muster.platform.text.LosslessJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Identifies a message within its feed and sender (R7.3).
 *
 * @param key SHA-256 of the message id, in hexadecimal
 * @param contentHash SHA-256 of the content, in hexadecimal; it distinguishes a reused id from a
 *     duplicate message
 */
public record MessageIdentity(String key, String contentHash) {

  private static final int SHA_256_CHARACTERS = 64;

  public MessageIdentity {
    if (key.length() != SHA_256_CHARACTERS || contentHash.length() != SHA_256_CHARACTERS) {
      throw new IllegalArgumentException(
          "key: %s, contentHash: %s (expected: a SHA-256 each)".formatted(key, contentHash));
    }
  }

  /** Computes the identity of a message that is sent by this method. */
  public static MessageIdentity of(String method, ObjectNode message) {
    return new MessageIdentity(
        keyOf(message.path("messageId").stringValue()), sha256(content(method, message)));
  }

  /**
   * Returns the key of a message id. It hashes UTF-16, since in UTF-8 all lone surrogates become
   * equal.
   */
  public static String keyOf(String messageId) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * messageId.length());
    bytes.asCharBuffer().put(messageId);
    return sha256(bytes.array());
  }

  /**
   * Returns the content to hash, without metadata. Metadata may differ between two sends of one
   * message.
   */
  private static byte[] content(String method, ObjectNode message) {
    ObjectNode content = JsonNodeFactory.instance.objectNode().put("method", method);
    content.putObject("message").setAll(message).without("metadata");
    return LosslessJson.canonical(content).getBytes(StandardCharsets.UTF_8);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static byte[] bytes(String hexadecimal) {
    return HexFormat.of().parseHex(hexadecimal);
  }
}
