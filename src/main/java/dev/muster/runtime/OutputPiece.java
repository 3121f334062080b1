package dev.muster.runtime;

import java.util.UUID;

/**
 * A part of the output that a run wrote to stdout or stderr.
 *
 * @param bytes UTF-8 size of the part as written, including text that was cut off
 * @param endsAt position of the part's end in the whole output, in bytes, including text that was
 *     cut off
 */
record OutputPiece(
    UUID workspaceId, long runSeq, boolean isError, long bytes, long endsAt, String text) {

  /** Maximum number of bytes kept from the end of an output stream. */
  static final int MAX_KEPT_BYTES = 64 << 10;

  /**
   * Returns whether to delete superseded pieces now, which happens once per {@code MAX_KEPT_BYTES}.
   */
  boolean evictsOlder() {
    return endsAt / MAX_KEPT_BYTES > (endsAt - bytes) / MAX_KEPT_BYTES;
  }

  /**
   * Returns the longest end of {@code text} that fits {@code mostBytes} in UTF-8, in whole code
   * points.
   */
  static String end(String text, int mostBytes) {
    int bytes = 0;
    int from = text.length();
    while (from > 0) {
      int codePoint = text.codePointBefore(from);
      bytes += utf8Bytes(codePoint);
      if (bytes > mostBytes) {
        return text.substring(from);
      }
      from -= Character.charCount(codePoint);
    }
    return text;
  }

  private static int utf8Bytes(int codePoint) {
    if (codePoint < 0x80) {
      return 1;
    }
    if (codePoint < 0x800) {
      return 2;
    }
    return codePoint < 0x10000 ? 3 : 4;
  }
}
