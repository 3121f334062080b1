package dev.muster.attack;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestPeer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The resources of one running attack: workspaces, agents, connections from an address of its own,
 * and threads that end with it.
 */
final class AttackRun {

  /** A request or a step that is repeated until the end. */
  @FunctionalInterface
  interface Step {
    void take() throws Exception;
  }

  @FunctionalInterface
  interface Condition {
    boolean holds() throws Exception;
  }

  private static final AtomicInteger ADDRESSES = new AtomicInteger(1);
  private static final int TIMEOUT_MS = 90_000;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);
  private static final long MAX_PAUSE_NANOS = Duration.ofMillis(100).toNanos();
  private static final Duration MAX_WAIT = Duration.ofSeconds(15);
  private static final Duration PAUSE_BETWEEN_LOOKS = Duration.ofMillis(20);
  private static final Duration MAX_END_TIME = Duration.ofSeconds(20);

  private final AttackedServer server;
  private final Duration time;
  private final double intensity;
  private final String address = addressOf(ADDRESSES.incrementAndGet());
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private final Queue<TestPeer> agents = new ConcurrentLinkedQueue<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Step> checks = new ArrayList<>();
  private final Map<String, Integer> outcomes = new ConcurrentSkipListMap<>();
  private final Queue<String> broken = new ConcurrentLinkedQueue<>();

  /**
   * @param intensity the part of its rate at which a flood runs, and of the time in which a thread
   *     sends: 1 alone, less beside other attacks, so that the machine itself does not become the
   *     bottleneck
   */
  AttackRun(AttackedServer server, Duration time, double intensity) {
    this.server = server;
    this.time = time;
    this.intensity = intensity;
  }

  private static String addressOf(int number) {
    return "127.0." + number / 200 + "." + (2 + number % 200);
  }

  int port() {
    return server.port();
  }

  TestClient client() {
    return server.client();
  }

  Duration time() {
    return time;
  }

  double intensity() {
    return intensity;
  }

  /** Beside other attacks, an attack may not reach all its resources. */
  boolean isAlone() {
    return intensity == 1;
  }

  /** The source address of this attack's connections. */
  String address() {
    return address;
  }

  boolean goesOn() {
    return ended.getCount() > 0;
  }

  /** Waits; returns whether the attack continues afterwards. */
  boolean pause(Duration pause) throws InterruptedException {
    return !ended.await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  Agent workspace(String... fields) {
    return server.create("Attacker", fields);
  }

  /** Creates a push workspace whose agent treats every request in this way. */
  Agent pushWorkspace(PeerBehavior behavior, String... fields) throws IOException {
    List<String> all = new ArrayList<>(List.of(fields));
    all.add("\"delivery_mode\":\"push\"");
    all.add("\"max_concurrent_tasks\":1000");
    all.add("\"url\":\"" + agent(behavior).url() + "\"");
    return workspace(all.toArray(String[]::new));
  }

  TestPeer agent(PeerBehavior behavior) throws IOException {
    TestPeer agent = TestPeer.start().usually(behavior);
    agents.add(agent);
    return agent;
  }

  /** Registers a resource that is closed at the end at the latest. */
  Connection connect() throws IOException {
    Connection connection = Connection.open(port(), address, TIMEOUT_MS);
    connections.add(connection);
    if (!goesOn()) {
      connection.close();
    }
    return connection;
  }

  void close(Connection connection) {
    connections.remove(connection);
    connection.close();
  }

  /**
   * Starts this many threads, each of which repeats the step from {@link #begin} on; an exception
   * counts as an outcome.
   */
  void repeat(int count, Step step) {
    for (int i = 0; i < count; i++) {
      threads.add(Thread.ofPlatform().daemon().name("attack").unstarted(() -> repeat(step)));
    }
  }

  void begin() {
    threads.forEach(Thread::start);
  }

  private void repeat(Step step) {
    try {
      while (goesOn()) {
        long start = System.nanoTime();
        try {
          step.take();
        } catch (IOException | IllegalStateException e) {
          if (goesOn()) {
            count("broken connection");
            pause(PAUSE_AFTER_FAILURE);
          }
        }
        rest(System.nanoTime() - start);
      }
    } catch (Exception e) {
      expect(false, "the attack itself failed: " + e);
    }
  }

  private void rest(long workedNanos) throws InterruptedException {
    long rest = (long) (workedNanos * (1 / intensity - 1));
    pause(Duration.ofNanos(Math.min(rest, MAX_PAUSE_NANOS)));
  }

  /** Sends one request on a new connection; its status counts as an outcome. */
  Connection.Answer request(byte[] request) throws IOException {
    Connection connection = connect();
    try {
      Connection.Answer answer = connection.exchange(request);
      count(String.valueOf(answer.status()));
      return answer;
    } finally {
      close(connection);
    }
  }

  void count(String outcome) {
    outcomes.merge(outcome, 1, Integer::sum);
  }

  int counted(String outcome) {
    return outcomes.getOrDefault(outcome, 0);
  }

  /** Records an expectation about the attack itself, besides those about the victim. */
  void expect(boolean holds, String promise) {
    if (!holds) {
      broken.add(promise);
    }
  }

  /** Waits until a condition holds, since a short attack may end before it; false after 15 s. */
  boolean holdsSoon(Condition condition) throws Exception {
    long giveUpAt = System.nanoTime() + MAX_WAIT.toNanos();
    boolean holds = condition.holds();
    while (!holds && System.nanoTime() < giveUpAt) {
      pause(PAUSE_BETWEEN_LOOKS);
      holds = condition.holds();
    }
    return holds;
  }

  /** Runs the check at the end, before the attack releases its resources. */
  void atEnd(Step check) {
    checks.add(check);
  }

  /** Ends the attack and all its threads. */
  void end() throws Exception {
    try {
      for (Step check : checks) {
        check.take();
      }
    } finally {
      ended.countDown();
      connections.forEach(Connection::close);
      for (TestPeer agent : agents) {
        agent.close();
      }
      long giveUpAt = System.nanoTime() + MAX_END_TIME.toNanos();
      for (Thread thread : threads) {
        long left = Math.max(1, TimeUnit.NANOSECONDS.toMillis(giveUpAt - System.nanoTime()));
        if (thread.getState() != Thread.State.NEW) {
          thread.join(left);
        }
        expect(!thread.isAlive(), "the attack ends with its time");
      }
    }
  }

  Map<String, Integer> outcomes() {
    return new TreeMap<>(outcomes);
  }

  /** The violated expectations, each once. */
  List<String> broken() {
    return broken.stream().distinct().toList();
  }
}
