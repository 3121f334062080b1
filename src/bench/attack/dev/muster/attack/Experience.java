package dev.muster.attack;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The latencies of the victim's requests, and their failures. */
final class Experience {

  static final String HEARTBEAT = "heartbeat";

  private static final int MAX_REASONS = 5;

  private final long countedFrom;
  private final Map<String, List<Double>> millis = new TreeMap<>();
  private final Map<String, Integer> failures = new TreeMap<>();
  private final List<String> reasons = new ArrayList<>();

  /**
   * @param countedFrom of {@link System#nanoTime}: the latency of a request that was due earlier
   *     does not count, but its failure does
   */
  Experience(long countedFrom) {
    this.countedFrom = countedFrom;
  }

  /** {@code due} is of {@link System#nanoTime}. */
  synchronized void succeeded(String what, long due) {
    if (due < countedFrom) {
      return;
    }
    millis
        .computeIfAbsent(what, _ -> new ArrayList<>())
        .add((System.nanoTime() - due) / 1_000_000.0);
  }

  synchronized void failed(String what, String reason) {
    failures.merge(what, 1, Integer::sum);
    if (reasons.size() < MAX_REASONS) {
      reasons.add(what + ": " + reason);
    }
  }

  void answered(String what, Connection.Answer answer, long due) {
    if (answer.status() == 200) {
      succeeded(what, due);
    } else {
      failed(what, "answered " + answer.status() + " " + answer.body());
    }
  }

  synchronized int failedHeartbeats() {
    return failures.getOrDefault(HEARTBEAT, 0);
  }

  /** Failures of everything but heartbeats. */
  synchronized int otherFailures() {
    return failures.values().stream().mapToInt(Integer::intValue).sum() - failedHeartbeats();
  }

  /** The first few failures. */
  synchronized List<String> reasons() {
    return List.copyOf(reasons);
  }

  double heartbeatMillis(double quantile) {
    return millis(HEARTBEAT, quantile);
  }

  /** Infinite without an answer. */
  synchronized double millis(String what, double quantile) {
    List<Double> sorted = millis.getOrDefault(what, List.of()).stream().sorted().toList();
    return sorted.isEmpty()
        ? Double.POSITIVE_INFINITY
        : sorted.get((int) Math.min(sorted.size() - 1, sorted.size() * quantile));
  }
}
