package dev.muster.agent;

import java.nio.charset.StandardCharsets;

/**
 * Limits a text in a request body (R0.7), in bytes of UTF-8 JSON. A line break takes two bytes,
 * other control characters take six.
 */
enum TextLimit {

  /** For notifications and reports: 256 KiB, less 6 KiB for the other fields of the body. */
  USUAL(250 * 1024),

  /** For messages to peers: 16 MiB, less 64 KiB for the other fields of the body. */
  MESSAGE(16 * 1024 * 1024 - 64 * 1024);

  private static final String SHORT_ESCAPES = "\"\\\b\t\n\f\r";

  private final int maxBytes;

  TextLimit(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Returns whether the text is within the limit. */
  boolean admits(String text) {
    return text.codePoints().mapToLong(TextLimit::bytes).sum() <= maxBytes;
  }

  /** Returns the text, cut to the limit with a note of its full size in bytes. */
  String cut(String text) {
    if (admits(text)) {
      return text;
    }
    int size = text.getBytes(StandardCharsets.UTF_8).length;
    String note = "… (cut, %d bytes)".formatted(size);
    long left = maxBytes - note.codePoints().mapToLong(TextLimit::bytes).sum();
    int end = 0;
    while (left >= bytes(text.codePointAt(end))) {
      left -= bytes(text.codePointAt(end));
      end = text.offsetByCodePoints(end, 1);
    }
    return text.substring(0, end) + note;
  }

  private static int bytes(int codePoint) {
    if (SHORT_ESCAPES.indexOf(codePoint) >= 0) {
      return 2;
    }
    boolean isEscaped = codePoint < 0x20 || Character.getType(codePoint) == Character.SURROGATE;
    if (isEscaped) {
      return 6;
    }
    return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
}
