package dev.muster.live;

import static dev.muster.testing.TestServer.ADMIN_TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import dev.muster.testing.TestServer;
import dev.muster.testing.TestSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Heartbeats that are faster than a canvas reads do not overflow its stream (R4.5, R10.4). */
@Slow
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
class LastValuesTest {

  private static final int FLEET = 2000;
  private static final int ROUNDS = 6;

  private static final String SEED =
      """
      WITH fleet AS (SELECT gen_random_uuid() AS id FROM generate_series(1, 2000)),
      named AS (
          INSERT INTO workspaces (id, name, tier, runtime, url, delivery_mode, max_concurrent_tasks, x, y, created_at,
              updated_at)
          SELECT id, 'many', 3, 'external', '', 'poll', 1, 0, 0, now(), now() FROM fleet)
      INSERT INTO workspace_heartbeats (workspace_id, status, status_since, last_heartbeat_at)
      SELECT id, 'online', now(), now() FROM fleet
      """;

  @Test
  void getsTheLastValueOfEachAndSkipsOlderOnes() {
    try (TestServer server = TestServer.start()) {
      server.database().execute(SEED);
      try (TestSocket socket = TestSocket.open(server.client(), "/ws", ADMIN_TOKEN)) {
        long start = System.nanoTime();
        for (int round = 1; round <= ROUNDS; round++) {
          server
              .database()
              .execute(
                  "UPDATE workspace_heartbeats SET last_heartbeat_at = clock_timestamp(),"
                      + " uptime_seconds = "
                      + round);
          int current = round;
          // the next round begins when the first value of this one arrives, long before the last
          socket.await(f -> uptime(f) == current);
        }
        Awaitility.await()
            .atMost(Duration.ofSeconds(40))
            .until(() ->
                latest(socket.frames()).values().stream().allMatch(u -> u == ROUNDS)
                    && latest(socket.frames()).size() == FLEET);
        double seconds = (System.nanoTime() - start) / 1e9;
        List<JsonNode> frames = socket.frames();
        assertThat(frames).hasSizeLessThan(FLEET * ROUNDS);
        assertThat(frames.size() / seconds).isLessThan(600);
        assertThat(frames).noneMatch(frame -> frame.has("seq"));
      }
    }
  }

  private static long uptime(JsonNode frame) {
    return frame.path("payload").path("uptime_seconds").asLong(0);
  }

  /** The last value of each workspace. */
  private static Map<String, Long> latest(List<JsonNode> frames) {
    Map<String, Long> latest = new HashMap<>();
    frames.forEach(frame -> latest.put(frame.path("workspace_id").asString(), uptime(frame)));
    return latest;
  }
}
