package dev.muster.message.flow;

import dev.muster.message.store.ReplicaLease;
import dev.muster.testing.FastPace;
import dev.muster.testing.StatementRelay.Side;
import dev.muster.testing.TestDatabases.TestDatabase;
import dev.muster.testing.TestServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Injects a fault at each statement of a replica, some replicas at once, beside one without faults.
 */
public final class FaultPoints implements AutoCloseable {

  private static final int TRIES = 4;

  private final TestDatabase database;
  private final Path folder;
  private final TestServer lives;
  private final Queue<FaultyReplica> idle = new ConcurrentLinkedQueue<>();

  public FaultPoints(TestDatabase database, Path folder) {
    this.database = database;
    this.folder = folder;
    this.lives =
        TestServer.startWith(database, List.of(FastPace.class), "AGENT_URL_ALLOW=loopback");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> lives.bean(ReplicaLease.class).mayJudgeOthers());
  }

  /**
   * Both sides of every statement that a replica sends for deliveries, each with a kill and a stop.
   * The other replica may do some of the work, so that statements are missing.
   */
  public List<FaultPoint> all() throws IOException {
    List<FaultPoint> all = new ArrayList<>();
    FaultyReplica replica = takeReplica();
    idle.add(replica);
    try (FaultRun run = new FaultRun(database, lives.client(), replica)) {
      run.observe()
          .forEach((step, statements) -> {
            for (String statement : statements) {
              for (Side side : Side.values()) {
                all.add(new FaultPoint(step, statement, side, false));
                all.add(new FaultPoint(step, statement, side, true));
              }
            }
          });
    }
    return all;
  }

  /**
   * Returns the points that were never reached. The other replica may do the work first, so each
   * point is tried several times. The stops come first, since a replica serves until it is killed.
   */
  public List<FaultPoint> inject(List<FaultPoint> points, int atOnce)
      throws InterruptedException, ExecutionException {
    List<FaultPoint> missed = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(atOnce)) {
      List<Future<Boolean>> runs = new ArrayList<>();
      List<FaultPoint> stopsFirst =
          points.stream().sorted(Comparator.comparing(point -> !point.isStop())).toList();
      stopsFirst.forEach(point -> runs.add(threads.submit(() -> isReached(point))));
      for (int i = 0; i < stopsFirst.size(); i++) {
        if (!runs.get(i).get()) {
          missed.add(stopsFirst.get(i));
        }
      }
    }
    return missed;
  }

  private boolean isReached(FaultPoint point) throws Exception {
    for (int i = 0; i < TRIES; i++) {
      FaultyReplica replica = takeReplica();
      boolean goesOn = false;
      try (FaultRun run = new FaultRun(database, lives.client(), replica)) {
        if (run.run(point)) {
          goesOn = point.isStop();
          return true;
        }
      } catch (Exception | AssertionError e) {
        throw new AssertionError(point.toString(), e);
      } finally {
        if (goesOn) {
          idle.add(replica);
        } else {
          replica.close();
        }
      }
    }
    return false;
  }

  private FaultyReplica takeReplica() throws IOException {
    @Nullable FaultyReplica replica = idle.poll();
    return replica == null ? new FaultyReplica(database, folder) : replica;
  }

  @Override
  public void close() throws IOException {
    for (FaultyReplica replica : idle) {
      replica.close();
    }
    lives.close();
  }
}
