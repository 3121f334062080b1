package dev.muster.workspace.agenturl;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Represents the host of an agent url: a name to resolve, or a literal address.
 *
 * <p>It accepts only hosts that every resolver and HTTP client reads alike. Some read {@code
 * 127.1}, {@code 0x7f.0.0.1}, {@code 2130706433} and {@code 0177.0.0.1} as addresses, others as
 * names. So a host that ends like a number must be a strict dotted quad (R3.3).
 */
sealed interface AgentHost {
  record Name(String name) implements AgentHost {}

  record Literal(InetAddress address) implements AgentHost {}

  int MAX_LENGTH = 253;
  Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,63}(?:\\.[A-Za-z0-9_-]{1,63})*+\\.?");

  /** The "ends in a number" rule of the WHATWG URL standard, with an optional trailing dot. */
  Pattern ENDS_IN_NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\\.?");

  Pattern QUAD =
      Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");
  Pattern V6 = Pattern.compile("[0-9A-Fa-f:]*:([0-9A-Fa-f]*|[0-9.]+)");

  /** Parses the host of a url, brackets included; empty when it is not valid. */
  static Optional<AgentHost> parse(String host) {
    if (host.startsWith("[")) {
      return host.endsWith("]") ? v6(host.substring(1, host.length() - 1)) : Optional.empty();
    }
    if (host.length() > MAX_LENGTH || !NAME.matcher(host).matches()) {
      return Optional.empty();
    }
    if (!ENDS_IN_NUMBER.matcher(host).matches()) {
      return Optional.of(new Name(host));
    }
    return QUAD.matcher(host).matches() ? literal(host) : Optional.empty();
  }

  private static Optional<AgentHost> v6(String text) {
    var form = V6.matcher(text);
    if (!form.matches()) {
      return Optional.empty(); // a zone id, an IPvFuture, or no IPv6 address
    }
    String tail = form.group(1);
    boolean looseTail = tail.indexOf('.') >= 0 && !QUAD.matcher(tail).matches();
    return looseTail ? Optional.empty() : literal(text);
  }

  private static Optional<AgentHost> literal(String text) {
    try {
      return Optional.of(new Literal(InetAddress.ofLiteral(text)));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
