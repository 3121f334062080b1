package dev.muster.platform.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads bytes strictly as UTF-8: a parser of bytes would forgive forms that are not. */
final class Utf8 {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private Utf8() {}

  /** Without a byte order mark, which says nothing here. */
  static String text(byte[] utf8) throws CharacterCodingException {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)).toString();
    return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
  }
}
