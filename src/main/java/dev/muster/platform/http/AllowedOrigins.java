package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.Settings;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/** The origins whose pages may call: {@code CORS_ORIGINS}, and the server's own (R0.11). */
@Component
public final class AllowedOrigins {

  private static final String ORIGIN = "https?://[A-Za-z0-9.\\-\\[\\]:]+";
  private static final String FETCH_SITE = "Sec-Fetch-Site";

  private final List<String> allowed;
  private final PlatformUrl platformUrl;

  AllowedOrigins(Settings settings, PlatformUrl platformUrl) {
    this.allowed = settings.security("CORS_ORIGINS", List.of(), AllowedOrigins::parse);
    this.platformUrl = platformUrl;
  }

  List<String> allowed() {
    return allowed;
  }

  /**
   * Refuses what a page of another origin sends, where that could do harm and the browser does not
   * ask beforehand: changes of state, and WebSockets.
   *
   * <p>A request with {@code Authorization} passes: agents send an {@code Origin} with it, and no
   * page has a browser add a bearer token.
   */
  public void requireAllowed(HttpServletRequest request) {
    @Nullable String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
    if (authorization != null && !authorization.isBlank()) {
      return;
    }
    @Nullable String origin = request.getHeader(HttpHeaders.ORIGIN);
    boolean foreign =
        origin == null
            ? "cross-site".equalsIgnoreCase(request.getHeader(FETCH_SITE))
            : !isListed(origin) && !isOwn(origin, request);
    if (foreign) {
      throw refusal();
    }
  }

  static ProblemException refusal() {
    return new ProblemException(
        ErrorCode.ORIGIN_NOT_ALLOWED,
        "pages of this origin may not call here (expected: the server's own origin or one of"
            + " CORS_ORIGINS)");
  }

  boolean isListed(String origin) {
    return allowed.stream().anyMatch(origin::equalsIgnoreCase);
  }

  /**
   * Whether its host and port are those of {@code Host} or of {@code PUBLIC_URL}. The scheme does
   * not count, since a proxy in front may have ended TLS.
   */
  boolean isOwn(String origin, HttpServletRequest request) {
    Optional<Authority> from = origin.matches(ORIGIN) ? Authority.ofUrl(origin) : Optional.empty();
    return from.filter(authority ->
            Authority.parse(request.getHeader(HttpHeaders.HOST))
                    .filter(authority::sameAs)
                    .isPresent()
                || platformUrl.authority().filter(authority::sameAs).isPresent())
        .isPresent();
  }

  private static List<String> parse(String setting) {
    List<String> origins = Arrays.stream(setting.split(",", -1)).map(String::strip).toList();
    if (!origins.stream().allMatch(origin -> origin.matches(ORIGIN))) {
      throw new IllegalArgumentException(
          "expected origins such as https://canvas.example, with commas between");
    }
    return origins;
  }
}
