package dev.muster.identity;

import dev.muster.platform.http.Owner;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Service;

/**
 * Identifies the caller of a request. Reads the {@code Authorization} header (R1.2 to R1.5), or the
 * two halves of a console session (R1.9). A header wins over a session.
 */
@Service
public class Credentials {

  private static final String SCHEME = "Bearer ";
  private static final int MAX_TOKEN_LENGTH = 512;
  private static final String PAGE_KEY = "X-Muster-Page";

  /** Precedes each half of a session; no header can contain it. */
  private static final String SESSION = "\0";

  /**
   * The caller that a credential identifies, and the owner of its requests.
   *
   * @param caller null when an operator revoked the token or it expired; admitted nowhere
   * @param owner null without a credential
   */
  record AuthenticationResult(@Nullable Caller caller, @Nullable Owner owner) {

    static final AuthenticationResult NOTHING =
        new AuthenticationResult(new Caller.Anonymous(), null);

    boolean isLive() {
      return caller != null && (caller.readsAll() || caller instanceof Caller.Agent);
    }
  }

  private final AdminToken admin;
  private final TokenCache tokens;
  private final SessionCookie cookies;

  Credentials(AdminToken admin, TokenCache tokens, SessionCookie cookies) {
    this.admin = admin;
    this.tokens = tokens;
    this.cookies = cookies;
  }

  /**
   * Returns what the request presents: its {@code Authorization} header, or both halves of a
   * session in one text; null when there is neither. The other methods take this text.
   */
  public @Nullable String presented(HttpServletRequest request) {
    @Nullable String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    return header == null || header.isBlank()
        ? session(request, request.getHeader(PAGE_KEY))
        : header;
  }

  /**
   * Returns the session that a WebSocket's handshake presents; null when there is none. Browsers
   * send the {@code Origin} of every WebSocket, so it must be there.
   */
  public @Nullable String presentedBySocket(HttpServletRequest request, String pageKey) {
    return request.getHeader(HttpHeaders.ORIGIN) == null ? null : session(request, pageKey);
  }

  private @Nullable String session(HttpServletRequest request, @Nullable String pageKey) {
    if (pageKey == null || !cookies.isOfOwnPage(request)) {
      return null;
    }
    List<String> sessions =
        cookies.all(request).stream().map(one -> SESSION + one + SESSION + pageKey).toList();
    return sessions.size() <= 1
        ? sessions.stream().findFirst().orElse(null)
        : sessions.stream()
            .filter(one -> find(one).isPresent())
            .findFirst()
            .orElse(sessions.getFirst());
  }

  /** Returns the cookie of a presented session; empty for any other credential. */
  static Optional<String> cookieOf(@Nullable String presented) {
    return presented != null && isSession(presented)
        ? Optional.of(presented.substring(1, presented.indexOf(SESSION, 1)))
        : Optional.empty();
  }

  static boolean isSession(@Nullable String presented) {
    return presented != null && presented.startsWith(SESSION);
  }

  /**
   * Returns the hash of the presented token, or of the token that the presented session ends with.
   */
  SecretHash tokenBehind(@Nullable String presented) {
    String valid = Objects.requireNonNull(presented);
    return isSession(valid)
        ? proof(find(valid).orElseThrow(Credentials::signedOut)).maker()
        : new Secret(token(valid)).hash();
  }

  /**
   * Returns whether the token with this hash is the admin token, or a stored one that is not
   * revoked.
   */
  boolean isLive(SecretHash token) {
    return admin.matches(token)
        || tokens
            .find(token)
            .filter(known -> known.session() == null && known.state() == CachedToken.State.LIVE)
            .isPresent();
  }

  /**
   * Returns the caller; without a credential {@link Caller.Anonymous}. Refuses an invalid
   * credential with {@code UNAUTHENTICATED}.
   */
  public Caller callerOf(@Nullable String authorization) {
    @Nullable Caller caller = authenticate(authorization).caller();
    if (caller == null) {
      throw refusalOf(authorization);
    }
    return caller;
  }

  /**
   * As {@link #callerOf}, with the owner. A stored token that was revoked is not refused here, so
   * that its requests count against its workspace.
   */
  AuthenticationResult authenticate(@Nullable String authorization) {
    if (authorization == null || authorization.isBlank()) {
      return AuthenticationResult.NOTHING;
    }
    if (isSession(authorization)) {
      CachedToken session = find(authorization).orElseThrow(Credentials::signedOut);
      SecretHash maker = proof(session).maker();
      if (!isLive(maker)) {
        throw signedOut();
      }
      return new AuthenticationResult(session.caller(), session.owner(maker));
    }
    SecretHash token = new Secret(token(authorization)).hash();
    if (admin.matches(token)) {
      return new AuthenticationResult(new Caller.Admin(), Owner.ofPerson(token, AdminToken.NAME));
    }
    CachedToken stored =
        tokens
            .find(token)
            .filter(found -> found.session() == null)
            .orElseThrow(Credentials::unknown);
    return new AuthenticationResult(stored.caller(), stored.owner(token));
  }

  /** Finds a session by both of its halves. */
  private Optional<CachedToken> find(String session) {
    int second = session.indexOf(SESSION, 1);
    SecretHash pageKey = new Secret(session.substring(second + 1)).hash();
    return tokens
        .find(new Secret(session.substring(1, second)).hash())
        .filter(known -> known.session() != null && proof(known).pageKey().matches(pageKey));
  }

  private static CachedToken.SessionProof proof(CachedToken session) {
    return Objects.requireNonNull(session.session());
  }

  private static String token(String authorization) {
    if (!authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw new ProblemException(
          ErrorCode.UNAUTHENTICATED,
          "the Authorization header has another scheme (expected: Bearer <token>)");
    }
    String token = authorization.substring(SCHEME.length()).strip();
    if (token.isEmpty() || token.length() > MAX_TOKEN_LENGTH) {
      throw unknown();
    }
    return token;
  }

  /** Returns the refusal of a request without a credential. */
  public static ProblemException missing() {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED,
        "a credential is missing (expected: the header Authorization: Bearer <token>)");
  }

  /** Returns the refusal of a credential that is unknown or has ended. */
  static ProblemException refusalOf(@Nullable String presented) {
    return isSession(presented) ? signedOut() : unknown();
  }

  private static ProblemException signedOut() {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED, "this session has ended or is not known here; sign in again");
  }

  /** Returns the refusal of an unknown or revoked token. */
  public static ProblemException unknown() {
    return new ProblemException(
        ErrorCode.UNAUTHENTICATED,
        "the token is not known here or was revoked; mint a new one or use the admin token");
  }
}
