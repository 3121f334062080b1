package dev.muster.protocol.client;

import java.time.Duration;

/** Computes the wait before a retry (R7.10): 1, 2, 4, 8, 16, 16, … s, each ±25 %. */
public final class RetryDelay {

  private static final long FIRST_MS = 1_000;
  private static final int LAST_DOUBLING = 4;
  private static final double SPREAD = 0.25;

  private RetryDelay() {}

  /**
   * Returns the wait before this retry.
   *
   * @param retry 1 for the first one
   * @param random01 from 0 (25 % less) to 1 (25 % more)
   */
  public static Duration before(int retry, double random01) {
    if (retry < 1) {
      throw new IllegalArgumentException("retry: " + retry + " (expected: 1..)");
    }
    if (!(random01 >= 0 && random01 <= 1)) {
      throw new IllegalArgumentException("random01: " + random01 + " (expected: 0..1)");
    }
    long middle = FIRST_MS << Math.min(retry - 1, LAST_DOUBLING);
    return Duration.ofMillis(Math.round(middle * (1 - SPREAD + 2 * SPREAD * random01)));
  }
}
