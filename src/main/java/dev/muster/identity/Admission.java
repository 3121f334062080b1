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

  Admission(Credentials credentials, RateLimits limits) {
    this.credentials = credentials;
    this.limits = limits;
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
    Presented presented;
    try {
      presented = credentials.present(authorization);
      requireAdmitted(presented.caller(), admitted);
    } catch (ProblemException refusal) {
      if (refusal.code() == ErrorCode.UNAUTHENTICATED) {
        limits.takeOfNetwork(request, response);
      }
      throw refusal;
    }
    if (presented.key() == null) {
      limits.takeOfNetwork(request, response);
    } else {
      RequestOwner.set(request, presented.key());
      note(presented.caller());
      limits.take(limit, presented.key(), response);
    }
    return presented.caller();
  }

  /** For routes that look at no credential. */
  void admitEverybody(HttpServletRequest request, HttpServletResponse response, RateLimit limit) {
    if (limit != RateLimit.NONE) {
      limits.takeOfNetwork(request, response);
    }
  }

  private static void requireAdmitted(Caller caller, Set<Who> admitted) {
    if (caller instanceof Caller.Anonymous && !admitted.contains(Who.ANONYMOUS)) {
      throw Credentials.missing();
    }
    if (caller instanceof Caller.FormerAgent && !admitted.contains(Who.FORMER_AGENT)) {
      throw Credentials.unknown();
    }
  }

  private static void note(Caller caller) {
    if (caller instanceof Caller.Agent(var own)) {
      LogFields.workspace(own);
    } else if (caller instanceof Caller.FormerAgent(var own)) {
      LogFields.workspace(own);
    }
  }
}
