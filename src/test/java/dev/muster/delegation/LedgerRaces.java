package dev.muster.delegation;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.PeerBehavior;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestClient.Answer;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestPeer;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;

/**
 * Every actor that may change a delegation does so at the same moment, on two servers of one
 * database: agents that report, send heartbeats, reply and answer calls, operators who retry and
 * fail, removals, and eight sweepers. Delegations are created in blocks; meanwhile those of earlier
 * blocks go through three waves, of which the last ends all that are left.
 *
 * <p>At the end {@link LedgerLog} asserts that each has ended once and its caller was notified
 * once.
 */
public final class LedgerRaces implements AutoCloseable {

  /** The size of a run. */
  public record Size(int delegations, int block) {}

  private static final int ACTORS = 12;
  private static final int WAVES = 3;
  private static final int SWEEPERS = 8;
  private static final Duration PAUSE = Duration.ofMillis(150);
  private static final int OVERDUE_AND_STALE = 100;

  /** Any other status is a fault; 401, 403 and 410 are for removed workspaces. */
  private static final Set<Integer> EXPECTED = Set.of(200, 202, 401, 403, 404, 409, 410, 503);

  private final Size size;
  private final TestDatabase database;
  private final List<Delegations> servers;
  private final List<TestServer> running;
  private final TestPeer moody;
  private final TestPeer listener;
  private final List<Agent> callers = new ArrayList<>();
  private final List<Agent> callees = new ArrayList<>();
  private final Map<Integer, LongAdder> answers = new ConcurrentSkipListMap<>();
  private final LongAccumulator longestSweep = new LongAccumulator(Math::max, 0);
  private volatile boolean over;

  public LedgerRaces(Size size, TestDatabase database) throws IOException {
    this.size = size;
    this.database = database;
    this.running = List.of(start(database), start(database));
    this.servers = running.stream().map(Delegations::new).toList();
    this.moody = TestPeer.start().usually(anything());
    this.listener = TestPeer.start();
    Delegations server = servers.getFirst();
    Agent team = server.team();
    for (int i = 0; i < 6; i++) {
      callers.add(server.polling(team));
      callees.add(server.polling(team));
    }
    String slots = "\"max_concurrent_tasks\":8";
    callers.add(server.called(team, listener.url(), slots));
    callees.add(server.called(team, moody.url(), slots));
    callees.add(server.called(team, moody.url(), slots));
    database.execute("UPDATE control_plane_uptime SET up_since = now() - interval '1 day'");
  }

  private static TestServer start(TestDatabase database) {
    return TestServer.startOn(
        database,
        "AGENT_URL_ALLOW=loopback",
        "DELEGATION_STUCK_THRESHOLD_S=1",
        "DELEGATION_SWEEPER_INTERVAL_S=1");
  }

  /** Answers with each of the possible answers. */
  private static PeerBehavior anything() {
    List<PeerBehavior> behaviors =
        List.of(
            PeerBehavior.echo(),
            PeerBehavior.answer(
                200, result("{\"kind\":\"task\",\"status\":{\"state\":\"working\"}}")),
            PeerBehavior.answer(
                200, result("{\"kind\":\"task\",\"status\":{\"state\":\"rejected\"}}")),
            PeerBehavior.answer(500, "{\"error\":\"out of memory\"}"),
            PeerBehavior.resetAfterRequest());
    return exchange ->
        behaviors.get(ThreadLocalRandom.current().nextInt(behaviors.size())).act(exchange);
  }

  private static String result(String json) {
    return "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + json + "}";
  }

  /** Returns a summary in one sentence; fails when an assertion of {@link LedgerLog} does. */
  public String run() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        ExecutorService actors = Executors.newFixedThreadPool(ACTORS)) {
      List<Future<?>> sweeping = new ArrayList<>();
      try {
        for (int i = 0; i < SWEEPERS; i++) {
          Delegations server = servers.get(i % 2);
          sweeping.add(threads.submit(() -> sweepUntilOver(server)));
        }
        race(actors);
        endTheRest();
        failOverdueAndStaleDelegations();
      } finally {
        over = true;
      }
      for (Future<?> one : sweeping) {
        one.get();
      }
    }
    return verdict();
  }

  private void sweepUntilOver(Delegations server) {
    while (!over) {
      long start = System.nanoTime();
      count(server.client().post("/admin/delegations/sweep", ADMIN_TOKEN, ""));
      longestSweep.accumulate(System.nanoTime() - start);
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private void race(ExecutorService actors) throws InterruptedException, ExecutionException {
    int blocks = (size.delegations + size.block - 1) / size.block;
    List<List<RacingDelegation>> made = new ArrayList<>();
    for (int step = 0; step < blocks + WAVES; step++) {
      List<Callable<List<RacingDelegation>>> actions = new ArrayList<>();
      for (int wave = 1; wave <= WAVES; wave++) {
        int block = step - wave;
        if (block >= 0 && block < blocks) {
          boolean last = wave == WAVES;
          made.get(block).forEach(one -> actions.addAll(together(one, last)));
        }
      }
      if (step == blocks / 2) {
        actions.addAll(actions.size() / 2, removals());
      }
      if (step < blocks) {
        actions.addAll(makeBlock());
      }
      List<RacingDelegation> block = new ArrayList<>();
      for (Future<List<RacingDelegation>> one : actors.invokeAll(actions)) {
        block.addAll(one.get());
      }
      made.add(block);
    }
  }

  /** The last wave ends what is left; earlier waves end few. */
  private List<Callable<List<RacingDelegation>>> together(RacingDelegation one, boolean last) {
    List<Callable<List<RacingDelegation>>> all = new ArrayList<>();
    for (int n = 0; n < (last ? 3 : 2); n++) {
      Delegations server = servers.get(n % 2);
      boolean ends = ThreadLocalRandom.current().nextInt(100) < (last ? n == 0 ? 50 : 100 : 15);
      all.add(() -> {
        (ends ? one.end(server) : List.of(one.goOn(server))).forEach(this::count);
        return List.of();
      });
    }
    return all;
  }

  private List<Callable<List<RacingDelegation>>> removals() {
    List<Callable<List<RacingDelegation>>> all = new ArrayList<>();
    for (Agent gone : List.of(callees.get(0), callees.get(6), callers.get(0))) {
      all.add(() -> {
        count(servers.get(1).client().delete("/workspaces/" + gone.id(), ADMIN_TOKEN));
        return List.of();
      });
    }
    return all;
  }

  private List<Callable<List<RacingDelegation>>> makeBlock() {
    List<Callable<List<RacingDelegation>>> all = new ArrayList<>();
    for (int i = 0; i < size.block; i++) {
      Delegations server = servers.get(i % 2);
      Agent caller = callers.get(i % callers.size());
      Agent callee = callees.get(ThreadLocalRandom.current().nextInt(callees.size()));
      // a third of them becomes overdue during the run
      int deadline = i % 3 == 0 ? 1 + i % 9 : 3600;
      all.add(() -> {
        Answer answer =
            server.tryToDelegate(caller, callee.id(), "Do it.", "\"deadline_s\":" + deadline);
        count(answer);
        return answer.status() == 202
            ? List.of(new RacingDelegation(answer.field("delegation_id"), caller, callee))
            : List.of();
      });
    }
    return all;
  }

  private void endTheRest() {
    String[] left = inFlight();
    for (String id : left) {
      count(RacingDelegation.operate(servers.getFirst().client(), id, "fail", "{}"));
    }
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> inFlight().length == 0);
  }

  private String[] inFlight() {
    String ids =
        database.value(
            "SELECT coalesce(string_agg(delegation_id, ','), '') FROM delegations WHERE status NOT"
                + " IN ('completed', 'failed')");
    return Arrays.stream(ids.split(",")).filter(id -> !id.isEmpty()).toArray(String[]::new);
  }

  /** Makes delegations overdue and stale at once, while the sweepers run. */
  private void failOverdueAndStaleDelegations() {
    Delegations server = servers.getFirst();
    for (int i = 0; i < OVERDUE_AND_STALE; i++) {
      server.delegate(callers.get(1), callees.get(1), "Do it.");
    }
    database.execute(
        "UPDATE delegations SET deadline = now() - interval '1 hour', last_heartbeat = now() -"
            + " interval '1 day' WHERE status IN ('queued', 'dispatched')");
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> inFlight().length == 0);
  }

  private void count(Answer answer) {
    assertThat(EXPECTED).as(answer.text()).contains(answer.status());
    answers.computeIfAbsent(answer.status(), _ -> new LongAdder()).increment();
  }

  private String verdict() {
    LedgerLog log = LedgerLog.read(database);
    log.assertEachFollowedTheLifeCycleAndEndedOnce();
    log.assertEachCallerWasNotifiedOnce();
    log.assertNothingOverdueWasStuck(Duration.ofNanos(longestSweep.get()));
    assertThat(log.with(DelegationStatus.FAILED, "deadline exceeded by sweeper"))
        .isGreaterThan(OVERDUE_AND_STALE);
    assertThat(log.everStuck()).isPositive();
    assertThat(log.with(DelegationStatus.COMPLETED, LedgerLog.REPLY)).isPositive();
    return """
    %,d delegations, %,d events (%,d were stuck once, %,d overdue, %,d ended by replies), answers %s, longest \
    sweep %d ms: each ended once, and each caller was notified once\
    """
        .formatted(
            log.delegations(),
            log.events(),
            log.everStuck(),
            log.with(DelegationStatus.FAILED, "deadline exceeded by sweeper"),
            log.with(DelegationStatus.COMPLETED, LedgerLog.REPLY),
            new TreeMap<>(answers),
            Duration.ofNanos(longestSweep.get()).toMillis());
  }

  @Override
  public void close() throws IOException {
    running.forEach(TestServer::close);
    moody.close();
    listener.close();
  }
}
