package dev.muster.runtime;

import dev.muster.platform.text.Text;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;

/** A task, identified by its cleaned and truncated name; {@code key} is the hash of that name. */
public record TaskName(String name, UUID key) {

  private static final int MAX_NAME_LENGTH = 1000;

  public static TaskName named(String name) {
    String shown = Text.cut(Text.clean(name), MAX_NAME_LENGTH);
    ByteBuffer hash = ByteBuffer.wrap(sha256(shown.getBytes(StandardCharsets.UTF_8)));
    return new TaskName(shown, new UUID(hash.getLong(), hash.getLong()));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
