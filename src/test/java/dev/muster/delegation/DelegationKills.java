package dev.muster.delegation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PacedServer;
import dev.muster.testing.PeerExchange;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestPeer.Delivery;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/**
 * Kills a server again and again while agents delegate to two push agents: one recognises duplicate
 * messages by their ids and does each task once, the other repeats the work.
 *
 * <p>At the end each accepted delegation has completed once, its caller was notified once, and the
 * agent that recognises ids did each task once (R8.3).
 */
public final class DelegationKills implements AutoCloseable {

  /** The size of a run. */
  public record Size(int delegations, int kills) {}

  private static final int SLOTS = 8;
  private static final Duration PACE = Duration.ofMillis(20);
  private static final Duration WORK = Duration.ofMillis(150);
  private static final Duration LATEST_KILL = Duration.ofMillis(400);
  private static final Duration TAKEOVER = Duration.ofMinutes(3);

  private final Size size;
  private final TestDatabase database;
  private final Path folder;
  private final Random random = new Random(11);
  private final TestPeer recognising;
  private final TestPeer forgetful;
  private final Set<String> done = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private final AtomicInteger repeated = new AtomicInteger();
  private volatile ServerProcess server;

  public DelegationKills(Size size, TestDatabase database, Path folder) throws IOException {
    this.size = size;
    this.database = database;
    this.folder = folder;
    this.recognising = TestPeer.start().usually(this::workOnce);
    this.forgetful = TestPeer.start().usually(DelegationKills::workAlways);
    this.server = start();
  }

  private ServerProcess start() throws IOException {
    return ServerProcess.start(PacedServer.class, folder, ServerProcess.settings(database.url()))
        .awaitReady();
  }

  private boolean workOnce(PeerExchange exchange) throws IOException {
    String id = idOf(exchange.receive());
    if (done.add(id)) {
      LockSupport.parkNanos(WORK.toNanos());
    }
    return answer(exchange, id);
  }

  private static boolean workAlways(PeerExchange exchange) throws IOException {
    String id = idOf(exchange.receive());
    LockSupport.parkNanos(WORK.toNanos());
    return answer(exchange, id);
  }

  private static boolean answer(PeerExchange exchange, String id) throws IOException {
    String json =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"parts\":[{\"kind\":\"text\",\"text\":\"did "
            + id
            + "\"}]}}";
    exchange.answer(
        200, Map.of("Content-Type", "application/json"), json.getBytes(StandardCharsets.UTF_8));
    return true;
  }

  private static String idOf(Delivery delivery) {
    return delivery.text().replaceFirst("(?s).*\"messageId\":\"([^\"]+)\".*", "$1");
  }

  /** Returns a summary in one sentence; fails when a delegation ended not at all or twice. */
  public String run() throws Exception {
    TestClient client = server.client();
    Agent team = client.create("Team");
    String parent = "\"parent_id\":\"" + team.id() + "\"";
    Agent caller = client.createOnline("Caller", parent, "\"delivery_mode\":\"poll\"");
    List<Agent> callees =
        List.of(called(client, parent, recognising), called(client, parent, forgetful));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> delegating = threads.submit(() -> delegateAll(caller, callees));
      for (int kill = 1; kill <= size.kills; kill++) {
        int enough = size.delegations * kill / (size.kills + 1);
        Awaitility.await().atMost(TAKEOVER).until(() -> accepted.get() >= enough);
        LockSupport.parkNanos((long) (random.nextDouble() * LATEST_KILL.toNanos()));
        kill();
        callees.forEach(callee -> server.client().heartbeat(callee));
      }
      delegating.get();
    }
    Awaitility.await()
        .atMost(TAKEOVER)
        .pollInterval(Duration.ofMillis(200))
        .until(
            () ->
                database.value(
                    "SELECT count(*) FROM delegations WHERE status NOT IN ('completed', 'failed')"),
            "0"::equals);
    return verdict(callees);
  }

  private static Agent called(TestClient client, String parent, TestPeer peer) {
    return client.createOnline(
        "Callee",
        parent,
        "\"delivery_mode\":\"push\"",
        "\"url\":\"" + peer.url() + "\"",
        "\"max_concurrent_tasks\":" + SLOTS);
  }

  private void kill() throws IOException {
    server.kill();
    server.close();
    server = start();
  }

  /** Sends each delegation until it is accepted. */
  private void delegateAll(Agent caller, List<Agent> callees) {
    for (int n = 0; n < size.delegations; n++) {
      String body =
          "{\"target_id\":\"%s\",\"task\":\"task %d\",\"idempotency_key\":\"%d\"}"
              .formatted(callees.get(n % 2).id(), n, n);
      while (!isAccepted(caller, body)) {
        repeated.incrementAndGet();
        LockSupport.parkNanos(PACE.toNanos());
      }
      accepted.incrementAndGet();
      LockSupport.parkNanos(PACE.toNanos());
    }
  }

  private boolean isAccepted(Agent caller, String body) {
    try {
      Answer answer =
          server.client().post("/workspaces/" + caller.id() + "/delegate", caller.token(), body);
      assertThat(answer.status()).as(answer.text()).isIn(200, 202, 503);
      return answer.status() != 503;
    } catch (IllegalStateException killed) {
      return false;
    }
  }

  private String verdict(List<Agent> callees) {
    LedgerLog log = LedgerLog.read(database);
    assertThat(log.delegations()).isEqualTo(size.delegations);
    assertThat(log.with(DelegationStatus.COMPLETED, "did ")).isEqualTo(size.delegations);
    log.assertEachFollowedTheLifeCycleAndEndedOnce();
    log.assertEachCallerWasNotifiedOnce();

    String ids =
        database.value(
            "SELECT string_agg(delegation_id, ',') FROM delegations WHERE callee_id = '"
                + callees.getFirst().id()
                + "'");
    assertThat(done).containsExactlyInAnyOrder(ids.split(","));
    Map<String, Long> always =
        forgetful.deliveries().stream()
            .collect(Collectors.groupingBy(DelegationKills::idOf, Collectors.counting()));
    assertThat(always).hasSize(size.delegations / 2);
    long twice = always.values().stream().filter(times -> times > 1).count();
    // at most the deliveries in progress at each kill
    assertThat(twice).isLessThanOrEqualTo((long) size.kills * SLOTS);
    return """
    %,d delegations, %d kills, %d requests repeated: each completed once, each caller was notified once; the agent that \
    recognises ids got %d of them more than once and did each once, the other one did %d more than once\
    """
        .formatted(
            size.delegations,
            size.kills,
            repeated.get(),
            recognising.deliveries().size() - done.size(),
            twice);
  }

  @Override
  public void close() throws IOException {
    server.kill();
    server.close();
    recognising.close();
    forgetful.close();
  }
}
