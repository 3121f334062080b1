package dev.muster.platform.http;

import dev.muster.platform.settings.Settings;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * The address under which clients reach this server: {@code PUBLIC_URL}, else the request's own.
 */
@Component
public final class PlatformUrl {

  private final Optional<String> configured;
  private final Optional<Authority> authority;

  PlatformUrl(Settings settings) {
    this.configured =
        settings.security("PUBLIC_URL", Optional.empty(), value -> Optional.of(baseUrl(value)));
    this.authority = configured.flatMap(Authority::ofUrl);
  }

  /** Host and port of the setting. */
  Optional<Authority> authority() {
    return authority;
  }

  /** Whether clients come by TLS: then a proxy stands in front, for Muster itself speaks none. */
  public boolean isTls() {
    return configured.filter(url -> url.startsWith("https:")).isPresent();
  }

  /**
   * Without a slash at its end. A {@code Host} that is no host and port is not repeated: the
   * connection's own address stands in for it.
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
