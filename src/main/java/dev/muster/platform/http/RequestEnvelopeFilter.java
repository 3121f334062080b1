package dev.muster.platform.http;

import dev.muster.platform.deadline.RequestDeadline;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Frames every request, the hot route included: security headers before (R0.9), its deadline
 * (R1.8), the body's share of the budget given back after, and a problem detail for whatever
 * escaped the routes.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 10)
final class RequestEnvelopeFilter extends HttpFilter {

  private final transient ProblemWriter problems;

  RequestEnvelopeFilter(ProblemWriter problems) {
    this.problems = problems;
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    SecurityHeaders.ALL.forEach(response::setHeader);
    RequestResources.begin(request);
    try {
      RequestDeadline.within(
          RequestDeadline.LIMIT,
          () -> {
            chain.doFilter(withoutTrace(request), response);
            return true;
          });
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      problems.write(
          e instanceof ServletException s && s.getRootCause() != null ? s.getRootCause() : e,
          response);
    } finally {
      RequestResources.end(request);
    }
  }

  /**
   * Servlets answer a TRACE with the request itself, credentials included. By a name that they do
   * not know it is a method like any other that a route does not have (R0.5).
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
