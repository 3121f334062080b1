package dev.muster.bench;

import dev.muster.bench.ClosedLoop.Load;
import dev.muster.bench.DepthTable.Figure;
import dev.muster.bench.DepthTable.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Messages that wait for agents at capacity, and agents that never answer. */
final class QueueDepth implements DepthBench.Backlog {

  private static final int[] MESSAGES = {9, 95, 950};
  private static final int[] SILENT = {3, 30, 300};
  private static final int TARGETS = 50;
  private static final int HEALTHY = 20;
  private static final int MESSAGES_OF_HEALTHY = 10;
  private static final int CONNECTIONS = 64;
  private static final int CAPACITY = 10;
  private static final int DIRECT = 5_000;
  private static final int WARM_UPS = 2;

  private final Figure accepted;
  private final Figure acceptedLate;
  private final Figure acceptedOfDirect;
  private final Figure fromOperator;
  private final Figure page;
  private final Figure drained;
  private final Figure drainedOfDirect;
  private final Figure standstill;
  private final Figure besideSilent;

  private final DepthServer server;
  private final AgentProcess quick = AgentProcess.start();
  private final AgentProcess held = AgentProcess.start();
  private final List<String[]> targets;
  private final List<String[]> senders;
  private final List<String[]> healthy;
  private final List<String[]> silent;

  /**
   * Starts the agents, and warms the server up.
   *
   * @param senders how many workspaces send the messages; each target gets them of all
   */
  QueueDepth(DepthServer server, int senders) throws Exception {
    this.server = server;
    String queued = "9, 95, 950 messages for each of 50 agents, from " + inWords(senders);
    this.accepted = Figure.of(queued, "accepted a second", "%.0f");
    this.acceptedLate =
        Figure.of(queued, "accepted a second, last tenth ÷ first tenth", "%.2f").atLeast(0.8);
    this.acceptedOfDirect =
        Figure.of(queued, "accepted a second ÷ sent directly", "%.2f").atLeast(1);
    this.fromOperator =
        Figure.of(queued, "accepted from an operator ÷ from agents", "%.2f").atLeast(0.85);
    this.page = Figure.of(queued, "a page of the queue, ms", "%.1f");
    this.drained = Figure.of(queued, "delivered a second", "%.0f");
    this.drainedOfDirect =
        Figure.of(queued, "delivered a second ÷ sent directly", "%.2f").atLeast(0.8);
    this.standstill = Figure.of(queued, "longest time without a delivery, s", "%.2f").atMost(1);
    this.besideSilent =
        Figure.of(
                "3, 30, 300 agents that never answer, 2 messages each from " + inWords(senders),
                "200 messages to 20 healthy agents delivered, s",
                "%.1f")
            .atMost(5);
    List<String[]> fleet =
        server.seed(1 + TARGETS + senders + HEALTHY + IntStream.of(SILENT).sum());
    server.execute(
        "UPDATE workspaces SET parent_id = '%1$s' WHERE id IN (%2$s)"
            .formatted(fleet.getFirst()[0], ids(fleet.subList(1, fleet.size()))));
    this.targets = fleet.subList(1, 1 + TARGETS);
    this.senders = fleet.subList(1 + TARGETS, 1 + TARGETS + senders);
    this.healthy = fleet.subList(1 + TARGETS + senders, 1 + TARGETS + senders + HEALTHY);
    this.silent = fleet.subList(1 + TARGETS + senders + HEALTHY, fleet.size());
    callAt(targets, quick.baseUrl() + EchoingAgent.AT_ONCE);
    callAt(healthy, quick.baseUrl() + EchoingAgent.AT_ONCE);
    callAt(silent, held.baseUrl() + EchoingAgent.HELD);
    for (int i = 0; i < WARM_UPS; i++) {
      direct();
      report(targets, CAPACITY);
      send(targets, MESSAGES[1] * TARGETS);
      awaitDelivered(targets, MESSAGES[1] * TARGETS);
    }
  }

  private static String inWords(int senders) {
    return senders == 1 ? "1 sender" : senders + " senders";
  }

  private static String ids(List<String[]> workspaces) {
    return workspaces.stream()
        .map(workspace -> "'" + workspace[0] + "'")
        .collect(Collectors.joining(","));
  }

  private void callAt(List<String[]> agents, String url) throws Exception {
    server.execute(
        "UPDATE workspaces SET delivery_mode = 'push', url = '%s', max_concurrent_tasks = %d WHERE id IN (%s)"
            .formatted(url, CAPACITY, ids(agents)));
  }

  /** Each agent sends a heartbeat with that many tasks. */
  private void report(List<String[]> agents, int tasks) throws IOException, InterruptedException {
    Load load =
        ClosedLoop.run(
            server.port(),
            CONNECTIONS,
            agents.size(),
            n ->
                ClosedLoop.post(
                    "/registry/heartbeat",
                    agents.get(n)[1],
                    "{\"workspace_id\":\"%s\",\"active_tasks\":%d}"
                        .formatted(agents.get(n)[0], tasks)));
    if (load.refused() > 0) {
      throw new IllegalStateException("heartbeats of the agents were refused");
    }
  }

  private Load send(List<String[]> agents, int count) throws IOException, InterruptedException {
    return ClosedLoop.run(server.port(), CONNECTIONS, count, n -> message(agents, n, sender(n)));
  }

  private String sender(int number) {
    return senders.get((number / TARGETS * 7 + number) % senders.size())[1];
  }

  private static String message(List<String[]> agents, int number, String sender) {
    String[] to = {agents.get(number % agents.size())[0], sender};
    return Messages.toWorkspace(to, "");
  }

  /** Sends to agents with capacity, which answer at once. */
  private Load direct() throws IOException, InterruptedException {
    report(targets, 0);
    Load load = send(targets, DIRECT);
    if (load.refused() > 0) {
      throw new IllegalStateException("direct messages were refused");
    }
    return load;
  }

  @Override
  public void measure(int size) throws Exception {
    double direct = direct().rate();
    double ofAgents = accept(size, direct);
    page(size);
    drain(size, direct);
    acceptFromOperator(size, ofAgents);
    deliverBesideSilentAgents(size);
  }

  /** Returns how many were accepted a second. */
  private double accept(int size, double direct) throws Exception {
    report(targets, CAPACITY);
    double[] rate = {0};
    server.measure(
        size,
        () -> {
          Load load = send(targets, MESSAGES[size] * TARGETS);
          rate[0] = load.rate();
          return new Outcome(
              Map.of(
                  accepted, load.rate(),
                  acceptedLate, load.rate(90, 100) / load.rate(0, 10),
                  acceptedOfDirect, load.rate() / direct),
              load.refused());
        });
    return rate[0];
  }

  /** Fills the same queues as the agents did, and empties them. */
  private void acceptFromOperator(int size, double ofAgents) throws Exception {
    report(targets, CAPACITY);
    int count = MESSAGES[size] * TARGETS;
    server.measure(
        size,
        () -> {
          Load load =
              ClosedLoop.run(
                  server.port(), CONNECTIONS, count, n -> message(targets, n, AdminClient.TOKEN));
          return Outcome.of(fromOperator, load.rate() / ofAgents, load.refused());
        });
    Delivered _ = awaitDelivered(targets, count);
  }

  private void page(int size) throws Exception {
    server.measure(
        size,
        () -> DepthBench.reads(server, page, "/admin/a2a-queue?limit=100", AdminClient.TOKEN));
  }

  private void drain(int size, double direct) throws Exception {
    server.measure(
        size,
        () -> {
          Delivered delivered = awaitDelivered(targets, MESSAGES[size] * TARGETS);
          return new Outcome(
              Map.of(
                  drained, delivered.rate(),
                  drainedOfDirect, delivered.rate() / direct,
                  standstill, delivered.standstillS()),
              0);
        });
  }

  private record Delivered(int messages, double seconds, double standstillS) {

    double rate() {
      return messages / seconds;
    }
  }

  /** The agents have capacity from now on; returns when they have that many more messages. */
  private Delivered awaitDelivered(List<String[]> agents, int messages) throws Exception {
    int before = quick.answered();
    long begin = System.nanoTime();
    long last = begin;
    long longest = 0;
    int delivered = 0;
    report(agents, 0);
    while (delivered < messages) {
      int now = quick.answered() - before;
      longest = Math.max(longest, System.nanoTime() - last);
      if (now > delivered) {
        delivered = now;
        last = System.nanoTime();
      }
      if (System.nanoTime() - last > Duration.ofMinutes(2).toNanos()) {
        throw new IllegalStateException("%d of %d are delivered".formatted(delivered, messages));
      }
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
    return new Delivered(messages, (last - begin) / 1e9, longest / 1e9);
  }

  private void deliverBesideSilentAgents(int size) throws Exception {
    int from = IntStream.of(SILENT).limit(size).sum();
    List<String[]> hung = silent.subList(from, from + SILENT[size]);
    report(hung, CAPACITY);
    report(healthy, CAPACITY);
    Load toHung = send(hung, 2 * hung.size());
    Load toHealthy = send(healthy, HEALTHY * MESSAGES_OF_HEALTHY);
    report(hung, 0);
    Waits.until("the silent agents are not called", () -> held.waiting() >= hung.size() / 2);
    server.measure(
        size,
        () -> {
          Delivered delivered = awaitDelivered(healthy, HEALTHY * MESSAGES_OF_HEALTHY);
          return Outcome.of(
              besideSilent, delivered.seconds(), toHung.refused() + toHealthy.refused());
        });
    while (server.number("SELECT count(*) FROM deliveries") > 0) {
      held.release();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  @Override
  public void close() {
    quick.close();
    held.close();
  }
}
