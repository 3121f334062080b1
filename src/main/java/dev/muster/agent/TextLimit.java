package dev.muster.agent;

import java.nio.charset.StandardCharsets;

/**
 * How large a text may be in the body of a request to the platform (R0.7), in bytes of JSON in
 * UTF-8: a line break takes two, and other control characters take six.
 */
enum TextLimit {

  /** Of notifications and reports: 256 KiB, less what else is in the body. */
  USUAL(250 * 1024),

  /** Of messages to peers: 16 MiB, less what else is in the body. */
  MESSAGE(16 * 1024 * 1024 - 64 * 1024);

  private static final String SHORT_ESCAPES = "\"\\\b\t\n\f\r";

  private final int maxBytes;

  TextLimit(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Whether the text is not larger. */
  boolean admits(String text) {
    return text.codePoints().mapToLong(TextLimit::bytes).sum() <= maxBytes;
  }

  /** The text, or as much of its beginning as fits, with a note how large the whole text is. */
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
