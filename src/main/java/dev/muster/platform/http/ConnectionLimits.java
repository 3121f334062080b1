package dev.muster.platform.http;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.muster.platform.http.Quota.Grant;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.util.Comparator;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.eclipse.jetty.io.SelectorManager.AcceptListener;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the open connections, in total and per remote network.
 *
 * <p>Each network may hold seven eighths of the total. Descriptors and memory then remain for the
 * database, the agents and other clients. Behind a proxy all clients are in one network, so its
 * share is not smaller.
 *
 * <p>Before a bound is reached, the connections with the oldest last request are closed; clients
 * expect that of idle connections. At the bound a new connection is closed at once.
 */
final class ConnectionLimits implements AcceptListener {

  /** A generous estimate of the heap bytes of an idle connection. */
  private static final long HEAP_BYTES_PER_CONNECTION = 16L << 10;

  private static final int DESCRIPTORS_WHERE_NOT_KNOWN = 8192;

  private final Quota connections;
  private final Supplier<Stream<PacedEndPoint>> open;
  private final ConcurrentHashMap<SelectableChannel, RemoteNetwork> networks =
      new ConcurrentHashMap<>();

  /** Counts down the accepted connections to the next search, which reads all connections. */
  private int untilSearch;

  ConnectionLimits(int max, Supplier<Stream<PacedEndPoint>> open) {
    this.connections = new Quota(max, sevenEighths(max));
    this.open = open;
  }

  /** Returns three quarters of this process's descriptors, or fewer if the heap is too small. */
  static int forThisProcess() {
    long descriptors =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : DESCRIPTORS_WHERE_NOT_KNOWN;
    long byHeap = Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_CONNECTION;
    return (int) Math.max(2, Math.min(descriptors / 4 * 3, byHeap));
  }

  @Override
  public synchronized void onAccepting(SelectableChannel channel) {
    try {
      RemoteNetwork network = networkOf((SocketChannel) channel);
      keepSomeFree(network);
      if (connections.take(network, 1) == Grant.GRANTED) {
        networks.put(channel, network);
      } else {
        channel.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
    onClosed(channel);
  }

  @Override
  public void onClosed(SelectableChannel channel) {
    @Nullable RemoteNetwork network = networks.remove(channel);
    if (network != null) {
      connections.release(network, 1);
    }
  }

  /** Closes idle connections, if there are any, to keep an eighth of each bound free. */
  private void keepSomeFree(RemoteNetwork network) {
    long ofAll = connections.held() - sevenEighths(connections.limit());
    long ofNetwork = connections.heldBy(network) - sevenEighths(connections.ownerLimit());
    if ((ofAll >= 0 || ofNetwork >= 0) && --untilSearch <= 0) {
      untilSearch = (int) (connections.ownerLimit() / 32);
      if (ofNetwork >= 0) {
        closeIdle(ofNetwork + 1, network);
      } else {
        closeIdle(ofAll + 1, null);
      }
    }
  }

  private void closeIdle(long count, @Nullable RemoteNetwork network) {
    long now = System.nanoTime();
    open.get()
        .filter(PacedEndPoint::isIdle)
        .filter(endPoint -> network == null || network.equals(networks.get(endPoint.getChannel())))
        .sorted(Comparator.comparingLong(endPoint -> endPoint.lastRequestAt() - now))
        .limit(count)
        .toList()
        .forEach(PacedEndPoint::close);
  }

  private static long sevenEighths(long limit) {
    return limit - limit / 8;
  }

  private static RemoteNetwork networkOf(SocketChannel channel) throws IOException {
    return channel.getRemoteAddress() instanceof InetSocketAddress remote
        ? RemoteNetwork.of(remote.getAddress().getHostAddress())
        : RemoteNetwork.UNKNOWN;
  }
}
