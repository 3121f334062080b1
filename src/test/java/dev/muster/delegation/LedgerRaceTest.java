package dev.muster.delegation;

import dev.muster.testing.Nightly;
import dev.muster.testing.Rounds;
import dev.muster.testing.TestDatabases;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The short form; the full one is {@code dev.muster.bench.LedgerRaceBench}. */
@Nightly
@Tag("sql")
@Execution(ExecutionMode.CONCURRENT)
@Timeout(240)
class LedgerRaceTest {

  private static final int DELEGATIONS = Rounds.of(160, 500);

  @Test
  void endsEachDelegationOnceWhateverRacesForIt() throws Exception {
    try (var program =
        new LedgerRaces(
            new LedgerRaces.Size(DELEGATIONS, DELEGATIONS / 2), TestDatabases.create())) {
      System.out.println(program.run());
    }
  }
}
