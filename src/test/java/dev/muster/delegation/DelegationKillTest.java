package dev.muster.delegation;

import dev.muster.testing.Nightly;
import dev.muster.testing.Rounds;
import dev.muster.testing.TestDatabases;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form; the full one is {@code dev.muster.bench.DelegationKillBench}. */
@Nightly
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class DelegationKillTest {

  @TempDir Path folder;

  @Test
  void completesEachDelegationOnceHoweverOftenTheServerIsKilled() throws Exception {
    try (var program =
        new DelegationKills(
            new DelegationKills.Size(60, Rounds.of(1, 2)), TestDatabases.create(), folder)) {
      System.out.println(program.run());
    }
  }
}
