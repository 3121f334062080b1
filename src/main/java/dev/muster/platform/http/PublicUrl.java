package dev.muster.platform.http;

import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * Provides the base URL by which clients reach the server: {@code PUBLIC_URL}, or the request's.
 */
@Component
public final class PublicUrl {

  private final Optional<String> configured;
  private final Optional<Authority> authority;

  PublicUrl(SecuritySettings settings) {
    this.configured = configured(settings);
    this.authority = configured.flatMap(Authority::ofUrl);
  }

  static Optional<String> configured(SecuritySettings settings) {
    return Optional.ofNullable(settings.publicUrl())
        .map(value -> Setting.PUBLIC_URL.parse(() -> baseUrl(value)));
  }

  /** Returns {@code PUBLIC_URL} without a slash at its end; empty if it is not set. */
  public Optional<String> configured() {
    return configured;
  }

  /** Returns the host and port of {@code PUBLIC_URL}; empty if it is not set. */
  Optional<Authority> authority() {
    return authority;
  }

  /**
   * Returns whether clients use TLS. A reverse proxy then ends it, because Muster speaks no TLS.
   */
  public boolean isTls() {
    return configured.filter(url -> url.startsWith("https:")).isPresent();
  }

  /**
   * Returns the base URL without a slash at its end.
   *
   * <p>An invalid {@code Host} is not copied; the connection's local address replaces it.
   */
  public String of(HttpServletRequest request) {
    return configured.orElseGet(() ->
        request.getScheme()
            + "://"
            + Authority.parse(request.getHeader(HttpHeaders.HOST))
                .orElseGet(() -> ofConnection(request)));
  }

  private static Authority ofConnection(HttpServletRequest request) {
    String address = request.getLocalAddr();
    boolean bare = address.contains(":") && !address.startsWith("[");
    return Authority.parse((bare ? "[" + address + "]" : address) + ":" + request.getLocalPort())
        .orElseThrow();
  }

  private static String baseUrl(String value) {
    if (!value.matches("https?://[^\\s/?#]+(/[^\\s?#]*)?") || Authority.ofUrl(value).isEmpty()) {
      throw new IllegalArgumentException(
          "expected an http or https url with a host name and without query");
    }
    return value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
  }
}
