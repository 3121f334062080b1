package dev.muster.identity;

import dev.muster.identity.Admits.Who;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerInterceptor;

/**
 * Lets a request to its controller only with a credential that the route admits.
 *
 * <p>It runs after the route is found (an unknown path is a 404 to everybody) and before the body
 * is read (R1.4's order), and whatever declares nothing is closed to those without a live
 * credential.
 */
@Component
final class CredentialInterceptor implements HandlerInterceptor {

  static final String CALLER = CredentialInterceptor.class.getName() + ".caller";

  private final Credentials credentials;

  CredentialInterceptor(Credentials credentials) {
    this.credentials = credentials;
  }

  @Override
  public boolean preHandle(
      HttpServletRequest request, HttpServletResponse response, Object handler) {
    Set<Who> admitted = admitted(handler);
    if (!admitted.contains(Who.EVERYBODY)) {
      request.setAttribute(CALLER, admit(request, admitted));
    }
    return true;
  }

  private Caller admit(HttpServletRequest request, Set<Who> admitted) {
    Caller caller = credentials.callerOf(request.getHeader(HttpHeaders.AUTHORIZATION));
    return switch (caller) {
      case Caller.Anonymous() when !admitted.contains(Who.ANONYMOUS) -> throw Credentials.missing();
      case Caller.FormerAgent(var own) when !admitted.contains(Who.FORMER_AGENT) ->
          throw Credentials.unknown();
      default -> caller;
    };
  }

  private static Set<Who> admitted(Object handler) {
    if (handler instanceof HandlerMethod method) {
      Admits admits = method.getMethodAnnotation(Admits.class);
      return admits == null ? Set.of() : Set.of(admits.value());
    }
    // only annotated methods are routes of ours; any other handler that may turn up is closed
    throw new ProblemException(ErrorCode.NOT_FOUND, "there is nothing at this path");
  }
}
