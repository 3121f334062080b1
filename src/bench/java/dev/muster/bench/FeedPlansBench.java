package dev.muster.bench;

import dev.muster.message.feed.FeedPlans;

/**
 * The full form of the proof that feeds are read by their indexes: plans, pages and times.
 *
 * <p>Arguments, all optional: rows of the large feed (1,000,000), rows of all (10,000,000).
 */
public final class FeedPlansBench {

  private FeedPlansBench() {}

  public static void main(String[] args) throws Exception {
    long large = args.length > 0 ? Long.parseLong(args[0]) : 1_000_000;
    long all = args.length > 1 ? Long.parseLong(args[1]) : 10_000_000;
    try (BenchDatabase database = BenchDatabase.start()) {
      FeedPlans plans =
          FeedPlans.ofManyClasses(new FeedPlans.Size(large, all), database.forTestServers());
      System.out.println(plans.describe());
    }
  }
}
