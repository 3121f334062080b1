package dev.muster.platform.work;

import java.time.Duration;

/**
 * How many times faster than in production the periods of this server run.
 *
 * <p>A server of an operator always runs at {@link #REAL}. No setting changes that, because the
 * contract names the periods.
 */
public record Pace(int factor) {

  public static final Pace REAL = new Pace(1);

  /** Shorter ones stay: a busy machine could not keep to a part of them. */
  private static final Duration SHORTEST_SCALED = Duration.ofSeconds(1);

  public Pace {
    if (factor < 1) {
      throw new IllegalArgumentException("factor: " + factor + " (expected: 1 or more)");
    }
  }

  /** Returns the period at this pace. */
  public Duration of(Duration real) {
    return real.compareTo(SHORTEST_SCALED) < 0 ? real : real.dividedBy(factor);
  }
}
