package dev.muster.platform.http;

import java.util.Map;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Gives the {@link ListenAddress} to Spring, which reads SERVER_* from the process environment
 * only.
 */
final class ListenAddressInitializer
    implements ApplicationContextInitializer<ConfigurableApplicationContext> {

  @Override
  public void initialize(ConfigurableApplicationContext context) {
    ConfigurableEnvironment environment = context.getEnvironment();
    ListenAddress address = ListenAddress.of(environment);
    environment
        .getPropertySources()
        .addFirst(
            new MapPropertySource(
                "listening address",
                Map.of("server.port", address.port(), "server.address", address.host())));
  }
}
