package dev.muster.platform.http;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Chooses the id of a request: the client's if it is valid, otherwise a random one. */
final class RequestId {

  static final String HEADER = "X-Request-ID";

  private static final int MAX_LENGTH = 64;

  private RequestId() {}

  static String of(@Nullable String sent) {
    return sent != null && isSane(sent)
        ? sent
        : HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  /** Returns whether the id is safe in a log line, a header and a JSON string. */
  private static boolean isSane(String id) {
    if (id.isEmpty() || id.length() > MAX_LENGTH) {
      return false;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      boolean letterOrDigit =
          (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
      if (!letterOrDigit && c != '.' && c != '_' && c != '-') {
        return false;
      }
    }
    return true;
  }
}
