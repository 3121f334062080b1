package dev.muster.platform.http;

import dev.muster.platform.postgres.DatabaseMode;
import dev.muster.platform.settings.ContractVariables;
import dev.muster.platform.settings.Setting;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Sets the address and port on which the server listens.
 *
 * <p>With the embedded database the default address is loopback, otherwise all addresses. Startup
 * fails on an unusable setting.
 */
final class ListenAddressInitializer
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final int MAX_PORT = 65_535;

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ConfigurableEnvironment environment = context.getEnvironment();
    Optional<Integer> port =
        ContractVariables.text(environment, "SERVER_PORT")
            .map(text -> Setting.SERVER_PORT.parse(() -> port(text)));
    Optional<String> address =
        ContractVariables.text(environment, "SERVER_ADDRESS")
            .map(text -> Setting.SERVER_ADDRESS.parse(() -> address(text)));
    Map<String, Object> listening = new HashMap<>();
    // Spring's names take precedence; Spring reads SERVER_* from the process environment only
    if (ContractVariables.text(environment, "server.port").isEmpty()) {
      port.ifPresent(chosen -> listening.put("server.port", chosen));
    }
    if (ContractVariables.text(environment, "server.address").isEmpty()) {
      String byDefault = DatabaseMode.of(environment).isEmbedded() ? "127.0.0.1" : "0.0.0.0";
      listening.put("server.address", address.orElse(byDefault));
    }
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("listening address", listening));
  }

  private static int port(String text) {
    if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= MAX_PORT) {
      return Integer.parseInt(text);
    }
    throw new IllegalArgumentException("expected a port from 0 (any free one) to " + MAX_PORT);
  }

  private static String address(String text) {
    try {
      return InetAddress.getByName(text).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("expected an address or a name of this machine", e);
    }
  }
}
