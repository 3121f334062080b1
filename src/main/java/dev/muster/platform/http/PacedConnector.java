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

/** Accepts connections that none of them can fill the server with: see {@link PacedEndPoint}. */
final class PacedConnector extends ServerConnector {

  /** The idle time-out sees only the pause between two bytes, which a slow sender makes short. */
  static final Duration MAX_HEADERS_TIME = Duration.ofSeconds(10);

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final AtomicInteger pausing = new AtomicInteger();
  private final Counter pauses;

  /** As {@code other}, which it replaces; {@code pauses} counts those of all connections. */
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
