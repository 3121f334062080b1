package dev.muster.live;

import dev.muster.testing.Nightly;
import dev.muster.testing.Rounds;
import dev.muster.testing.TestDatabases;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form; the full one is {@code dev.muster.bench.ReplicaKillBench}. */
@Nightly
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class ReplicaKillTest {

  @TempDir Path folder;

  @Test
  void losesNoEventAndTakesNoLiveAgentOfflineWhenReplicasAreKilled() throws Exception {
    try (var program =
        new ReplicaKills(
            new ReplicaKills.Size(Rounds.of(1, 3), 20, 8),
            TestDatabases.create(),
            folder.resolve("home"))) {
      System.out.println(program.run());
    }
  }
}
