package dev.muster.bench;

import java.util.List;
import java.util.Locale;

/** The median and the range of some rounds. */
record Figures(double min, double median, double max) {

  static Figures of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    return new Figures(sorted.getFirst(), sorted.get(sorted.size() / 2), sorted.getLast());
  }

  /** Returns what 99 of 100 of the sorted values do not exceed. */
  static double p99(List<Double> sorted) {
    return sorted.get(sorted.size() * 99 / 100);
  }

  String text(String format) {
    return String.format(
        Locale.ROOT, format + " (" + format + "–" + format + ")", median, min, max);
  }
}
