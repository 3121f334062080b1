package dev.muster.heartbeat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.ServerProcess;
import dev.muster.testing.Slow;
import dev.muster.testing.TestClient;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Kills the embedded server (kill -9) under load: each heartbeat that was answered 200 is stored at
 * the next start.
 */
@Slow
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class ServerKillTest {

  private static final int KILLS = Rounds.of(1, 2);
  private static final int AGENTS = 16;
  private static final Map<String, String> SETTINGS = Map.of("ADMIN_TOKEN", TestServer.ADMIN_TOKEN);

  @TempDir Path folder;

  @Test
  void losesNoAcknowledgedHeartbeat() throws Exception {
    Path home = folder.resolve("home");
    List<Agent> fleet = List.of();
    List<AtomicLong> acknowledged = List.of();
    for (int kill = 0; kill <= KILLS; kill++) {
      try (ServerProcess server = ServerProcess.start(home, SETTINGS).awaitReady()) {
        TestClient client = server.client();
        if (kill == 0) {
          fleet = IntStream.range(0, AGENTS).mapToObj(i -> client.create("a" + i)).toList();
        }
        long highest = requireStored(client, fleet, acknowledged);
        if (kill < KILLS) {
          acknowledged = sendUntilKilled(server, fleet, highest);
        }
      }
    }
  }

  /** Asserts the highest stored number. */
  private static long requireStored(
      TestClient client, List<Agent> fleet, List<AtomicLong> acknowledged) {
    long highest = 0;
    for (int i = 0; i < acknowledged.size(); i++) {
      long stored = client.read(fleet.get(i)).path("uptime_seconds").asLong();
      assertThat(stored).isGreaterThanOrEqualTo(acknowledged.get(i).get());
      highest = Math.max(highest, stored);
    }
    return highest;
  }

  private static List<AtomicLong> sendUntilKilled(
      ServerProcess server, List<Agent> fleet, long from) throws Exception {
    List<AtomicLong> acknowledged = fleet.stream().map(agent -> new AtomicLong()).toList();
    TestClient client = server.client();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> beating = new ArrayList<>();
      for (int i = 0; i < fleet.size(); i++) {
        Agent agent = fleet.get(i);
        AtomicLong last = acknowledged.get(i);
        beating.add(threads.submit(() -> heartbeat(client, agent, last, from)));
      }
      Awaitility.await()
          .until(() -> acknowledged.stream().allMatch(last -> last.get() > from + 20));
      server.kill();
      for (Future<?> one : beating) {
        one.get();
      }
    }
    return acknowledged;
  }

  private static void heartbeat(TestClient client, Agent agent, AtomicLong last, long from) {
    try {
      for (long number = from + 1; ; number++) {
        if (client.heartbeat(agent, "\"uptime_seconds\":" + number).status() == 200) {
          last.set(number);
        }
      }
    } catch (IllegalStateException killed) {
      // the connection broke: that heartbeat was not answered
    }
  }
}
