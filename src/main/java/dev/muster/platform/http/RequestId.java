package dev.muster.platform.http;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The name of one request in answers and log lines: the client's, when it sent a sane one. */
final class RequestId {

  static final String HEADER = "X-Request-ID";

  private static final int MAX_LENGTH = 64;

  private RequestId() {}

  static String of(@Nullable String sent) {
    return sent != null && isSane(sent)
        ? sent
        : HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  /** Nothing that could break out of a log line, a header or a JSON string. */
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
