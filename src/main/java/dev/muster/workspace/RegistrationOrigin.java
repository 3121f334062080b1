package dev.muster.workspace;

import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Identifies a registration that is repeated because its response was lost (R3.1).
 *
 * @param bodyHash the SHA-256 of the body's bytes, in hexadecimal
 * @param address the client's address; empty behind a proxy, where all clients share one
 */
record RegistrationOrigin(String bodyHash, Optional<String> address) {

  /** Headers that proxies add. A {@code PUBLIC_URL} with TLS reveals a proxy that adds none. */
  private static final List<String> PROXY_HEADERS =
      List.of(
          "Forwarded",
          "Via",
          "X-Forwarded-For",
          "X-Forwarded-Host",
          "X-Forwarded-Proto",
          "X-Real-IP");

  /**
   * Reads the origin of a request.
   *
   * @param proxied whether the settings already say that a proxy is in front
   */
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
