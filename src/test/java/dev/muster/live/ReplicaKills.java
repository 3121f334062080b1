package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestDatabases.TestDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;

/**
 * Two replicas on one database under load. One of them is killed again and again while agents send
 * heartbeats and subscribers follow the streams; each turns to the other replica when one fails.
 *
 * <p>At the end every subscriber has seen every recorded event once and in order, every
 * acknowledged change is stored, and exactly the agents that stopped are offline.
 */
public final class ReplicaKills implements AutoCloseable {

  private static final Map<String, String> SETTINGS =
      Map.of(
          "ADMIN_TOKEN", ADMIN_TOKEN,
          "SERVER_ADDRESS", "127.0.0.1",
          "STALE_AFTER_S", "10",
          "RECOVERY_GRACE_S", "20",
          "LIVENESS_SWEEP_INTERVAL_S", "1",
          "RATE_LIMIT", "0",
          "RATE_LIMIT_HEARTBEAT", "0",
          "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE", "10");

  /** The size of a run. */
  public record Size(int kills, int agents, int watchers) {}

  private final Size size;
  private final TestDatabase database;
  private final Path folder;
  private final List<AtomicReference<ServerProcess>> replicas = new ArrayList<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final CompletableFuture<Boolean> over = new CompletableFuture<>();
  private final Random random = new Random(7);

  public ReplicaKills(Size size, TestDatabase database, Path folder) throws IOException {
    this.size = size;
    this.database = database;
    this.folder = folder;
    for (int i = 0; i < 2; i++) {
      replicas.add(new AtomicReference<>(startReplica()));
    }
    for (AtomicReference<ServerProcess> replica : replicas) {
      replica.get().awaitReady();
    }
  }

  /** Returns a summary in one sentence; fails when an event or a change was lost. */
  public String run() throws Exception {
    List<LiveAgent> agents = new ArrayList<>();
    for (int i = 0; i < size.agents(); i++) {
      agents.add(new LiveAgent(client(i).createOnline("agent" + i), i));
    }
    long start = Long.parseLong(database.value("SELECT last_seq FROM event_head"));
    List<StreamWatcher> watchers = new ArrayList<>();
    for (int i = 0; i < size.watchers(); i++) {
      watchers.add(new StreamWatcher(this::client, i, start));
    }
    List<Future<?>> working = new ArrayList<>();
    watchers.forEach(watcher -> working.add(threads.submit(() -> watcher.follow(over))));
    List<Future<?>> beating = agents.stream().<Future<?>>map(a -> threads.submit(a::live)).toList();
    List<LiveAgent> fallenSilent = new ArrayList<>();
    for (int kill = 0; kill < size.kills(); kill++) {
      awaitConnected(agents, watchers);
      LiveAgent silent = agents.get(kill);
      silent.makeStale();
      fallenSilent.add(silent);
      killOne(kill % 2);
      awaitOffline(silent);
    }
    agents.forEach(LiveAgent::makeStale);
    for (Future<?> one : beating) {
      one.get(60, TimeUnit.SECONDS);
    }
    assertOnlyStoppedAgentsWentOffline(agents, fallenSilent);
    assertNothingAcknowledgedIsLost(agents);
    return assertSeen(watchers, working, start);
  }

  /** Waits until each agent has made a change, and each watcher has seen all changes until then. */
  private void awaitConnected(List<LiveAgent> agents, List<StreamWatcher> watchers) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> agents.stream().allMatch(one -> one.acknowledged > 0));
    long head = Long.parseLong(database.value("SELECT last_seq FROM event_head"));
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> watchers.stream().allMatch(one -> one.lastSeen() >= head));
  }

  /** One of the live replicas; another number may be another replica. */
  private TestClient client(int number) {
    return replicas.get(Math.floorMod(number, 2)).get().client();
  }

  private ServerProcess startReplica() throws IOException {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    settings.put("DATABASE_URL", database.url());
    return ServerProcess.start(folder, settings);
  }

  private void killOne(int number) throws IOException {
    AtomicReference<ServerProcess> replica = replicas.get(number);
    ServerProcess killed = replica.get();
    killed.kill();
    killed.close();
    replica.set(startReplica());
    replica.get().awaitReady();
  }

  private void awaitOffline(LiveAgent silent) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> status(silent).equals("offline"));
  }

  private String status(LiveAgent one) {
    return database.value(
        "SELECT status FROM workspace_heartbeats WHERE workspace_id = '" + one.agent.id() + "'");
  }

  private void assertOnlyStoppedAgentsWentOffline(List<LiveAgent> agents, List<LiveAgent> silent) {
    for (LiveAgent one : agents) {
      String offline =
          database.value(
              "SELECT count(*) FROM events WHERE event_type = 'WORKSPACE_OFFLINE' AND workspace_id"
                  + " = '"
                  + one.agent.id()
                  + "' AND created_at < '"
                  + one.lastHeartbeatAt
                  + "'::timestamptz + interval '9 s'");
      assertThat(offline)
          .as("went offline although it sent heartbeats: %s", one.agent.id())
          .isEqualTo("0");
    }
    for (LiveAgent one : silent) {
      String offline =
          database.value(
              "SELECT count(*) FROM events WHERE event_type = 'WORKSPACE_OFFLINE' AND workspace_id"
                  + " = '"
                  + one.agent.id()
                  + "'");
      assertThat(offline).isEqualTo("1");
    }
  }

  private void assertNothingAcknowledgedIsLost(List<LiveAgent> agents) {
    for (LiveAgent one : agents) {
      String x =
          database.value("SELECT x::bigint FROM workspaces WHERE id = '" + one.agent.id() + "'");
      assertThat(Long.parseLong(x)).isGreaterThanOrEqualTo(one.acknowledged);
    }
  }

  private String assertSeen(List<StreamWatcher> watchers, List<Future<?>> following, long start)
      throws Exception {
    long head = Long.parseLong(database.value("SELECT last_seq FROM event_head"));
    List<Long> all = LongStream.rangeClosed(start + 1, head).boxed().toList();
    int reconnections = 0;
    for (StreamWatcher watcher : watchers) {
      Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> watcher.lastSeen() >= head);
      assertThat(watcher.seen().subList(0, all.size())).isEqualTo(all);
      assertThat(watcher.seen()).doesNotHaveDuplicates();
      reconnections += watcher.reconnections();
    }
    assertThat(reconnections).isGreaterThanOrEqualTo(size.kills());
    over.complete(true);
    for (Future<?> one : following) {
      one.get(60, TimeUnit.SECONDS);
    }
    return "%d kills, %d events, %d watchers, %d reconnections: none lost, none doubled, no agent wrongly offline"
        .formatted(size.kills(), all.size(), watchers.size(), reconnections);
  }

  @Override
  public void close() throws IOException {
    over.complete(true);
    threads.shutdownNow();
    for (AtomicReference<ServerProcess> replica : replicas) {
      replica.get().close();
    }
  }

  /** Sends heartbeats and moves on the canvas to any live replica, until it stops. */
  private final class LiveAgent {

    private final Agent agent;
    private final int number;
    private final CompletableFuture<Boolean> silent = new CompletableFuture<>();
    private volatile long acknowledged;
    private volatile String lastHeartbeatAt = "-infinity";

    LiveAgent(Agent agent, int number) {
      this.agent = agent;
      this.number = number;
    }

    void makeStale() {
      silent.complete(true);
    }

    void live() {
      int next = number;
      for (long x = 1; !silent.isDone(); x++) {
        TestClient replica = client(next);
        try {
          boolean stored =
              replica.heartbeatOnce(agent, "\"uptime_seconds\":" + x).status() == 200
                  && replica
                          .patch("/workspaces/" + agent.id(), agent.token(), "{\"x\":" + x + "}")
                          .status()
                      == 200;
          if (stored) {
            acknowledged = x;
            pause(400);
          } else {
            next++;
          }
        } catch (IllegalStateException killed) {
          next++;
        }
      }
      lastHeartbeatAt =
          database.value(
              "SELECT last_heartbeat_at FROM workspace_heartbeats WHERE workspace_id = '"
                  + agent.id()
                  + "'");
    }

    private void pause(int millis) {
      silent
          .copy()
          .completeOnTimeout(true, millis + random.nextInt(200), TimeUnit.MILLISECONDS)
          .join();
    }
  }
}
