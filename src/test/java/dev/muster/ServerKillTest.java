package dev.muster;

import dev.muster.heartbeat.HeartbeatsUntilKilled;
import dev.muster.message.feed.AppendsUntilKilled;
import dev.muster.platform.embedded.TestHomes;
import dev.muster.runtime.RuntimeEventsUntilKilled;
import dev.muster.testing.Rounds;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestServer;
import dev.muster.testing.WorkUntilKilled;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kills the embedded server (kill -9) under load: what was acknowledged is there after the next
 * start, once and in order.
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class ServerKillTest {

  private static final int KILLS = Rounds.of(1, 2);

  /** Leaves the processors to those that have not done enough. */
  private static final Duration PACE_WHEN_ENOUGH = Duration.ofMillis(50);

  private static final Map<String, String> SETTINGS = Map.of("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);

  @TempDir Path folder;

  @Test
  void losesNothingThatWasAcknowledged() throws Exception {
    Path home = TestHomes.used(folder);
    List<WorkUntilKilled> works = List.of();
    for (int kill = 0; kill <= KILLS; kill++) {
      try (ServerProcess server = ServerProcess.start(home, SETTINGS).awaitReady()) {
        TestClient client = server.client();
        if (kill == 0) {
          works =
              List.of(
                  new AppendsUntilKilled(client),
                  new HeartbeatsUntilKilled(client),
                  new RuntimeEventsUntilKilled(client));
        }
        works.forEach(work -> work.requireKept(client));
        if (kill < KILLS) {
          workUntilKilled(server, works);
        }
      }
    }
  }

  private static void workUntilKilled(ServerProcess server, List<WorkUntilKilled> works)
      throws Exception {
    TestClient client = server.client();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<? extends Future<?>> working =
          works.stream()
              .flatMap(work ->
                  work.actions(client).stream()
                      .map(action -> threads.submit(() -> untilKilled(work, action))))
              .toList();
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> works.stream().allMatch(WorkUntilKilled::isEnough));
      server.kill();
      for (Future<?> one : working) {
        one.get();
      }
    }
  }

  private static void untilKilled(WorkUntilKilled work, Runnable action) {
    try {
      while (true) {
        action.run();
        if (work.isEnough()) {
          LockSupport.parkNanos(PACE_WHEN_ENOUGH.toNanos());
        }
      }
    } catch (IllegalStateException killed) {
      // the connection broke: that request was not answered
    }
  }
}
