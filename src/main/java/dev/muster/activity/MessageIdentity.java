package dev.muster.activity;

import dev.muster.platform.json.LosslessJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

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

  /** Of a message that is sent by this method. */
  public static MessageIdentity of(String method, ObjectNode message) {
    return new MessageIdentity(
        keyOf(message.path("messageId").stringValue()), sha256(content(method, message)));
  }

  /** The key of a message with this id; unlike UTF-8, it tells lone surrogates apart. */
  public static String keyOf(String messageId) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * messageId.length());
    bytes.asCharBuffer().put(messageId);
    return sha256(bytes.array());
  }

  /** All but the metadata, which may differ between two sends of one message. */
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
