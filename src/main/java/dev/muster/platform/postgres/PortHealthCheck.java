package dev.muster.platform.postgres;

import dev.muster.platform.postgres.ControlPlaneUptime.ReplicaHealthCheck;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Checks that this replica responds on its own port.
 *
 * <p>While it does not, heartbeats cannot arrive, and silent agents are not at fault.
 */
@Component
final class PortHealthCheck implements ReplicaHealthCheck {

  private static final int TIMEOUT_MILLIS = 2000;

  private final Environment environment;
  private volatile @Nullable URI health;

  PortHealthCheck(Environment environment) {
    this.environment = environment;
  }

  @EventListener
  void onOpen(WebServerInitializedEvent opened) throws IOException, URISyntaxException {
    InetAddress bound =
        InetAddress.getByName(environment.getProperty("server.address", "127.0.0.1"));
    String host = bound.isAnyLocalAddress() ? "127.0.0.1" : bound.getHostAddress();
    health = new URI("http", null, host, opened.getWebServer().getPort(), "/health", null, null);
  }

  /** Returns true for any status below 500: a response of 429 also shows a live server. */
  @Override
  public boolean isHealthy() {
    @Nullable URI asked = health;
    return asked != null && answers(asked);
  }

  static boolean answers(URI asked) {
    try {
      HttpURLConnection request = (HttpURLConnection) asked.toURL().openConnection(Proxy.NO_PROXY);
      request.setRequestProperty("Connection", "close");
      request.setConnectTimeout(TIMEOUT_MILLIS);
      request.setReadTimeout(TIMEOUT_MILLIS);
      try {
        return request.getResponseCode() < 500;
      } finally {
        request.disconnect();
      }
    } catch (IOException noAnswer) {
      return false;
    }
  }
}
