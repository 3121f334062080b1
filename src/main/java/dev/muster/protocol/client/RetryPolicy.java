package dev.muster.protocol.client;

import java.time.Duration;

/**
 * How hard a send tries (R7.10).
 *
 * @param maxAttempts of a send, the first included
 * @param retriesAmbiguous whether to try again when the peer may have got the request
 * @param connectTimeout of an attempt
 */
public record RetryPolicy(int maxAttempts, boolean retriesAmbiguous, Duration connectTimeout) {

  public static final RetryPolicy DEFAULT = new RetryPolicy(5, true, Duration.ofSeconds(30));

  public RetryPolicy {
    if (maxAttempts < 1) {
      throw new IllegalArgumentException("maxAttempts: " + maxAttempts + " (expected: 1..)");
    }
    if (!connectTimeout.isPositive()) {
      throw new IllegalArgumentException(
          "connectTimeout: " + connectTimeout + " (expected: more than nothing)");
    }
  }
}
