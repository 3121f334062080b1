package dev.muster.bench;

import dev.muster.delegation.LedgerRaces;

/**
 * The full form of the proof that a delegation ends once and its caller is notified once in any
 * race.
 *
 * <p>Argument, optional: delegations (10,000).
 */
public final class LedgerRaceBench {

  private static final int BLOCK = 500;

  private LedgerRaceBench() {}

  public static void main(String[] args) throws Exception {
    int delegations = args.length > 0 ? Integer.parseInt(args[0]) : 10_000;
    try (BenchDatabase database = BenchDatabase.start();
        var program =
            new LedgerRaces(new LedgerRaces.Size(delegations, BLOCK), database.forTestServers())) {
      System.out.println(program.run());
    }
  }
}
