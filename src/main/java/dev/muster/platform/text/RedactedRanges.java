package dev.muster.platform.text;

/** The places of a text where a secret stood, in order. */
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

  /** The text with the mark in all these places; the same instance when there are none. */
  String applied() {
    return out.isEmpty() ? text : out.append(text, copied, text.length()).toString();
  }
}
