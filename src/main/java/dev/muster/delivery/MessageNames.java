package dev.muster.delivery;

import dev.muster.activity.MessageIdentity;
import dev.muster.platform.json.LosslessJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** By what a message is known when it comes again (R7.3). */
public final class MessageNames {

  private MessageNames() {}

  /** Of a message that is sent by this method. */
  public static MessageIdentity of(String method, ObjectNode message) {
    String id = message.path("messageId").stringValue();
    return new MessageIdentity(sha256(chars(id)), sha256(content(method, message)));
  }

  /** By which a message of this id is known in its feed. */
  public static String key(String messageId) {
    return HexFormat.of().formatHex(sha256(chars(messageId)));
  }

  /** Unlike UTF-8, this tells lone surrogates apart. */
  private static byte[] chars(String text) {
    ByteBuffer bytes = ByteBuffer.allocate(2 * text.length());
    bytes.asCharBuffer().put(text);
    return bytes.array();
  }

  /** All but the metadata, which may differ between two sends of one message. */
  private static byte[] content(String method, ObjectNode message) {
    ObjectNode content = JsonNodeFactory.instance.objectNode();
    content.put("method", method);
    content.set("message", Members.copy(message).without("metadata"));
    return LosslessJson.canonical(content).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
