package dev.muster.live;

import dev.muster.identity.Credentials;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Reads the token of a WebSocket request (R10.3). It is in {@code Authorization}, which a browser
 * cannot set. A browser sends it as an offered subprotocol: {@code muster-auth.<token>} or {@code
 * molecule-auth.<hex of token>}. The console's page sends the second half of its session as {@code
 * muster-page.<page key>}. The response never echoes an offer with a secret.
 */
final class WebSocketCredential {

  private static final String OFFER = "Sec-WebSocket-Protocol";
  private static final String PLAIN = "muster-auth.";
  private static final String HEX = "molecule-auth.";
  private static final String PAGE = "muster-page.";
  private static final List<String> SPOKEN = List.of("muster-ws", "molecule-ws");

  private WebSocketCredential() {}

  /** Returns the credential as {@link Credentials#presented} does; null when there is none. */
  static @Nullable String presented(HttpServletRequest request, Credentials credentials) {
    @Nullable String header = request.getHeader(HttpHeaders.AUTHORIZATION);
    return header != null && !header.isBlank()
        ? header
        : offers(request).stream()
            .map(WebSocketCredential::token)
            .flatMap(Optional::stream)
            .findFirst()
            .map("Bearer "::concat)
            .or(() -> ofSession(request, credentials))
            .orElse(null);
  }

  private static Optional<String> ofSession(HttpServletRequest request, Credentials credentials) {
    return offers(request).stream()
        .filter(offer -> offer.startsWith(PAGE))
        .findFirst()
        .map(offer -> credentials.presentedBySocket(request, offer.substring(PAGE.length())));
  }

  /** Returns the first offered subprotocol that the server supports. */
  static Optional<String> requestedToken(HttpServletRequest request) {
    return offers(request).stream().filter(SPOKEN::contains).findFirst();
  }

  private static List<String> offers(HttpServletRequest request) {
    return Collections.list(request.getHeaders(OFFER)).stream()
        .flatMap(line -> Arrays.stream(line.split(",", -1)))
        .map(String::strip)
        .toList();
  }

  private static Optional<String> token(String offer) {
    if (offer.startsWith(PLAIN)) {
      return Optional.of(offer.substring(PLAIN.length()));
    }
    return offer.startsWith(HEX)
        ? Optional.of(ofHex(offer.substring(HEX.length())))
        : Optional.empty();
  }

  /**
   * Decodes a token. Text that is not hexadecimal becomes "?", which is refused as an unknown
   * token.
   */
  private static String ofHex(String hex) {
    try {
      return new String(HexFormat.of().parseHex(hex), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException notHex) {
      return "?";
    }
  }
}
