package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Slow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whatever is sent, the answer is one that a client can work with, and the log has no trace. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class FuzzTest {

  private static final int REQUESTS = 5_000;

  @Test
  void answersHostileRequestsWithTheirOwnFaults() throws Exception {
    long seed = System.nanoTime();
    try (AttackedServer server = AttackedServer.startWithoutRateLimits()) {
      Fuzzer fuzzer = new Fuzzer(server, seed);
      fuzzer.run(REQUESTS);

      assertThat(fuzzer.faults()).as("seed " + seed).isEmpty();
      // of each there are dozens at least, whatever the seed; others are up to it
      assertThat(fuzzer.statuses()).containsKeys(200, 400, 401, 403, 404, 405);
    }
  }
}
