package dev.muster.platform.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Refuses requests that pages of other sites send from a browser (R0.11).
 *
 * <p>It runs on every route, inside {@link RequestEnvelopeFilter} and before any code that reads
 * credentials or bodies.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 15)
final class HostAndOriginFilter extends HttpFilter {

  private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  private final transient AllowedHosts hosts;
  private final transient AllowedOrigins origins;

  HostAndOriginFilter(AllowedHosts hosts, AllowedOrigins origins) {
    this.hosts = hosts;
    this.origins = origins;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    hosts.requireAllowed(request);
    if (!SAFE_METHODS.contains(request.getMethod())) {
      origins.requireAllowed(request);
    }
    chain.doFilter(request, response);
  }
}
