package dev.muster.platform.http;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.Setting;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.PropertyResolver;

/**
 * Where the server listens: {@code SERVER_ADDRESS} and {@code SERVER_PORT}, or Spring's properties,
 * which take precedence.
 *
 * @param host an address; by default loopback with the embedded database, otherwise all addresses
 * @param port 0 for any free one
 */
public record ListenAddress(String host, int port) {

  private static final int MAX_PORT = 65_535;

  /**
   * Reads the settings.
   *
   * @throws dev.muster.platform.settings.StartRefusedException if one is not usable
   */
  public static ListenAddress of(PropertyResolver environment) {
    return new ListenAddress(host(environment), port(environment));
  }

  static int port(PropertyResolver environment) {
    return given(environment, Setting.SERVER_PORT, ListenAddress::port).orElse(8080);
  }

  static String host(PropertyResolver environment) {
    return given(environment, Setting.SERVER_ADDRESS, ListenAddress::host)
        .orElseGet(() -> DatabaseMode.of(environment).isEmbedded() ? "127.0.0.1" : "0.0.0.0");
  }

  /** Parses the variable too where the property takes precedence: a bad one is refused anyway. */
  private static <T> Optional<T> given(
      PropertyResolver environment, Setting setting, Function<String, T> parser) {
    Optional<T> variable = parsed(environment, setting.name(), setting, parser);
    return parsed(environment, setting.property(), setting, parser).or(() -> variable);
  }

  private static <T> Optional<T> parsed(
      PropertyResolver environment, String name, Setting setting, Function<String, T> parser) {
    return ContractVariables.text(environment, name)
        .map(text -> setting.parse(() -> parser.apply(text)));
  }

  /** Says what to do when another program has the port. */
  @Order(Ordered.HIGHEST_PRECEDENCE) // before Spring's own
  static final class PortInUse extends AbstractFailureAnalyzer<PortInUseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, PortInUseException refusal) {
      return new FailureAnalysis(
          "The port %d is in use; stop the program that has it, or set SERVER_PORT to another."
              .formatted(refusal.getPort()),
          null,
          refusal);
    }
  }

  private static int port(String text) {
    if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= MAX_PORT) {
      return Integer.parseInt(text);
    }
    throw new IllegalArgumentException("expected a port from 0 (any free one) to " + MAX_PORT);
  }

  private static String host(String text) {
    try {
      return InetAddress.getByName(text).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("expected an address or a name of this machine", e);
    }
  }
}
