package dev.muster.attack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.muster.testing.ServerProcess;
import dev.muster.testing.TestServer;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Whatever is sent, the answer is one that a client can work with, and the log has no trace. */
@Execution(ExecutionMode.CONCURRENT)
@Timeout(300)
class FuzzTest {

  private static final int REQUESTS = 5_000;

  @TempDir private Path home;

  @Test
  void answersHostileRequestsWithTheirOwnFaults() throws Exception {
    long seed = System.nanoTime();
    try (ServerProcess server =
        ServerProcess.start(home, Map.of("ADMIN_TOKEN", TestServer.ADMIN_TOKEN))) {
      Fuzzer fuzzer = new Fuzzer(server.awaitReady(), seed);
      fuzzer.run(REQUESTS);

      assertThat(fuzzer.faults()).as("seed " + seed).isEmpty();
      assertThat(fuzzer.statuses()).containsKeys(200, 400, 401, 403, 404, 405, 413);
    }
  }
}
