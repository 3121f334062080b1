package dev.muster.platform.http;

import dev.muster.platform.text.ErrorText;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * Sets the security headers (R0.9) and the deadline (R1.8) of every request, hot routes included.
 *
 * <p>It releases the request's resources at its end. It writes a problem detail for an exception
 * that no route handles.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class RequestEnvelopeFilter extends HttpFilter {

  /** The security headers of every response (R0.9). */
  static final Map<String, String> SECURITY_HEADERS =
      Map.of(
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()",
          "Content-Security-Policy",
          "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'");

  private final transient ProblemWriter problems;

  RequestEnvelopeFilter(ProblemWriter problems) {
    this.problems = problems;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    SECURITY_HEADERS.forEach(response::setHeader);
    response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store"); // unless the route says otherwise
    RequestResources.begin(request);
    try {
      RequestDeadline.within(
          RequestDeadline.LIMIT,
          () -> {
            chain.doFilter(withoutTrace(request), response);
            return true;
          });
    } catch (IOException e) {
      throw response.isCommitted() && !ProblemAdvice.isHangUp(e)
          ? ProblemWriter.cut(ErrorText.summary(e))
          : e;
    } catch (Exception e) {
      problems.write(
          e instanceof ServletException s && s.getRootCause() != null ? s.getRootCause() : e,
          response);
    } finally {
      RequestResources.end(request);
    }
  }

  /**
   * Renames the method TRACE, because servlets echo such a request with its credentials.
   *
   * <p>Servlets do not know the new name, so the request is refused like any method that a route
   * does not have (R0.5).
   */
  private static HttpServletRequest withoutTrace(HttpServletRequest request) {
    if (!request.getMethod().equals("TRACE")) {
      return request;
    }
    return new HttpServletRequestWrapper(request) {
      @Override
      public String getMethod() {
        return "trace";
      }
    };
  }
}
