package dev.muster.delivery;

import java.time.Duration;

/** The pauses of whatever is delivered durably (R7.7): 5 s × 2ⁿ, at most 300 s. */
final class ExponentialDelay {

  private static final long FIRST_S = 5;
  private static final long MAX_S_LENGTH = 300;

  /** With more doublings every pause is the longest one. */
  private static final int MAX_DOUBLINGS = 6;

  private ExponentialDelay() {}

  /** The pause after a failure that {@code failuresBefore} others came right before. */
  static Duration delay(int failuresBefore) {
    long doubled = FIRST_S << Math.clamp(failuresBefore, 0, MAX_DOUBLINGS);
    return Duration.ofSeconds(Math.min(doubled, MAX_S_LENGTH));
  }
}
