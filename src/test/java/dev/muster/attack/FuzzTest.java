package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.Rounds;
import dev.muster.testing.Slow;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Every answer to a random request is a valid one, and the log has no stack trace. */
@Slow
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class FuzzTest {

  private static final int REQUESTS = Rounds.of(800, 5_000);

  private static AttackedServer start() throws IOException {
    return Rounds.areFull()
        ? AttackedServer.startWithoutRateLimits()
        : AttackedServer.startQuickly();
  }

  @Test
  void answersHostileRequestsWithClientErrors() throws Exception {
    long seed = System.nanoTime();
    try (AttackedServer server = start()) {
      Fuzzer fuzzer = new Fuzzer(server, seed);
      fuzzer.run(REQUESTS);

      assertThat(fuzzer.faults()).as("seed " + seed).isEmpty();
      // at least dozens of each with any seed; other statuses depend on the seed
      assertThat(fuzzer.statuses()).containsKeys(200, 400, 401, 403, 404, 405);
    }
  }
}
