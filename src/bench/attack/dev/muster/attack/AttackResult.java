package dev.muster.attack;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The effects of an attack on the victim, and the answers to the attackers. */
record AttackResult(
    String name,
    Experience calm,
    Experience attacked,
    Map<String, Integer> outcomes,
    int logLines,
    List<String> broken,
    boolean onSharedMachine,
    Duration pause) {

  private static final double MAX_TIMES_CALM = 20;

  /** A p99 of heartbeats that is no fault, however fast they are without an attack. */
  static final Duration FLOOR = Duration.ofMillis(500);

  /** The time within which every request must be answered (R0.6). */
  static final Duration ANSWERED = Duration.ofSeconds(5);

  /** The client of a heartbeat, the server and its database. */
  private static final int PROCESSES = 3;

  private static final double GOAL_MS = 250;

  static String tableHead() {
    return """
    | attack | calm p50 / p99, ms | p50 / p99 under attack, ms | ratio of p99 | goal of 250 ms | failed heartbeats | other failures | log lines | what attackers got |
    |---|---|---|---|---|---|---|---|---|
    """
        .stripTrailing();
  }

  String tableRow() {
    double p99 = attacked.heartbeatMillis(0.99);
    return String.format(
        Locale.ROOT,
        "| %s | %.1f / %.1f | %.1f / %.1f | %.1f | %s | %d | %d | %d | %s |",
        name,
        calm.heartbeatMillis(0.5),
        calm.heartbeatMillis(0.99),
        attacked.heartbeatMillis(0.5),
        p99,
        p99 / calm.heartbeatMillis(0.99),
        p99 <= GOAL_MS ? "met" : "missed",
        attacked.failedHeartbeats(),
        attacked.otherFailures(),
        logLines,
        outcomes.entrySet().stream()
            .map(outcome -> outcome.getKey() + " × " + outcome.getValue())
            .collect(Collectors.joining(", ")));
  }

  /**
   * Returns each violated expectation in a sentence, except the bound of the latency; empty when
   * there is none.
   */
  List<String> brokenPromises() {
    List<String> faults = new ArrayList<>(broken);
    if (attacked.failedHeartbeats() + attacked.otherFailures() > 0) {
      faults.add("requests of the innocent failed: " + attacked.reasons());
    }
    return faults;
  }

  /**
   * Returns each violated expectation in a sentence; empty when there is none.
   *
   * @param floor the least bound of the p99 of heartbeats
   */
  List<String> faults(Duration floor) {
    List<String> faults = new ArrayList<>(brokenPromises());
    if (attacked.heartbeatMillis(0.99) > boundMs(floor)) {
      faults.add(
          String.format(
              Locale.ROOT,
              "heartbeats took %.0f ms at p99 (expected: %.0f at most, with a pause of the machine"
                  + " of %d ms)",
              attacked.heartbeatMillis(0.99),
              boundMs(floor),
              pause.toMillis()));
    }
    return faults;
  }

  /**
   * The latency bound. On a machine that other programs use, only the minimum of the bound counts:
   * attackers keep every processor busy, so such a machine slows an attacked server more than an
   * idle one. A pause of the machine may delay a request once in each of the three processes that
   * it goes through.
   */
  private double boundMs(Duration floor) {
    Duration least = onSharedMachine ? ANSWERED : floor;
    return Math.max(MAX_TIMES_CALM * calm.heartbeatMillis(0.99), least.toMillis())
        + PROCESSES * pause.toMillis();
  }
}
