package dev.muster.platform.http;

import java.util.Map;

/** Lists the security headers of every response (R0.9). */
final class SecurityHeaders {

  static final Map<String, String> ALL =
      Map.of(
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "no-referrer",
          "Permissions-Policy",
          "camera=(), geolocation=(), microphone=()",
          "Content-Security-Policy",
          "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; connect-src"
              + " 'self' ws: wss:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'");

  private SecurityHeaders() {}
}
