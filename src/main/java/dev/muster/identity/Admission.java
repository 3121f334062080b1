package dev.muster.identity;

import dev.muster.identity.Admits.Who;
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
public class Admission {

  private final Credentials credentials;
  private final RateLimits limits;
  private final AuditTrail audit;

  Admission(Credentials credentials, RateLimits limits, AuditTrail audit) {
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
      Set<Who> admitted,
      RateLimit limit) {
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
      Set<Who> admitted,
      RateLimit limit) {
    Presented presented = present(request, response, authorization);
    @Nullable Caller caller = presented.caller();
    if (caller == null || !isAdmitted(caller, admitted)) {
      limits.takeOfRefused(presented.key(), request, response);
      throw caller instanceof Caller.Anonymous ? Credentials.missing() : Credentials.unknown();
    }
    count(presented, limit, request, response);
    if (caller instanceof Caller.Viewer && !admitted.contains(Who.VIEWER)) {
      throw Access.readsOnly();
    }
    audit.begin(caller, request, response);
    return caller;
  }

  private Presented present(
      HttpServletRequest request, HttpServletResponse response, @Nullable String authorization) {
    try {
      return credentials.present(authorization);
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
  void admitEverybody(HttpServletRequest request, HttpServletResponse response, RateLimit limit) {
    if (limit == RateLimit.NONE) {
      return;
    }
    Presented presented = presentIfKnown(request.getHeader(HttpHeaders.AUTHORIZATION));
    if (presented.isLive()) {
      count(presented, limit, request, response);
    } else {
      limits.takeOfRefused(presented.key(), request, response);
    }
  }

  private Presented presentIfKnown(@Nullable String authorization) {
    try {
      return credentials.present(authorization);
    } catch (RuntimeException unknownOrCannotTell) {
      return Presented.NOTHING;
    }
  }

  private void count(
      Presented presented,
      RateLimit limit,
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

  private static boolean isAdmitted(Caller caller, Set<Who> admitted) {
    return switch (caller) {
      case Caller.Admin(), Caller.Operator _, Caller.Viewer _, Caller.Agent _ -> true;
      case Caller.FormerAgent(var own) -> admitted.contains(Who.FORMER_AGENT);
      case Caller.Anonymous() -> admitted.contains(Who.ANONYMOUS);
    };
  }

  private static void note(@Nullable Caller caller) {
    if (caller instanceof Caller.Agent(var own)) {
      LogFields.workspace(own);
    } else if (caller instanceof Caller.FormerAgent(var own)) {
      LogFields.workspace(own);
    }
  }
}
