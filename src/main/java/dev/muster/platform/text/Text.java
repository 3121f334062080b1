package dev.muster.platform.text;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Cleans and cuts text from outside before it is stored (R0.1, R0.8).
 *
 * <p>{@link #clean}, {@link #cut} and {@link #cutBytes} return the same instance when nothing
 * changes.
 */
public final class Text {
  private static final int MAX_LISTED = 5;

  /** The marks, embeddings, overrides and isolates of Unicode's bidirectional algorithm. */
  private static final String BIDI_CONTROLS =
      "\u061C\u200E\u200F\u202A\u202B\u202C\u202D\u202E\u2066\u2067\u2068\u2069";

  private static final char REPLACEMENT = '\uFFFD';

  private Text() {}

  /**
   * Replaces each U+0000 and each lone surrogate by U+FFFD, because PostgreSQL and UTF-8 cannot
   * store them. The number of {@code char}s stays the same.
   */
  public static String clean(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isPairAt(text, i)) {
        i++;
      } else if (isUnfit(text.charAt(i))) {
        return cleanFrom(text, i);
      }
    }
    return text;
  }

  private static String cleanFrom(String text, int start) {
    char[] chars = text.toCharArray();
    for (int i = start; i < chars.length; i++) {
      if (isPairAt(text, i)) {
        i++;
      } else if (isUnfit(chars[i])) {
        chars[i] = REPLACEMENT;
      }
    }
    return new String(chars);
  }

  /** Returns the first {@code maxCodePoints} code points; a lone surrogate counts as one. */
  public static String cut(String text, int maxCodePoints) {
    requireNotNegative(maxCodePoints);
    if (text.length() <= maxCodePoints) {
      return text;
    }
    int end = 0;
    for (int left = maxCodePoints; left > 0 && end < text.length(); left--) {
      end += isPairAt(text, end) ? 2 : 1;
    }
    return text.substring(0, end);
  }

  /**
   * Returns the longest prefix of at most {@code maxUtf8Bytes} bytes in UTF-8.
   *
   * <p>It ends between code points. A lone surrogate counts three bytes, like the U+FFFD that
   * {@link #clean} makes of it.
   */
  public static String cutBytes(String text, int maxUtf8Bytes) {
    requireNotNegative(maxUtf8Bytes);
    if (text.length() <= maxUtf8Bytes / 3) {
      return text; // a char takes at most three bytes
    }
    int end = 0;
    int bytes = 0;
    while (end < text.length()) {
      boolean pair = isPairAt(text, end);
      bytes += pair ? 4 : utf8Bytes(text.charAt(end));
      if (bytes > maxUtf8Bytes) {
        return text.substring(0, end);
      }
      end += pair ? 2 : 1;
    }
    return text;
  }

  /**
   * Returns whether the text can be shown in one line, in the order of its characters: it has no
   * control character, no separator of lines or paragraphs, and none that changes the direction of
   * what follows.
   */
  public static boolean isOneLine(String text) {
    return text.codePoints().allMatch(Text::fitsInALine);
  }

  /** Makes a text that fits into one line: each other character becomes a space. */
  public static String oneLine(String text) {
    return text.codePoints()
        .map(c -> fitsInALine(c) ? c : ' ')
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  private static boolean fitsInALine(int character) {
    int type = Character.getType(character);
    return !Character.isISOControl(character)
        && type != Character.LINE_SEPARATOR
        && type != Character.PARAGRAPH_SEPARATOR
        && BIDI_CONTROLS.indexOf(character) < 0;
  }

  /** Returns the first five elements and the number of the others, for log lines. */
  public static String few(Collection<?> things) {
    String first =
        things.stream().limit(MAX_LISTED).map(String::valueOf).collect(Collectors.joining(", "));
    return things.size() <= MAX_LISTED
        ? first
        : first + " and " + (things.size() - MAX_LISTED) + " more";
  }

  private static int utf8Bytes(char c) {
    if (c < 0x80) {
      return 1;
    }
    return c < 0x800 ? 2 : 3;
  }

  private static boolean isUnfit(char c) {
    return c == 0 || Character.isSurrogate(c);
  }

  private static boolean isPairAt(String text, int i) {
    return i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
  }

  private static void requireNotNegative(int max) {
    if (max < 0) {
      throw new IllegalArgumentException("max: " + max + " (expected: 0..)");
    }
  }
}
