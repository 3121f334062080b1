package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every answer to a random request is a valid one, and the log has no stack trace. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class FuzzTest {

  private static final int REQUESTS = Rounds.of(2_000, 5_000);

  @Test
  void answersHostileRequestsWithClientErrors() throws Exception {
    long seed = System.nanoTime();
    try (AttackedServer server = AttackedServer.startWithoutRateLimits()) {
      Fuzzer fuzzer = new Fuzzer(server, seed);
      fuzzer.run(REQUESTS);

      assertThat(fuzzer.faults()).as("seed " + seed).isEmpty();
      // at least dozens of each with any seed; other statuses depend on the seed
      assertThat(fuzzer.statuses()).containsKeys(200, 400, 401, 403, 404, 405);
    }
  }
}
