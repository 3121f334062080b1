package dev.muster.platform.text;

/** Collects the ranges of a text to redact, in ascending order. */
final class RedactedRanges {
  private final String text;
  private final StringBuilder out = new StringBuilder();
  private int copied;

  RedactedRanges(String text) {
    this.text = text;
  }

  void add(int start, int end) {
    out.append(text, copied, start).append(Redaction.MARK);
    copied = end;
  }

  /**
   * Returns the text with {@link Redaction#MARK} for each range; the same instance without ranges.
   */
  String applied() {
    return out.isEmpty() ? text : out.append(text, copied, text.length()).toString();
  }
}
