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
 * What one attack has while it runs: workspaces and agents of its own, connections from an address
 * of its own, and threads that end when its time is over.
 */
final class AttackRun {

  /** A request or a step, again and again until the end. */
  @FunctionalInterface
  interface Step {
    void take() throws Exception;
  }

  private static final AtomicInteger ADDRESSES = new AtomicInteger(1);
  private static final int TIMEOUT_MS = 90_000;
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMillis(100);
  private static final long MAX_REST_NANOS = Duration.ofMillis(100).toNanos();
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
   * @param intensity the part of its rate at which a flood is to run, and of its time in which a
   *     thread is to send: 1 alone, less beside others, so that the machine itself is not what is
   *     short
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

  /** Beside others an attack may come too late to all that it is to get. */
  boolean isAlone() {
    return intensity == 1;
  }

  /** The address that this attack's connections come from. */
  String address() {
    return address;
  }

  boolean goesOn() {
    return ended.getCount() > 0;
  }

  /** Whether the attack goes on after this time. */
  boolean pause(Duration pause) throws InterruptedException {
    return !ended.await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }

  Agent workspace(String... fields) {
    return server.create("Attacker", fields);
  }

  /** A workspace that is called at an agent which does this to every request. */
  Agent pushWorkspace(PeerBehavior deed, String... fields) throws IOException {
    List<String> all = new ArrayList<>(List.of(fields));
    all.add("\"delivery_mode\":\"push\"");
    all.add("\"max_concurrent_tasks\":1000");
    all.add("\"url\":\"" + agent(deed).url() + "\"");
    return workspace(all.toArray(String[]::new));
  }

  TestPeer agent(PeerBehavior deed) throws IOException {
    TestPeer agent = TestPeer.start().usually(deed);
    agents.add(agent);
    return agent;
  }

  /** Closed at the end at the latest. */
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
   * As many threads, each of which repeats the step from {@link #begin} on; what it throws is an
   * outcome.
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
    pause(Duration.ofNanos(Math.min(rest, MAX_REST_NANOS)));
  }

  /** One request on a connection of its own, whose status is an outcome. */
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

  /** What is to hold under the attack besides what the victim feels. */
  void expect(boolean holds, String promise) {
    if (!holds) {
      broken.add(promise);
    }
  }

  /** Is run at the end, before the attack lets go of anything. */
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

  /** The promises that were not kept, each once. */
  List<String> broken() {
    return broken.stream().distinct().toList();
  }
}
