package dev.muster.runtime;

import java.util.UUID;

/**
 * Some of what a run has written to one of its streams; {@code endsAt} and {@code bytes} count all
 * of it, also what was cut off.
 */
record OutputPiece(
    UUID workspaceId, long runSeq, boolean isError, long bytes, long endsAt, String text) {

  /** The most that is kept of a stream's end. */
  static final int MAX_KEPT_BYTES = 64 << 10;

  /** Whether it is time to look for pieces that are not wanted any more: not with every chunk. */
  boolean evictsOlder() {
    return endsAt / MAX_KEPT_BYTES > (endsAt - bytes) / MAX_KEPT_BYTES;
  }

  /** The longest end that takes no more bytes in UTF-8, beginning with a whole code point. */
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
