package dev.muster.platform.http;

import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * A connection that gives up its thread from time to time.
 *
 * <p>The server goes on reading a connection, and serving what it reads, until nothing is left to
 * read. The threads are virtual and nobody takes the processor from them: a client that always has
 * sent more (pipelined requests, frames, chunks) would keep one processor for itself. So after a
 * turn of more than {@link #UNITS_IN_A_TURN} reads and requests and {@link #TURN_NANOS} the
 * connection pauses. A client that waits for its answers never meets this: whenever there is
 * nothing to read, its next turn begins. That is looked at before each write too: after it, the
 * next request of a quick client may be there before the server reads again.
 *
 * <p>The pause grows with the number of connections that pause, so that all of them together take a
 * quarter of the processors at most. If they took more, the threads that come out of their pauses
 * would always be there to run, and the scheduler, which empties one of its queues before it looks
 * at the next, would hardly come to the others.
 */
final class PacedEndPoint extends SocketChannelEndPoint {

  private static final int UNITS_IN_A_TURN = 16;
  private static final long TURN_NANOS = 500_000;
  private static final double PART_OF_THE_PROCESSORS = 0.25;
  private static final long MIN_PAUSE_NANOS = 2_000_000;
  private static final long MAX_PAUSE_NANOS = 10_000_000_000L;

  private final AtomicInteger pausing;
  private final Counter pauses;
  private int units;
  private long turnStartedAt;
  private volatile long lastRequestAt = System.nanoTime();

  /**
   * {@code pausing} counts the connections of the server that pause now, {@code pauses} their
   * pauses.
   */
  PacedEndPoint(
      SocketChannel channel,
      ManagedSelector selector,
      SelectionKey key,
      Scheduler scheduler,
      AtomicInteger pausing,
      Counter pauses) {
    super(channel, selector, key, scheduler);
    this.pausing = pausing;
    this.pauses = pauses;
  }

  /** Of a connection to whose bytes others, those of TLS, may be wrapped around. */
  static void countRequest(EndPoint connected) {
    EndPoint endPoint = connected;
    while (endPoint instanceof EndPoint.Wrapper wrapper) {
      endPoint = wrapper.unwrap();
    }
    if (endPoint instanceof PacedEndPoint paced) {
      paced.lastRequestAt = System.nanoTime();
      paced.countUnit();
    }
  }

  @Override
  public int fill(ByteBuffer buffer) throws IOException {
    int filled = super.fill(buffer);
    if (filled > 0) {
      countUnit();
    } else {
      units = 0;
    }
    return filled;
  }

  @Override
  public void fillInterested(Callback callback) {
    units = 0;
    super.fillInterested(callback);
  }

  @Override
  public boolean tryFillInterested(Callback callback) {
    units = 0;
    return super.tryFillInterested(callback);
  }

  @Override
  public boolean flush(ByteBuffer... buffers) throws IOException {
    if (units > 0 && clientWaits()) {
      units = 0;
    }
    return super.flush(buffers);
  }

  /** Whether all that the client has sent is read. */
  private boolean clientWaits() {
    try {
      return getConnection() instanceof HttpConnection http
          && http.isRequestBufferEmpty()
          && getChannel().socket().getInputStream().available() == 0;
    } catch (IOException closed) {
      return false;
    }
  }

  /** By the thread that reads the connection or serves its request. */
  private void countUnit() {
    units++;
    if (units == 1) {
      turnStartedAt = System.nanoTime();
    } else if (units > UNITS_IN_A_TURN) {
      long turn = System.nanoTime() - turnStartedAt;
      if (turn > TURN_NANOS) {
        pause(turn);
        units = 0;
      }
    }
  }

  /** Parks: a thread that only yields may be continued before those that wait for longer. */
  private void pause(long turn) {
    pauses.increment();
    int sharers = pausing.incrementAndGet();
    try {
      double processors = PART_OF_THE_PROCESSORS * Runtime.getRuntime().availableProcessors();
      long pause = (long) (turn * sharers / processors);
      LockSupport.parkNanos(Math.clamp(pause, MIN_PAUSE_NANOS, MAX_PAUSE_NANOS));
    } finally {
      pausing.decrementAndGet();
    }
  }

  /** Whether it has neither a request nor the beginning of one. */
  boolean isIdle() {
    return isFillInterested()
        && getConnection() instanceof HttpConnection http
        && http.getParser().isStart();
  }

  long lastRequestAt() {
    return lastRequestAt;
  }

  /** Whether a request has begun before {@code nanoTime} and its headers have not ended. */
  boolean hasUnfinishedHeadersSince(long nanoTime) {
    if (!(getConnection() instanceof HttpConnection http)) {
      return false;
    }
    HttpParser parser = http.getParser();
    long begun = parser.getBeginNanoTime();
    return begun != 0 && begun - nanoTime < 0 && parser.inHeaderState() && !parser.isStart();
  }
}
