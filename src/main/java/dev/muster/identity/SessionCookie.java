package dev.muster.identity;

import dev.muster.platform.http.AllowedOrigins;
import dev.muster.platform.http.PublicUrl;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseCookie;
import org.springframework.stereotype.Component;

/**
 * The cookie of a console session, and the rules about which page may use it (R1.9).
 *
 * <p>Browsers share cookies between the ports of a host, and SameSite counts all ports as one site.
 * So the cookie's name contains the port, and a page of another origin is never the session's.
 */
@Component
final class SessionCookie {

  private static final String FETCH_SITE = "Sec-Fetch-Site";

  /** Each may cost a look-up. */
  private static final int MAX_COOKIES = 4;

  private final AllowedOrigins origins;
  private final PublicUrl publicUrl;

  SessionCookie(AllowedOrigins origins, PublicUrl publicUrl) {
    this.origins = origins;
    this.publicUrl = publicUrl;
  }

  /**
   * Whether a page of this server sent the request, or no page at all. {@code CORS_ORIGINS} makes
   * no difference.
   */
  boolean isOfOwnPage(HttpServletRequest request) {
    @Nullable String origin = request.getHeader(HttpHeaders.ORIGIN);
    @Nullable String site = request.getHeader(FETCH_SITE);
    return (origin == null || origins.isOwn(origin, request))
        && (site == null || site.equalsIgnoreCase("same-origin"));
  }

  /**
   * Returns the values of all cookies of the session's name: another server of this host can have
   * set one for a longer path, which browsers send first.
   *
   * <p>It splits the header as browsers join it. Other servers set values that the servlet API
   * refuses, such as one with a tab, or that make it lose the cookies after them, such as one with
   * a single quote mark.
   */
  List<String> all(HttpServletRequest request) {
    String start = name(request) + "=";
    return Collections.list(request.getHeaders(HttpHeaders.COOKIE)).stream()
        .flatMap(header -> Arrays.stream(header.split(";")))
        .map(String::strip)
        .filter(cookie -> cookie.startsWith(start))
        .map(cookie -> cookie.substring(start.length()))
        .distinct()
        .limit(MAX_COOKIES)
        .toList();
  }

  /** Returns the {@code Set-Cookie} of a session; an age of zero deletes the cookie. */
  String header(HttpServletRequest request, String value, Duration age) {
    return ResponseCookie.from(name(request), value)
        .path("/")
        .httpOnly(true)
        .secure(publicUrl.isTls())
        .sameSite("Strict")
        .maxAge(age)
        .build()
        .toString();
  }

  private String name(HttpServletRequest request) {
    return publicUrl.isTls() ? "__Host-muster" : "muster-" + request.getServerPort();
  }
}
