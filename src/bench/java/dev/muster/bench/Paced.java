package dev.muster.bench;

import java.util.List;

/** One round of paced requests, in milliseconds; refused are those without a 200. */
record Paced(double p50, double p99, int refused) {

  /** As {@link Pace#run}. */
  @FunctionalInterface
  interface Way {
    List<Double> run(int perSecond, int seconds);
  }

  static Paced run(Way way, int perSecond, int forSeconds) {
    return of(way.run(perSecond, forSeconds), perSecond * forSeconds);
  }

  /**
   * Of sorted latencies in milliseconds, one for each of the {@code sent} requests that was
   * answered.
   */
  static Paced of(List<Double> sorted, int sent) {
    return new Paced(
        sorted.get(sorted.size() / 2), sorted.get(sorted.size() * 99 / 100), sent - sorted.size());
  }

  static String text(List<Paced> rounds) {
    return Figures.of(rounds.stream().map(Paced::p50).toList()).text("%.2f")
        + " / "
        + Figures.of(rounds.stream().map(Paced::p99).toList()).text("%.2f");
  }
}
