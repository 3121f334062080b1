package dev.muster.platform.http;

import io.micrometer.core.instrument.Counter;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;

/** Accepts connections that no client can use to occupy the server; see {@link PacedEndPoint}. */
final class PacedConnector extends ServerConnector {

  /**
   * Bounds the time of a request's headers. The idle time-out bounds only the pause between two
   * bytes, so a slow sender does not reach it.
   */
  static final Duration MAX_HEADERS_TIME = Duration.ofSeconds(10);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final AtomicInteger pausing = new AtomicInteger();
  private final Counter pauses;

  /**
   * Creates a connector that replaces {@code other} and copies its settings.
   *
   * @param pauses counts the pauses of all connections
   */
  PacedConnector(ServerConnector other, int maxConnections, Counter pauses) {
    super(
        other.getServer(),
        other.getAcceptors(),
        other.getSelectorManager().getSelectorCount(),
        other.getConnectionFactories().toArray(ConnectionFactory[]::new));
    this.pauses = pauses;
    setHost(other.getHost());
    setPort(other.getPort());
    setIdleTimeout(other.getIdleTimeout());
    setShutdownIdleTimeout(other.getShutdownIdleTimeout());
    getSelectorManager().addEventListener(new ConnectionLimits(maxConnections, this::endPoints));
  }

  @Override
  protected SocketChannelEndPoint newEndPoint(
      SocketChannel channel, ManagedSelector selector, SelectionKey key) {
    PacedEndPoint endPoint =
        new PacedEndPoint(channel, selector, key, getScheduler(), pausing, pauses);
    endPoint.setIdleTimeout(getIdleTimeout());
    return endPoint;
  }

  @Override
  protected void doStart() throws Exception {
    super.doStart();
    scheduleCheck();
  }

  private void scheduleCheck() {
    var _ = getScheduler().schedule(this::check, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void check() {
    try {
      long begunBefore = System.nanoTime() - MAX_HEADERS_TIME.toNanos();
      endPoints()
          .filter(endPoint -> endPoint.hasUnfinishedHeadersSince(begunBefore))
          .forEach(PacedEndPoint::close);
    } finally {
      if (isRunning()) {
        scheduleCheck();
      }
    }
  }

  private Stream<PacedEndPoint> endPoints() {
    return getConnectedEndPoints().stream()
        .filter(PacedEndPoint.class::isInstance)
        .map(PacedEndPoint.class::cast);
  }
}
