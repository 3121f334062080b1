package dev.muster.workspace;

import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * By what a registration is recognised when it comes again because its answer was lost (R3.1): the
 * SHA-256 of its body, byte for byte and in hexadecimal, and the client's own address. The address
 * is empty when the request came through a proxy, behind which all clients look alike.
 */
record RegistrationOrigin(String bodyHash, Optional<String> address) {

  /** What proxies add; one that adds nothing shows by a {@code PUBLIC_URL} with TLS. */
  private static final List<String> PROXY_HEADERS =
      List.of(
          "Forwarded",
          "Via",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Real-IP");

  /** {@code proxied}: the settings already say that a proxy stands in front. */
  static RegistrationOrigin of(HttpServletRequest request, byte[] body, boolean proxied) {
    boolean direct =
        !proxied && PROXY_HEADERS.stream().allMatch(name -> request.getHeader(name) == null);
    return new RegistrationOrigin(
        sha256(body), direct ? Optional.of(request.getRemoteAddr()) : Optional.empty());
  }

  private static String sha256(byte[] body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
