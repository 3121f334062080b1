package dev.muster.delivery;

import java.time.Duration;

/** The pauses of whatever is delivered durably (R7.7): 5 s × 2ⁿ, at most 300 s. */
final class BackOff {

  private static final long FIRST_S = 5;
  private static final long LONGEST_S = 300;

  /** With more doublings every pause is the longest one. */
  private static final int MOST_DOUBLINGS = 6;

  private BackOff() {}

  /** The pause after a failure that {@code failuresBefore} others came right before. */
  static Duration delay(int failuresBefore) {
    long doubled = FIRST_S << Math.clamp(failuresBefore, 0, MOST_DOUBLINGS);
    return Duration.ofSeconds(Math.min(doubled, LONGEST_S));
  }
}
