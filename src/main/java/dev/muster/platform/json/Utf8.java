package dev.muster.platform.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Decodes UTF-8 strictly, because a byte parser accepts some malformed sequences. */
final class Utf8 {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private Utf8() {}

  /** Returns the text without a byte order mark. */
  static String text(byte[] utf8) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }
}
