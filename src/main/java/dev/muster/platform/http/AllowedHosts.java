package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * Checks the {@code Host} header of a server that listens on loopback only (R0.11).
 *
 * <p>A web page can resolve its own name to 127.0.0.1 (DNS rebinding) and would then share the
 * server's origin. The browser still sends the page's name as {@code Host}.
 */
@Component
final class AllowedHosts {

  /** The names by which containers reach their host machine. */
  private static final Set<String> OF_CONTAINERS =
      Set.of("host.docker.internal", "host.containers.internal");

  private final boolean onLoopback;
  private final Set<String> allowed = new HashSet<>(OF_CONTAINERS);

  AllowedHosts(SecuritySettings settings, PlatformUrl platformUrl, Environment environment) {
    this.onLoopback =
        ContractVariables.text(environment, "server.address")
            .filter(AllowedHosts::isLoopback)
            .isPresent();
    platformUrl.authority().ifPresent(authority -> allowed.add(authority.host()));
    allowed.addAll(Setting.ALLOWED_HOSTS.parse(() -> parse(settings.security().allowedHosts())));
  }

  /**
   * Refuses a request whose {@code Host} is not allowed.
   *
   * <p>A request without {@code Host} (HTTP/1.0) passes, because no browser sends one.
   */
  void requireAllowed(HttpServletRequest request) {
    if (!onLoopback) {
      return;
    }
    @Nullable String host = request.getHeader(HttpHeaders.HOST);
    if (host != null && Authority.parse(host).filter(this::isAllowed).isEmpty()) {
      throw new ProblemException(
          ErrorCode.HOST_NOT_ALLOWED,
          "this server listens on loopback only and does not answer to this Host (expected:"
              + " localhost, a loopback address, the host of PUBLIC_URL, or one of ALLOWED_HOSTS);"
              + " add the name to ALLOWED_HOSTS if it is meant");
    }
  }

  private boolean isAllowed(Authority authority) {
    return authority.isLoopback() || allowed.contains(authority.host());
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false; // no server can listen there; startup fails elsewhere
    }
  }

  private static Set<String> parse(List<String> hosts) {
    return hosts.stream()
        .map(Authority::parse)
        .map(authority -> authority.orElseThrow(AllowedHosts::notAHost))
        .map(Authority::host)
        .collect(Collectors.toSet());
  }

  private static IllegalArgumentException notAHost() {
    return new IllegalArgumentException(
        "expected host names such as muster.example, with commas between");
  }
}
