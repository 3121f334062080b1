package dev.muster.platform.text;

/**
 * Locates the value of an assignment in a text.
 *
 * <p>The value is the inside of a quoted text, or a word up to the next white space or closing
 * punctuation.
 *
 * @param start index of the first character, after an opening quote
 * @param end index after the last character, or where the bounded scan stopped
 * @param quote the opening quote, {@code \} for an escaped one, 0 for none
 */
record AssignedValue(int start, int end, char quote) {
  /** The characters scanned before the decision, which bounds the cost of a rejected value. */
  private static final int MAX_SCANNED = 256;

  private static final String CLOSERS = "\"'`,;&<>)]}\\";
  private static final String OPENERS = "([{";

  static AssignedValue none(int start) {
    return new AssignedValue(start, start, (char) 0);
  }

  static AssignedValue at(String text, int from) {
    int start = from;
    boolean escaped = start < text.length() && text.charAt(start) == '\\';
    if (escaped) {
      start++;
    }
    boolean quoted = start < text.length() && "\"'".indexOf(text.charAt(start)) >= 0;
    if (!quoted) {
      return bare(text, from);
    }
    char quote = escaped ? '\\' : text.charAt(start);
    start++;
    int end = scan(text, start, Math.min(text.length(), start + MAX_SCANNED), quote);
    return new AssignedValue(start, end, quote);
  }

  private static AssignedValue bare(String text, int start) {
    if (start < text.length() && OPENERS.indexOf(text.charAt(start)) >= 0) {
      return none(start);
    }
    int end = scan(text, start, Math.min(text.length(), start + MAX_SCANNED), (char) 0);
    return new AssignedValue(start, withoutFullStop(text, start, end), (char) 0);
  }

  /** Returns the end of the value without the bound on its length. */
  int wholeEnd(String text) {
    boolean interrupted = end - start >= MAX_SCANNED - 1;
    return interrupted ? scan(text, end, text.length(), quote) : end;
  }

  String text(String text) {
    return text.substring(start, end);
  }

  /** Returns whether the value ends its clause, so that no further word follows. */
  boolean endsClause(String text) {
    return quote != 0 || end == text.length() || ",;\r\n\"'\\".indexOf(text.charAt(end)) >= 0;
  }

  private static int scan(String text, int from, int limit, char quote) {
    int i = from;
    while (i < limit && !ends(text.charAt(i), quote)) {
      boolean escape = text.charAt(i) == '\\' && quote != 0;
      i += escape && i + 1 < limit ? 2 : 1;
    }
    return i;
  }

  private static boolean ends(char c, char quote) {
    if (quote == 0) {
      return c <= ' ' || CLOSERS.indexOf(c) >= 0;
    }
    return c == quote || c == '\n' || c == '\r';
  }

  /** Drops {@code .:!?} at the end of an unquoted value, which belong to the sentence. */
  private static int withoutFullStop(String text, int start, int end) {
    int last = end;
    while (last > start && ".:!?".indexOf(text.charAt(last - 1)) >= 0) {
      last--;
    }
    return last;
  }
}
