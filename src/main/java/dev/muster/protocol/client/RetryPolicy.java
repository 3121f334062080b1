package dev.muster.protocol.client;

import java.time.Duration;

/**
 * The limits of a send (R7.10).
 *
 * @param maxAttempts attempts per send, the first included; at least 1
 * @param retriesAmbiguous whether to retry when the peer may have received the request
 * @param connectTimeout connect timeout of an attempt; positive
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
