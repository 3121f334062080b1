package dev.muster.platform.http;

import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.SecuritySettings;
import dev.muster.platform.settings.Setting;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.stereotype.Component;

/**
 * Refuses requests that pages of other sites send from a browser (R0.11).
 *
 * <p>Where the server listens on loopback only, it checks the {@code Host}. A web page can resolve
 * its own name to 127.0.0.1 (DNS rebinding) and would then share the server's origin. The browser
 * still sends the page's name as {@code Host}. The {@code Origin} is checked on every server.
 *
 * <p>It runs on every route, inside {@link RequestEnvelopeFilter} and before any code that reads
 * credentials or bodies.
 */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 15)
final class HostAndOriginFilter extends HttpFilter {

  private static final Set<String> SAFE_METHODS = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

  /** The names by which containers reach their host machine. */
  private static final Set<String> OF_CONTAINERS =
      Set.of("host.docker.internal", "host.containers.internal");

  private final boolean onLoopback;
  private final transient Set<String> allowedHosts = new HashSet<>(OF_CONTAINERS);
  private final transient AllowedOrigins origins;

  HostAndOriginFilter(
      SecuritySettings settings,
      PublicUrl publicUrl,
      AllowedOrigins origins,
      Environment environment) {
    this.onLoopback =
        ContractVariables.text(environment, "server.address")
            .filter(HostAndOriginFilter::isLoopback)
            .isPresent();
    publicUrl.authority().ifPresent(authority -> allowedHosts.add(authority.host()));
    allowedHosts.addAll(allowed(settings));
    this.origins = origins;
  }

  static Set<String> allowed(SecuritySettings settings) {
    return Setting.ALLOWED_HOSTS.parse(() -> parse(settings.security().allowedHosts()));
  }

  @Override
  protected void doFilter(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (onLoopback) {
      requireAllowedHost(request);
    }
    if (!SAFE_METHODS.contains(request.getMethod())) {
      origins.requireAllowed(request);
    }
    chain.doFilter(request, response);
  }

  /** Passes a request without {@code Host} (HTTP/1.0), because no browser sends one. */
  private void requireAllowedHost(HttpServletRequest request) {
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
    return authority.isLoopback() || allowedHosts.contains(authority.host());
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
        .map(authority -> authority.orElseThrow(HostAndOriginFilter::notAHost))
        .map(Authority::host)
        .collect(Collectors.toSet());
  }

  private static IllegalArgumentException notAHost() {
    return new IllegalArgumentException(
        "expected host names such as muster.example, with commas between");
  }
}
