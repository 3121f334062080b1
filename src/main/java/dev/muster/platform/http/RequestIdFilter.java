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
 * Gives every request its id, in the answer's header and in the log lines on the way; outside of
 * whatever may answer or log.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
public final class RequestIdFilter extends HttpFilter {

  /** Where every answer carries its request's id. */
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
