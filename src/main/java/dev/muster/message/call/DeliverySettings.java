package dev.muster.message.call;

import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Holds the limits of delivery attempts and of waiting (docs/api.md, section 12).
 *
 * @param maxAttempts the number of HTTP calls in one send
 * @param totalBudget the time for a request whose sender gives none
 * @param readTimeout how long an agent may be silent, unless the agent sets its own timeout
 * @param retryAmbiguous whether a message is sent again when the agent may already have it
 * @param queueTtl how long a message may wait in the queue
 */
@ConfigurationProperties("muster.a2a")
public record DeliverySettings(
    int maxAttempts,
    Duration totalBudget,
    Duration readTimeout,
    boolean retryAmbiguous,
    Duration queueTtl) {

  /**
   * Returns how long a message may wait in the queue.
   *
   * @param wantedSeconds the sender's value, raised to 1 or lowered to {@link #queueTtl}; without
   *     it, {@link #queueTtl} applies
   */
  public Duration life(Optional<Long> wantedSeconds) {
    return wantedSeconds
        .map(seconds -> Math.clamp(seconds, 1, queueTtl.toSeconds()))
        .map(Duration::ofSeconds)
        .orElse(queueTtl);
  }
}
