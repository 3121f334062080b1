package dev.muster.platform.http;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses the host and port of a URL or a {@code Host} header.
 *
 * @param host in lower case without dots at the end; an IPv6 address is in brackets
 * @param port 1..65535, or 0 if absent
 */
record Authority(String host, int port) {

  private static final Pattern FORM =
      Pattern.compile("(\\[[0-9A-Fa-f:.]{2,45}]|[A-Za-z0-9._-]{1,255})(?::([0-9]{0,5}))?");
  private static final String LOCALHOST = "localhost";
  private static final int MAX_PORT = 65_535;

  /**
   * Parses a host and port; empty if {@code text} is not valid or null.
   *
   * <p>A parsed authority has no character that is special in a shell, a log or a URL.
   */
  static Optional<Authority> parse(@Nullable String text) {
    Matcher form = FORM.matcher(text == null ? "" : text);
    if (!form.matches()) {
      return Optional.empty();
    }
    @Nullable String digits = form.group(2);
    int port = digits == null || digits.isEmpty() ? 0 : Integer.parseInt(digits);
    if (port > MAX_PORT) {
      return Optional.empty();
    }
    return host(form.group(1)).map(host -> new Authority(host, port));
  }

  private static Optional<String> host(String text) {
    if (text.startsWith("[")) {
      return literal(text.substring(1, text.length() - 1))
          .map(address -> "[" + address.getHostAddress() + "]");
    }
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == '.') {
      end--;
    }
    return Optional.of(text.substring(0, end).toLowerCase(Locale.ROOT))
        .filter(host -> !host.isEmpty());
  }

  /** Returns the authority of an http or https URL; empty if it has no valid one. */
  static Optional<Authority> ofUrl(String url) {
    int from = url.indexOf("://") + 3;
    int end = url.indexOf('/', from);
    return parse(url.substring(from, end < 0 ? url.length() : end));
  }

  /** Returns whether only programs on this machine can reach it (names: RFC 6761, section 6.3). */
  boolean isLoopback() {
    if (host.equals(LOCALHOST) || host.endsWith("." + LOCALHOST)) {
      return true;
    }
    boolean bracketed = host.startsWith("[");
    boolean digits = Character.isDigit(host.charAt(0));
    return (bracketed || digits)
        && literal(bracketed ? host.substring(1, host.length() - 1) : host)
            .filter(InetAddress::isLoopbackAddress)
            .isPresent();
  }

  /** Compares host and port; the ports 80 and 443 equal an absent one. */
  boolean sameAs(Authority other) {
    return host.equals(other.host) && withoutDefault(port) == withoutDefault(other.port);
  }

  private static int withoutDefault(int port) {
    return port == 80 || port == 443 ? 0 : port;
  }

  private static Optional<InetAddress> literal(String text) {
    try {
      return Optional.of(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException notAnAddress) {
      return Optional.empty();
    }
  }

  @Override
  public String toString() {
    return port == 0 ? host : host + ":" + port;
  }
}
