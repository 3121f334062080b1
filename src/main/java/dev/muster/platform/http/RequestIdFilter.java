package dev.muster.platform.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
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
  public static final String HEADER = RequestId.HEADER;

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    String id = RequestId.of(request.getHeader(RequestId.HEADER));
    response.setHeader(RequestId.HEADER, id);
    LogFields.request(id);
    try {
      chain.doFilter(request, response);
    } finally {
      LogFields.clear();
    }
  }
}
