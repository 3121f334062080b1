package dev.muster.delivery;

import java.time.Duration;

/** Computes the pause between delivery attempts (R7.7): 5 s × 2ⁿ, at most 300 s. */
final class ExponentialDelay {

  private static final long FIRST_S = 5;
  private static final long MAX_SECONDS = 300;

  /** After 6 doublings the pause exceeds its maximum. */
  private static final int MAX_DOUBLINGS = 6;

  private ExponentialDelay() {}

  /**
   * Returns the pause after a failure that directly follows {@code failuresBefore} other failures.
   */
  static Duration delay(int failuresBefore) {
    long doubled = FIRST_S << Math.clamp(failuresBefore, 0, MAX_DOUBLINGS);
    return Duration.ofSeconds(Math.min(doubled, MAX_SECONDS));
  }
}
