package dev.muster.platform.http;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.Setting;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
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
    Optional<Integer> port =
        ContractVariables.text(environment, "SERVER_PORT")
            .map(text -> Setting.SERVER_PORT.parse(() -> port(text)));
    return ContractVariables.text(environment, "server.port")
        .map(text -> Setting.SERVER_PORT.parse(() -> port(text)))
        .or(() -> port)
        .orElse(8080);
  }

  static String host(PropertyResolver environment) {
    Optional<String> host =
        ContractVariables.text(environment, "SERVER_ADDRESS")
            .map(text -> Setting.SERVER_ADDRESS.parse(() -> host(text)));
    return ContractVariables.text(environment, "server.address")
        .map(text -> Setting.SERVER_ADDRESS.parse(() -> host(text)))
        .or(() -> host)
        .orElseGet(() -> DatabaseMode.of(environment).isEmbedded() ? "127.0.0.1" : "0.0.0.0");
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
