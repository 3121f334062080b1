package dev.muster.identity;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;

/** Identifies the caller by the {@code Authorization} header (R1.2 to R1.5). */
@Service
public class Credentials {

  private static final String SCHEME = "Bearer ";
  private static final int MAX_TOKEN_LENGTH = 512;

  private final AdminToken admin;
  private final TokenCache tokens;

  Credentials(AdminToken admin, TokenCache tokens) {
    this.admin = admin;
    this.tokens = tokens;
  }

  /**
   * Returns the caller; without a credential {@link Caller.Anonymous}. Refuses an invalid
   * credential with {@code UNAUTHENTICATED}.
   */
  public Caller callerOf(@Nullable String authorization) {
    @Nullable Caller caller = authenticate(authorization).caller();
    if (caller == null) {
      throw unknown();
    }
    return caller;
  }

  /**
   * As {@link #callerOf}, with the rate limit key. A stored token that was revoked is not refused
   * here, so that its requests count against its workspace.
   */
  AuthenticationResult authenticate(@Nullable String authorization) {
    if (authorization == null || authorization.isBlank()) {
      return AuthenticationResult.NOTHING;
    }
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "the Authorization header has another scheme (expected: Bearer <token>)");
    }
    String token = authorization.substring(SCHEME.length()).strip();
    if (token.isEmpty() || token.length() > MAX_TOKEN_LENGTH) {
      throw unknown();
    }
    SecretHash hash = new Secret(token).hash();
    if (admin.matches(hash)) {
      return AuthenticationResult.ADMIN;
    }
    CachedToken known = tokens.find(hash).orElseThrow(Credentials::unknown);
    return new AuthenticationResult(known.caller(), known.countedBy());
  }

  /** Returns the refusal of a request without a credential. */
  public static ProblemException missing() {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED,
        "a credential is missing (expected: the header Authorization: Bearer <token>)");
  }

  /** Returns the refusal of an unknown or revoked credential. */
  public static ProblemException unknown() {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED,
        "the token is not known here or was revoked; mint a new one or use the admin token");
  }
}
