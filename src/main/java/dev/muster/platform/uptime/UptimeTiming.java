package dev.muster.platform.uptime;

import java.time.Duration;

/**
 * How long an absence of ours must be to be noticed; one that is shorter costs agents a sixth of
 * their patience at most.
 */
public record UptimeTiming(Duration gap) {

  private static final Duration MIN_GAP = Duration.ofSeconds(3);
  private static final Duration MAX_GAP = Duration.ofSeconds(30);
  private static final int TICKS_IN_A_GAP = 6;

  /** A sixth of the silence after which a workspace is stale, from 3 s to 30 s. */
  public static UptimeTiming forStaleAfter(Duration staleAfter) {
    Duration sixth = staleAfter.dividedBy(6);
    Duration atLeast = sixth.compareTo(MIN_GAP) < 0 ? MIN_GAP : sixth;
    return new UptimeTiming(atLeast.compareTo(MAX_GAP) > 0 ? MAX_GAP : atLeast);
  }

  Duration tick() {
    return gap.dividedBy(TICKS_IN_A_GAP);
  }
}
