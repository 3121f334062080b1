package dev.muster.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Callers of one agent, each of which calls again when it has its answer. The agent is unreachable,
 * so that callers time out; or slow, and answers after the same time, so that both have as many
 * deliveries in progress; or never answers, so that all callers wait.
 */
final class ManyCallers implements AutoCloseable {

  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final List<String[]> targets;
  private final int size;
  private final Duration timeout;
  private final Set<Integer> expected;
  private final Runnable atEnd;
  private final BooleanSupplier ready;
  private final ManySockets sockets;
  private final AtomicInteger calling = new AtomicInteger();
  private final AtomicLong answers = new AtomicLong();
  private volatile boolean stopped;

  private ManyCallers(
      int port,
      List<String[]> targets,
      int size,
      Duration timeout,
      Set<Integer> expected,
      BooleanSupplier ready,
      Runnable atEnd)
      throws IOException {
    this.ready = ready;
    this.atEnd = atEnd;
    this.targets = targets;
    this.size = size;
    this.timeout = timeout;
    this.expected = expected;
    this.sockets = new ManySockets(port, size, this::take);
  }

  static ManyCallers ofUnreachable(int port, List<String[]> targets, int size) throws IOException {
    return new ManyCallers(port, targets, size, TIMEOUT, Set.of(503, 504), () -> true, () -> {});
  }

  static ManyCallers ofSlow(int port, List<String[]> targets, int size) throws IOException {
    return new ManyCallers(
        port, targets, size, TIMEOUT.multipliedBy(4), Set.of(200), () -> true, () -> {});
  }

  /** They wait until the agent is released, at the end. */
  static ManyCallers ofSilent(int port, List<String[]> targets, int size, AgentProcess agent)
      throws IOException {
    return new ManyCallers(
        port,
        targets,
        size,
        Duration.ofMinutes(5),
        Set.of(200),
        () -> agent.waiting() == size,
        agent::release);
  }

  /** Returns when all have called: spread over one timeout, so that they do not all end at once. */
  void start() {
    for (int i = 0; i < size; i++) {
      calling.incrementAndGet();
      call(sockets, i);
      LockSupport.parkNanos(TIMEOUT.toNanos() / size);
    }
    Waits.until("not all calls come to the agent", ready);
  }

  private void call(ManySockets same, int connection) {
    same.send(
        connection,
        Messages.toWorkspace(
            targets.get(connection % targets.size()),
            "X-Timeout: " + timeout.toSeconds() + "\r\n"));
  }

  private void take(ManySockets same, int connection, String answer, long at) {
    if (!expected.contains(Integer.parseInt(answer.substring(9, 12)))) {
      throw new IllegalStateException(answer);
    }
    answers.incrementAndGet();
    if (stopped) {
      calling.decrementAndGet();
    } else {
      call(same, connection);
    }
  }

  /** The number of answers. */
  long answers() {
    return answers.get();
  }

  /** Returns when the last caller has its answer. */
  @Override
  public void close() throws IOException {
    stopped = true;
    atEnd.run();
    Waits.until("the callers do not end", () -> calling.get() == 0);
    sockets.close();
  }
}
