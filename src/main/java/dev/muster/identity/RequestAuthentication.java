package dev.muster.identity;

import dev.muster.identity.Credentials.AuthenticationResult;
import dev.muster.identity.RateLimitGroup.RateLimitBucket;
import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.LogFields;
import dev.muster.platform.http.Owner;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/**
 * Checks credential and rate limit before the body is read (R1.4). Responds with 401 when the route
 * does not admit the credential, then with 429 above the limit.
 */
@Service
public class RequestAuthentication {

  private static final String CALLER = RequestAuthentication.class.getName() + ".caller";

  private final Credentials credentials;
  private final RateLimits limits;
  private final AuditTrail audit;

  RequestAuthentication(Credentials credentials, RateLimits limits, AuditTrail audit) {
    this.credentials = credentials;
    this.limits = limits;
    this.audit = audit;
  }

  /**
   * Admits a request or refuses it.
   *
   * <p>A request with a live credential does not count against its network. Behind a proxy all
   * clients share one address, so failed requests of others would block it. The token look-ups have
   * their own limit.
   *
   * @param admitted the kinds of callers admitted besides those with a live credential
   */
  public Caller admit(
      HttpServletRequest request,
      HttpServletResponse response,
      Set<CallerKind> admitted,
      RateLimitBucket limit) {
    return admit(request, response, credentials.presented(request), admitted, limit);
  }

  /**
   * Admits a request whose credential is not in the usual header.
   *
   * @param authorization the credential in the form of {@link Credentials#presented}; null when
   *     there is none
   */
  public Caller admit(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable String authorization,
      Set<CallerKind> admitted,
      RateLimitBucket limit) {
    AuthenticationResult result = authenticate(request, response, authorization);
    @Nullable Caller caller = result.caller();
    if (caller == null || !isAdmitted(caller, admitted)) {
      limits.takeOfRefused(result.owner(), request, response);
      throw caller instanceof Caller.Anonymous
          ? Credentials.missing()
          : Credentials.refusalOf(authorization);
    }
    count(result, limit, request, response);
    if (caller instanceof Caller.Viewer && !admitted.contains(CallerKind.VIEWER)) {
      throw AccessChecks.readsOnly();
    }
    audit.begin(caller, request, response);
    request.setAttribute(CALLER, caller);
    return caller;
  }

  /** Returns the caller of a request that was admitted. */
  public static Caller callerOf(HttpServletRequest request) {
    if (request.getAttribute(CALLER) instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException("a route without credentials asks for its caller");
  }

  private AuthenticationResult authenticate(
      HttpServletRequest request, HttpServletResponse response, @Nullable String authorization) {
    try {
      return credentials.authenticate(authorization);
    } catch (ProblemException refusal) {
      if (refusal.code() == ErrorCode.UNAUTHENTICATED) {
        limits.takeOfNetwork(request, response);
      }
      throw refusal;
    }
  }

  /**
   * Counts a request to a route that requires no credential. A live credential makes it count
   * against that credential only. So other clients of the same address cannot block it.
   */
  void admitAll(HttpServletRequest request, HttpServletResponse response, RateLimitBucket limit) {
    if (limit == RateLimitBucket.NONE) {
      return;
    }
    if (limit == RateLimitBucket.SIGN_IN) {
      limits.takeSignIn(request, response);
      return;
    }
    AuthenticationResult result = presentIfKnown(credentials.presented(request));
    if (result.isLive()) {
      count(result, limit, request, response);
    } else {
      limits.takeOfRefused(result.owner(), request, response);
    }
  }

  private AuthenticationResult presentIfKnown(@Nullable String authorization) {
    try {
      return credentials.authenticate(authorization);
    } catch (RuntimeException failure) {
      return AuthenticationResult.NOTHING;
    }
  }

  private void count(
      AuthenticationResult result,
      RateLimitBucket limit,
      HttpServletRequest request,
      HttpServletResponse response) {
    @Nullable Owner owner = result.owner();
    if (owner == null) {
      limits.takeOfNetwork(request, response);
    } else {
      RequestOwner.set(request, owner);
      note(result.caller());
      limits.take(limit, owner, response);
    }
  }

  private static boolean isAdmitted(Caller caller, Set<CallerKind> admitted) {
    return switch (caller) {
      case Caller.Admin(), Caller.Operator _, Caller.Viewer _, Caller.Agent _ -> true;
      case Caller.RemovedAgent(var own) -> admitted.contains(CallerKind.REMOVED_AGENT);
      case Caller.Anonymous() -> admitted.contains(CallerKind.ANONYMOUS);
    };
  }

  private static void note(@Nullable Caller caller) {
    if (caller instanceof Caller.Agent(var own)) {
      LogFields.workspace(own);
    } else if (caller instanceof Caller.RemovedAgent(var own)) {
      LogFields.workspace(own);
    }
  }
}
