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
 * Pauses a connection whose client sends without waiting for responses.
 *
 * <p>Jetty reads a connection and serves its requests until no more bytes are there. Its threads
 * are virtual and are not preempted. A client that never stops sending (pipelined requests, frames,
 * chunks) would occupy one processor.
 *
 * <p>The connection therefore pauses after more than {@link #UNITS_IN_A_TURN} reads and requests
 * that took more than {@link #TURN_NANOS} ns.
 *
 * <p>A client that waits for its responses is never paused: the count restarts whenever there is
 * nothing to read. The server checks that before each write too. After the write, the next request
 * of a fast client may have arrived before the server reads again.
 *
 * <p>The pause grows with the number of paused connections, so that all of them use at most a
 * quarter of the processors. With more, resumed threads would always be ready to run. The scheduler
 * empties one queue before it reads the next, so other threads would rarely run.
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
   * Creates the end point of one connection.
   *
   * @param pausing the number of connections of the server that pause now
   * @param pauses counts the pauses of all connections
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

  /** Counts a request of a connection, which TLS may wrap. */
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

  /** Returns whether all bytes that the client has sent are read. */
  private boolean clientWaits() {
    try {
      return getConnection() instanceof HttpConnection http
          && http.isRequestBufferEmpty()
          && getChannel().socket().getInputStream().available() == 0;
    } catch (IOException closed) {
      return false;
    }
  }

  /**
   * Counts a read or request. Only the thread that reads the connection or serves its request calls
   * it.
   */
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

  /** Parks the thread. After a yield it could resume before threads that have waited longer. */
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

  /** Returns whether the connection has neither a request nor the start of one. */
  boolean isIdle() {
    return isFillInterested()
        && getConnection() instanceof HttpConnection http
        && http.getParser().isStart();
  }

  long lastRequestAt() {
    return lastRequestAt;
  }

  /**
   * Returns whether a request started before {@code nanoTime} and its headers are incomplete.
   *
   * @param nanoTime a value of {@link System#nanoTime}
   */
  boolean hasUnfinishedHeadersSince(long nanoTime) {
    if (!(getConnection() instanceof HttpConnection http)) {
      return false;
    }
    HttpParser parser = http.getParser();
    long begun = parser.getBeginNanoTime();
    return begun != 0 && begun - nanoTime < 0 && parser.inHeaderState() && !parser.isStart();
  }
}
