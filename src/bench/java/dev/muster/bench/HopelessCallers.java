package dev.muster.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Callers of an agent that cannot be reached: each gives up in time and calls again. */
final class HopelessCallers implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String[] target;
  private final int size;
  private final ManySockets sockets;
  private final AtomicInteger calling = new AtomicInteger();
  private final AtomicLong answers = new AtomicLong();
  private volatile boolean stopped;

  HopelessCallers(int port, String[] target, int size) throws IOException {
    this.target = target;
    this.size = size;
    this.sockets = new ManySockets(port, size, this::take);
  }

  /** Spread over one patience, so that they do not all give up at once. */
  void start() {
    for (int i = 0; i < size; i++) {
      calling.incrementAndGet();
      call(sockets, i);
      LockSupport.parkNanos(PATIENCE.toNanos() / size);
    }
  }

  private void call(ManySockets same, int connection) {
    same.send(
        connection, Messages.toWorkspace(target, "X-Timeout: " + PATIENCE.toSeconds() + "\r\n"));
  }

  private void take(ManySockets same, int connection, String answer, long at) {
    if (!answer.startsWith("HTTP/1.1 503 ") && !answer.startsWith("HTTP/1.1 504 ")) {
      throw new IllegalStateException(answer);
    }
    answers.incrementAndGet();
    if (stopped) {
      calling.decrementAndGet();
    } else {
      call(same, connection);
    }
  }

  /** How often they gave up. */
  long answers() {
    return answers.get();
  }

  /** When the last has given up. */
  @Override
  public void close() throws IOException {
    stopped = true;
    Waits.until("the callers do not give up", () -> calling.get() == 0);
    sockets.close();
  }
}
