package dev.muster.platform.http;

import dev.muster.platform.postgres.DatabaseChoice;
import dev.muster.platform.settings.Settings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Where the server listens: on loopback while it is one person's, else on all addresses; and only
 * on usable ones.
 */
final class ListeningAddress
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  private static final int HIGHEST_PORT = 65_535;

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ConfigurableEnvironment environment = context.getEnvironment();
    Settings settings = new Settings(environment);
    settings.security("SERVER_PORT", 0, ListeningAddress::port);
    settings.security("SERVER_ADDRESS", "", ListeningAddress::address);
    boolean chosen =
        settings.text("SERVER_ADDRESS").isPresent() || settings.text("server.address").isPresent();
    if (!chosen) {
      String address = DatabaseChoice.of(environment).isEmbedded() ? "127.0.0.1" : "0.0.0.0";
      environment
          .getPropertySources()
          .addFirst(new MapPropertySource("listening address", Map.of("server.address", address)));
    }
  }

  private static int port(String text) {
    if (text.matches("\\d{1,5}") && Integer.parseInt(text) <= HIGHEST_PORT) {
      return Integer.parseInt(text);
    }
    throw new IllegalArgumentException("expected a port from 0 (any free one) to " + HIGHEST_PORT);
  }

  private static String address(String text) {
    try {
      return InetAddress.getByName(text).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("expected an address or a name of this machine", e);
    }
  }
}
