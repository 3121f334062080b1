package dev.muster.platform.http;

import java.net.InetAddress;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host and port of a url or of a {@code Host} header. The host is in lower case, without dots
 * at its end, an IPv6 address in brackets; a port that is not given is 0.
 */
record Authority(String host, int port) {

  private static final Pattern FORM =
      Pattern.compile("(\\[[0-9A-Fa-f:.]{2,45}]|[A-Za-z0-9._-]{1,255})(?::([0-9]{0,5}))?");
  private static final String LOCALHOST = "localhost";
  private static final int HIGHEST_PORT = 65_535;

  /** Empty when it is none: it holds nothing that a shell, a log or a url could stumble on. */
  static Optional<Authority> parse(@Nullable String text) {
    Matcher form = FORM.matcher(text == null ? "" : text);
    if (!form.matches()) {
      return Optional.empty();
    }
    @Nullable String digits = form.group(2);
    int port = digits == null || digits.isEmpty() ? 0 : Integer.parseInt(digits);
    if (port > HIGHEST_PORT) {
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

  /** Of an http or https url; empty when it has no usable one. */
  static Optional<Authority> ofUrl(String url) {
    int from = url.indexOf("://") + 3;
    int end = url.indexOf('/', from);
    return parse(url.substring(from, end < 0 ? url.length() : end));
  }

  /** Whether only programs of this machine can mean it (RFC 6761, section 6.3, for the names). */
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

  /** The same host and port; the default ports of http and https are the same as none. */
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
