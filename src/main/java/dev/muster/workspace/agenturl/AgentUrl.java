package dev.muster.workspace.agenturl;

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
record AgentUrl(URI uri, AgentHost host) {
  static final int MAX_LENGTH = 2048;
  private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");

  sealed interface Parsed {
    record Valid(AgentUrl url) implements Parsed {}

    record Invalid(UrlProblem fault) implements Parsed {}
  }

  static Parsed parse(String url) {
    if (url.length() > MAX_LENGTH) {
      return new Parsed.Invalid(UrlProblem.TOO_LONG);
    }
    if (!url.chars().allMatch(c -> c > ' ' && c < 0x7f && c != '\\')) {
      return new Parsed.Invalid(UrlProblem.BAD_CHARACTER);
    }
    String scheme = url.substring(0, Math.min(url.length(), 8)).toLowerCase(Locale.ROOT);
    if (!scheme.startsWith("http://") && !scheme.startsWith("https://")) {
      return new Parsed.Invalid(UrlProblem.BAD_SCHEME);
    }
    String rest = url.substring(url.indexOf("//") + 2);
    return parse(url, rest.split("[/?#]", 2)[0]);
  }

  private static Parsed parse(String url, String authority) {
    if (authority.indexOf('@') >= 0) {
      return new Parsed.Invalid(UrlProblem.USER_INFO);
    }
    if (url.indexOf('#') >= 0) {
      return new Parsed.Invalid(UrlProblem.FRAGMENT);
    }
    int colon = authority.indexOf(':', authority.lastIndexOf(']') + 1);
    String hostText = colon < 0 ? authority : authority.substring(0, colon);
    if (hostText.isEmpty()) {
      return new Parsed.Invalid(UrlProblem.NO_HOST);
    }
    Optional<AgentHost> host = AgentHost.parse(hostText);
    if (host.isEmpty()) {
      return new Parsed.Invalid(UrlProblem.AMBIGUOUS_HOST);
    }
    if (colon >= 0 && !isPort(authority.substring(colon + 1))) {
      return new Parsed.Invalid(UrlProblem.BAD_PORT);
    }
    try {
      return new Parsed.Valid(new AgentUrl(new URI(url), host.get()));
    } catch (URISyntaxException e) {
      return new Parsed.Invalid(UrlProblem.MALFORMED);
    }
  }

  private static boolean isPort(String text) {
    if (!PORT.matcher(text).matches()) {
      return false;
    }
    int port = Integer.parseInt(text);
    return port >= 1 && port <= 65_535;
  }
}
