package dev.muster.bench;

import dev.muster.message.flow.ModelRuns;
import dev.muster.message.flow.ModelServers;
import java.time.Duration;

/**
 * The full form of the comparison of two servers with the model of deliveries.
 *
 * <p>Arguments, all optional: the first seed (1), runs (2,000), commands in each (60), runs at once
 * (8).
 */
public final class DeliveryModelBench {

  private static final int[] USUAL = {1, 2000, 60, 8};

  private DeliveryModelBench() {}

  public static void main(String[] args) throws Exception {
    try (BenchDatabase database = BenchDatabase.start();
        ModelServers servers = new ModelServers(database.forTestServers())) {
      ModelRuns.Size size =
          new ModelRuns.Size(
              argument(args, 0),
              argument(args, 1),
              argument(args, 2),
              argument(args, 3),
              Duration.ofDays(1));
      System.out.println(new ModelRuns(servers, size).run());
    }
  }

  private static int argument(String[] args, int n) {
    return args.length > n ? Integer.parseInt(args[n]) : USUAL[n];
  }
}
