package dev.muster.platform.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Sets the id of every request in the response header and the log fields.
 *
 * <p>It runs first, outside all code that can respond or log.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RequestIdFilter extends HttpFilter {

  /** The response header with the request's id. */
  public static final String HEADER = "X-Request-ID";

  private static final int MAX_LENGTH = 64;

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String id = idOf(request.getHeader(HEADER));
    response.setHeader(HEADER, id);
    LogFields.request(id);
    try {
      chain.doFilter(request, response);
    } finally {
      LogFields.clear();
    }
  }

  /** Returns the id of a request: the client's if it is valid, otherwise a random one. */
  static String idOf(@Nullable String sent) {
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
