package dev.muster.delivery;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.time.Duration;
import java.util.Optional;

/**
 * Holds the limits of delivery attempts and of waiting (docs/api.md, section 12).
 *
 * @param maxAttempts the number of HTTP calls in one send
 * @param totalBudget the time for a request whose sender gives none
 * @param readTimeout how long an agent may be silent, unless the agent sets its own timeout
 * @param retriesAmbiguous whether a message is sent again when the agent may already have it
 * @param longestLife how long a message may wait in the queue
 */
public record DeliverySettings(
    int maxAttempts,
    Duration totalBudget,
    Duration readTimeout,
    boolean retriesAmbiguous,
    Duration longestLife) {

  static DeliverySettings from(Settings settings) {
    return new DeliverySettings(
        settings.tuning("A2A_DELEGATE_MAX_ATTEMPTS", 5, Values::positiveInt),
        seconds(settings, "A2A_DELEGATE_TOTAL_BUDGET", 600),
        seconds(settings, "A2A_DELEGATE_READ_TIMEOUT", 300),
        settings.tuning("A2A_RETRY_AMBIGUOUS", true, Values::flag),
        seconds(settings, "A2A_QUEUE_TTL_S", 86_400));
  }

  private static Duration seconds(Settings settings, String name, int byDefault) {
    return Duration.ofSeconds(settings.tuning(name, byDefault, Values::positiveInt));
  }

  /**
   * Returns how long a message may wait in the queue.
   *
   * @param wantedSeconds the sender's value, raised to 1 or lowered to {@link #longestLife};
   *     without it, {@link #longestLife} applies
   */
  public Duration life(Optional<Long> wantedSeconds) {
    return wantedSeconds
        .map(seconds -> Math.clamp(seconds, 1, longestLife.toSeconds()))
        .map(Duration::ofSeconds)
        .orElse(longestLife);
  }
}
