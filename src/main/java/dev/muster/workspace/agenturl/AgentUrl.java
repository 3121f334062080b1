package dev.muster.workspace.agenturl;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Holds an agent url, parsed by a stricter grammar than that of any client (R3.3).
 *
 * <p>{@link URI} alone is not enough. It accepts user info and fragments. It finds no host in names
 * with an underscore, which container networks use.
 */
record AgentUrl(URI uri, Host host) {
  static final int MAX_LENGTH = 2048;
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

  sealed interface Parsed {
    record Valid(AgentUrl url) implements Parsed {}

    record Invalid(Fault fault) implements Parsed {}
  }

  static Parsed parse(String url) {
    if (url.length() > MAX_LENGTH) {
      return new Parsed.Invalid(Fault.TOO_LONG);
    }
    if (!url.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\')) {
      return new Parsed.Invalid(Fault.BAD_CHARACTER);
    }
    String scheme = url.substring(0, Math.min(url.length(), 8)).toLowerCase(Locale.ROOT);
    if (!scheme.startsWith("http://") && !scheme.startsWith("https://")) {
      return new Parsed.Invalid(Fault.BAD_SCHEME);
    }
    String rest = url.substring(url.indexOf("//") + 2);
    return parse(url, rest.split("[/?#]", 2)[0]);
  }

  private static Parsed parse(String url, String authority) {
    if (authority.indexOf('@') >= 0) {
      return new Parsed.Invalid(Fault.USER_INFO);
    }
    if (url.indexOf('#') >= 0) {
      return new Parsed.Invalid(Fault.FRAGMENT);
    }
    int colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
    String hostText = colon < 0 ? authority : authority.substring(0, colon);
    if (hostText.isEmpty()) {
      return new Parsed.Invalid(Fault.NO_HOST);
    }
    Optional<Host> host = Host.parse(hostText);
    if (host.isEmpty()) {
      return new Parsed.Invalid(Fault.AMBIGUOUS_HOST);
    }
    if (colon >= 0 && !isPort(authority.substring(colon + 1))) {
      return new Parsed.Invalid(Fault.BAD_PORT);
    }
    try {
      return new Parsed.Valid(new AgentUrl(new URI(url), host.get()));
    } catch (URISyntaxException e) {
      return new Parsed.Invalid(Fault.MALFORMED);
    }
  }

  private static boolean isPort(String text) {
    if (!PORT.matcher(text).matches()) {
      return false;
    }
    int port = Integer.parseInt(text);
    return port >= 1 && port <= 65_535;
  }

  /**
   * Represents the host of an agent url: a name to resolve, or a literal address.
   *
   * <p>It accepts only hosts that every resolver and HTTP client reads alike. Some read {@code
   * 127.1}, {@code 0x7f.0.0.1}, {@code 2130706433} and {@code 0177.0.0.1} as addresses, others as
   * names. So a host that ends like a number must be a strict dotted quad (R3.3).
   */
  sealed interface Host {
    record Name(String name) implements Host {}

    record Literal(InetAddress address) implements Host {}

    int MAX_NAME_LENGTH = 253;
    Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,63}(?:\\.[A-Za-z0-9_-]{1,63})*+\\.?");

    /** The "ends in a number" rule of the WHATWG URL standard, with an optional trailing dot. */
    Pattern ENDS_IN_NUMBER = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0[xX][0-9A-Fa-f]*)\\.?");

    Pattern QUAD =
        Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");
    Pattern V6 = Pattern.compile("[0-9A-Fa-f:]*:([0-9A-Fa-f]*|[0-9.]+)");

    /** Parses the host of a url, brackets included; empty when it is not valid. */
    static Optional<Host> parse(String host) {
      if (host.startsWith("[")) {
        return host.endsWith("]") ? v6(host.substring(1, host.length() - 1)) : Optional.empty();
      }
      if (host.length() > MAX_NAME_LENGTH || !NAME.matcher(host).matches()) {
        return Optional.empty();
      }
      if (!ENDS_IN_NUMBER.matcher(host).matches()) {
        return Optional.of(new Name(host));
      }
      return QUAD.matcher(host).matches() ? literal(host) : Optional.empty();
    }

    private static Optional<Host> v6(String text) {
      var form = V6.matcher(text);
      if (!form.matches()) {
        return Optional.empty(); // a zone id, an IPvFuture, or no IPv6 address
      }
      String tail = form.group(1);
      boolean looseTail = tail.indexOf('.') >= 0 && !QUAD.matcher(tail).matches();
      return looseTail ? Optional.empty() : literal(text);
    }

    private static Optional<Host> literal(String text) {
      try {
        return Optional.of(new Literal(InetAddress.ofLiteral(text)));
      } catch (IllegalArgumentException e) {
        return Optional.empty();
      }
    }
  }

  /** Names what is wrong with an agent url besides its addresses (R3.3). */
  enum Fault {
    TOO_LONG("too-long", "the url is longer than 2048 characters"),
    BAD_CHARACTER(
        "bad-character",
        "the url holds a space, a control character, a backslash or a character outside ASCII"),
    BAD_SCHEME("bad-scheme", "the url does not start with http:// or https://"),
    NO_HOST("no-host", "the url names no host"),
    USER_INFO("user-info", "the url holds credentials"),
    FRAGMENT("fragment", "the url holds a fragment"),
    BAD_PORT("bad-port", "the port is not a number from 1 to 65535"),
    AMBIGUOUS_HOST(
        "ambiguous-host",
        "the host is neither a plain name, nor four decimal numbers, nor an IPv6 address in"
            + " brackets"),
    MALFORMED("malformed", "the url is not a valid URI"),
    UNRESOLVABLE("unresolvable", "the host's name cannot be resolved"),
    TOO_MANY_LOOKUPS(
        "unresolvable",
        "the host's name was not looked up, since too many look-ups are still without an answer;"
            + " try again later");

    private final String label;
    private final String reason;

    Fault(String label, String reason) {
      this.label = label;
      this.reason = reason;
    }

    /**
     * Returns the refusal for this fault. Its text is fixed, so no part of the url enters a
     * response.
     */
    AgentUrlGuard.Decision.Refused refused() {
      return new AgentUrlGuard.Decision.Refused(label, reason);
    }
  }
}
