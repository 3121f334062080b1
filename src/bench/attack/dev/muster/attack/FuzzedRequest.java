package dev.muster.attack;

import java.nio.charset.StandardCharsets;

/**
 * A random hostile request.
 *
 * @param index identifies it: the same seed and index give the same request
 * @param mayWait whether a missing answer within a few seconds is accepted
 * @param framed whether it is complete HTTP; otherwise the server may close the connection
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record FuzzedRequest(
    int index,
    String identity,
    FuzzedOperation operation,
    byte[] bytes,
    boolean mayWait,
    boolean framed,
    boolean answerHasBody) {

  private static final int MAX_SHOWN = 1500;

  /** Its bytes as one line, with escapes for unprintable ones. */
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
