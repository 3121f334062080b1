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
 * Frames every request, the hot route included: security headers before (R0.9), the body's share of
 * the budget given back after, and a problem detail for whatever escaped the routes.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class RequestFrameFilter extends HttpFilter {

  private static final String CONTENT_SECURITY_POLICY =
      "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; connect-src"
          + " 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

  private final transient BodyReader bodies;
  private final transient ProblemWriter problems;

  RequestFrameFilter(BodyReader bodies, ProblemWriter problems) {
    this.bodies = bodies;
    this.problems = problems;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("X-Frame-Options", "DENY");
    response.setHeader("Referrer-Policy", "no-referrer");
    response.setHeader("Permissions-Policy", "camera=(), geolocation=(), microphone=()");
    response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
    try {
      chain.doFilter(request, response);
    } catch (ServletException | RuntimeException e) {
      problems.write(
          e instanceof ServletException s && s.getRootCause() != null ? s.getRootCause() : e,
          response);
    } finally {
      if (!request.isAsyncStarted()) {
        bodies.release(request);
      }
    }
  }
}
