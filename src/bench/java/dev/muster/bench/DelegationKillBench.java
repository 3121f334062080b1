package dev.muster.bench;

import dev.muster.delegation.DelegationKills;

/**
 * The full form of the proof that delegations survive kills of their server, and that agents that
 * recognise duplicates do each once. Periods are five times shorter than in production, unless
 * {@code -Dbench.jvm=-Dtest.pace=1} is given.
 *
 * <p>Arguments, both optional: delegations (1,000), kills (20).
 */
public final class DelegationKillBench {

  private DelegationKillBench() {}

  public static void main(String[] args) throws Exception {
    int delegations = args.length > 0 ? Integer.parseInt(args[0]) : 1000;
    int kills = args.length > 1 ? Integer.parseInt(args[1]) : 20;
    try (BenchDatabase database = BenchDatabase.start();
        var program =
            new DelegationKills(
                new DelegationKills.Size(delegations, kills),
                database.forTestServers(),
                database.folder().resolve("none"))) {
      System.out.println(program.run());
    }
  }
}
