package dev.muster.platform.text;

import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Text from outside, made fit to be stored: cleaned and cut (R0.1, R0.8).
 *
 * <p>Every function returns the same instance when there is nothing to do.
 */
public final class Text {
  private static final int FEW = 5;
  private static final char REPLACEMENT = '\uFFFD';

  private Text() {}

  /**
   * The text with U+FFFD for each U+0000 and each lone surrogate, which PostgreSQL and UTF-8 have
   * no room for; as many {@code char}s as before.
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

  /** The first so many code points; a lone surrogate counts as one. */
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
   * The longest beginning that takes no more than so many bytes in UTF-8, ending between code
   * points; a lone surrogate counts three, like the U+FFFD that {@link #clean} makes of it.
   */
  public static String cutBytes(String text, int maxUtf8Bytes) {
    requireNotNegative(maxUtf8Bytes);
    if (text.length() <= maxUtf8Bytes / 3) {
      return text; // three bytes for a char is the most there can be
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

  /** The first five, and how many more there are: for a line that names a few of them. */
  public static String few(Collection<?> things) {
    String first =
        things.stream().limit(FEW).map(String::valueOf).collect(Collectors.joining(", "));
    return things.size() <= FEW ? first : first + " and " + (things.size() - FEW) + " more";
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
