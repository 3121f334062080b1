package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** Checks origins against {@code CORS_ORIGINS} and the server's own (R0.11). */
@Component
public final class AllowedOrigins {

  private static final String ORIGIN = "https?://[A-Za-z0-9.\\-\\[\\]:]+";
  private static final String FETCH_SITE = "Sec-Fetch-Site";

  private final List<String> allowed;
  private final PublicUrl publicUrl;

  AllowedOrigins(SecuritySettings settings, PublicUrl publicUrl) {
    this.allowed = allowed(settings);
    this.publicUrl = publicUrl;
  }

  static List<String> allowed(SecuritySettings settings) {
    return Setting.CORS_ORIGINS.parse(() -> requireOrigins(settings.security().corsOrigins()));
  }

  List<String> allowed() {
    return allowed;
  }

  /**
   * Refuses a request of another origin's page.
   *
   * <p>Callers check state changes and WebSockets, which can do harm and which the browser may send
   * without a preflight.
   *
   * <p>A request with {@code Authorization} passes: agents send an {@code Origin} with it, and no
   * page can make a browser add a bearer token.
   */
  public void requireAllowed(HttpServletRequest request) {
    @Nullable String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (authorization != null && !authorization.isBlank()) {
      return;
    }
    @Nullable String origin = request.getHeader(HttpHeaders.ORIGIN);
    boolean foreign =
        origin == null
            ? isOfOtherSite(request.getHeader(FETCH_SITE))
            : !isListed(origin) && !isOwn(origin, request);
    if (foreign) {
      throw refusal();
    }
  }

  /** Whether a browser says that a page of another origin sent the request, of any site. */
  private static boolean isOfOtherSite(@Nullable String fetchSite) {
    return "cross-site".equalsIgnoreCase(fetchSite) || "same-site".equalsIgnoreCase(fetchSite);
  }

  /** Returns the refusal of a request that a page of another origin sent. */
  public static ProblemException refusal() {
    return new ProblemException(
        ErrorCode.ORIGIN_NOT_ALLOWED,
        "pages of this origin may not call here (expected: the server's own origin or one of"
            + " CORS_ORIGINS)");
  }

  boolean isListed(String origin) {
    return allowed.stream().anyMatch(origin::equalsIgnoreCase);
  }

  /**
   * Returns whether the origin's host and port are those of {@code Host} or {@code PUBLIC_URL}.
   *
   * <p>The scheme does not count, because a reverse proxy may have ended TLS.
   */
  public boolean isOwn(String origin, HttpServletRequest request) {
    Optional<Authority> from = origin.matches(ORIGIN) ? Authority.ofUrl(origin) : Optional.empty();
    return from.filter(authority ->
            Authority.parse(request.getHeader(HttpHeaders.HOST))
                    .filter(authority::sameAs)
                    .isPresent()
                || publicUrl.authority().filter(authority::sameAs).isPresent())
        .isPresent();
  }

  private static List<String> requireOrigins(List<String> origins) {
    if (!origins.stream().allMatch(origin -> origin.matches(ORIGIN))) {
      throw new IllegalArgumentException(
          "expected origins such as https://canvas.example, with commas between");
    }
    return origins;
  }
}
