package dev.muster.bench;

import dev.muster.activity.FeedOrder;
import java.time.Duration;

/**
 * The full form of the proof that readers of a feed see each row once and in order, whatever its
 * writers do.
 *
 * <p>Arguments, all optional: rows (10,000,000), minutes after which it ends with fewer (120).
 */
public final class FeedOrderBench {

  private FeedOrderBench() {}

  public static void main(String[] args) throws Exception {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 10_000_000;
    int minutes = args.length > 1 ? Integer.parseInt(args[1]) : 120;
    try (BenchDatabase database = BenchDatabase.start();
        var program =
            new FeedOrder(
                new FeedOrder.Size(rows, Duration.ofMinutes(minutes), 500),
                database.forTestServers())) {
      System.out.println(program.run());
    }
  }
}
