package dev.muster.identity;

import dev.muster.identity.RouteAccess.CallerKind;
import dev.muster.platform.http.LogFields;
import dev.muster.platform.http.RequestOwner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Service;

/**
 * What every request passes before its body is read (R1.4): a credential that the route admits,
 * else 401; then the rate limit, else 429.
 */
@Service
public class RequestAuthentication {

  private final Credentials credentials;
  private final RateLimits limits;
  private final AuditTrail audit;

  RequestAuthentication(Credentials credentials, RateLimits limits, AuditTrail audit) {
    this.credentials = credentials;
    this.limits = limits;
    this.audit = audit;
  }

  /**
   * {@code admitted} are those besides callers with a live credential.
   *
   * <p>A good credential is never slowed by the bad ones that come from the same address: behind a
   * proxy that is everybody's. Look-ups of tokens are bounded by themselves.
   */
  public Caller admit(
      HttpServletRequest request,
      HttpServletResponse response,
      Set<CallerKind> admitted,
      RateLimitBucket limit) {
    return admit(request, response, request.getHeader(HttpHeaders.AUTHORIZATION), admitted, limit);
  }

  /**
   * As above, for a credential that may come in another place than the header; {@code
   * authorization} has the header's form.
   */
  public Caller admit(
      HttpServletRequest request,
      HttpServletResponse response,
      @Nullable String authorization,
      Set<CallerKind> admitted,
      RateLimitBucket limit) {
    AuthenticationResult presented = authenticate(request, response, authorization);
    @Nullable Caller caller = presented.caller();
    if (caller == null || !isAdmitted(caller, admitted)) {
      limits.takeOfRefused(presented.key(), request, response);
      throw caller instanceof Caller.Anonymous ? Credentials.missing() : Credentials.unknown();
    }
    count(presented, limit, request, response);
    if (caller instanceof Caller.Viewer && !admitted.contains(CallerKind.VIEWER)) {
      throw AccessChecks.readsOnly();
    }
    audit.begin(caller, request, response);
    return caller;
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
   * For routes that want no credential: a good one decides alone what the request counts against,
   * so that nobody who has one is slowed by those who come from the same address.
   */
  void admitEverybody(
      HttpServletRequest request, HttpServletResponse response, RateLimitBucket limit) {
    if (limit == RateLimitBucket.NONE) {
      return;
    }
    AuthenticationResult presented = presentIfKnown(request.getHeader(HttpHeaders.AUTHORIZATION));
    if (presented.isLive()) {
      count(presented, limit, request, response);
    } else {
      limits.takeOfRefused(presented.key(), request, response);
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
      AuthenticationResult presented,
      RateLimitBucket limit,
      HttpServletRequest request,
      HttpServletResponse response) {
    @Nullable Object key = presented.key();
    if (key == null) {
      limits.takeOfNetwork(request, response);
    } else {
      RequestOwner.set(request, key);
      note(presented.caller());
      limits.take(limit, key, response);
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
