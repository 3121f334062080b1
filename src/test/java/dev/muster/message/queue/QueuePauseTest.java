package dev.muster.message.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.message.queue.TestQueue.Queued;
import dev.muster.message.store.QueuedMessage;
import dev.muster.testing.TestClient.Agent;
import dev.muster.testing.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** 5 s × 2ⁿ, at most 300 s, or what the agent asks for (R7.7). */
class QueuePauseTest {

  @Test
  void doublesUpToItsLimit() {
    assertThat(
            IntStream.rangeClosed(0, 7).mapToObj(failures -> seconds(failures, Optional.empty())))
        .containsExactly(5L, 10L, 20L, 40L, 80L, 160L, 300L, 300L);
  }

  @Test
  void staysAtItsLimit() {
    assertThat(seconds(Integer.MAX_VALUE, Optional.empty())).isEqualTo(300);
    assertThat(seconds(-1, Optional.empty())).isEqualTo(5);
  }

  @Test
  void isWhatTheAgentAskedFor() {
    assertThat(seconds(6, Optional.of(Duration.ofSeconds(7)))).isEqualTo(7);
    assertThat(seconds(0, Optional.of(Duration.ofSeconds(90)))).isEqualTo(90);
    assertThat(seconds(3, Optional.of(Duration.ZERO))).isEqualTo(5);
    assertThat(seconds(0, Optional.of(Duration.ofHours(1)))).isEqualTo(300);
  }

  private static long seconds(int failuresBefore, Optional<Duration> asked) {
    return QueuedMessage.pauseAfter(failuresBefore, asked).toSeconds();
  }

  /**
   * The next attempt is made due at once; the pause after it is still as long as its number says.
   */
  @Test
  void storesTheGrowingPauseOfEachFailure() {
    TestServer server = TestServer.shared();
    TestQueue queue = TestQueue.of(server);
    Agent target = queue.target(1);
    Queued queued = queue.put(target);
    List<Integer> pauses = List.of(5, 10, 20);
    String before = queue.open(queued, "clock_timestamp()");
    server.client().heartbeat(target); // it is due since then
    for (int failure = 1; failure <= pauses.size(); failure++) {
      String failed = "attempts = " + failure + " AND owner IS NULL AND error IS NOT NULL";
      Awaitility.await()
          .atMost(TestQueue.TIMEOUT)
          .until(() -> queue.open(queued, failed), "t"::equals);

      String pause = pauses.get(failure - 1) + " * interval '1 second'";
      assertThat(
              queue.open(
                  queued,
                  "due_at - %2$s <= clock_timestamp() AND due_at - %2$s >= '%1$s'"
                      .formatted(before, pause)))
          .as("failure %d", failure)
          .isEqualTo("t");
      before = queue.open(queued, "clock_timestamp()");
      queue.set(queued, "due_at = clock_timestamp()");
    }
  }
}
