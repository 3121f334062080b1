package dev.muster.platform.uptime;

import java.time.Duration;

/**
 * Sets the shortest uptime gap that counts.
 *
 * <p>A shorter one costs agents at most a sixth of the time after which they are stale.
 */
public record UptimeTiming(Duration gap) {

  private static final Duration MIN_GAP = Duration.ofSeconds(3);
  private static final Duration MAX_GAP = Duration.ofSeconds(30);
  private static final int TICKS_IN_A_GAP = 6;

  /** Returns a gap of a sixth of {@code staleAfter}, from 3 s to 30 s. */
  public static UptimeTiming forStaleAfter(Duration staleAfter) {
    Duration sixth = staleAfter.dividedBy(6);
    Duration atLeast = sixth.compareTo(MIN_GAP) < 0 ? MIN_GAP : sixth;
    return new UptimeTiming(atLeast.compareTo(MAX_GAP) > 0 ? MAX_GAP : atLeast);
  }

  Duration tick() {
    return gap.dividedBy(TICKS_IN_A_GAP);
  }
}
