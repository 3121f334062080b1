package dev.muster.attack;

import java.nio.charset.StandardCharsets;

/**
 * A request that nobody should send.
 *
 * @param index names it: the same seed and index make the same request
 * @param mayWait whether no answer within a few seconds is one as well
 * @param framed whether it is HTTP that can be read to its end; else the server may hang up
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares requests
record FuzzedRequest(
    int index,
    String identity,
    FuzzedOperation operation,
    byte[] bytes,
    boolean mayWait,
    boolean framed,
    boolean answerHasBody) {

  private static final int MAX_SHOWN = 1500;

  /** Its bytes as one line, those that do not print as escapes. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("#" + index + " as " + identity + ": ");
    String latin = new String(bytes, StandardCharsets.ISO_8859_1);
    latin
        .chars()
        .limit(MAX_SHOWN)
        .forEach(c -> {
          if (c == '\r' || c == '\n') {
            text.append(c == '\r' ? "" : "\\n");
          } else if (c < 0x20 || c > 0x7e) {
            text.append("\\x%02x".formatted(c));
          } else {
            text.append((char) c);
          }
        });
    return text + (latin.length() > MAX_SHOWN ? "… (" + latin.length() + " bytes)" : "");
  }
}
