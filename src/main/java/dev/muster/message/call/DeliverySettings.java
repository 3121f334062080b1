package dev.muster.message.call;

import java.time.Duration;
import java.util.Optional;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Holds the limits of delivery attempts and of waiting ({@code Setting} describes each). */
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
