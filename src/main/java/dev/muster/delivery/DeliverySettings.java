package dev.muster.delivery;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.time.Duration;
import java.util.Optional;

/**
 * How hard messages are brought to agents, and how long they may wait (contract, section 12).
 *
 * @param maxAttempts of one send
 * @param totalBudget of a request whose sender gives no time of its own
 * @param readTimeout how long an agent may be silent, unless it says otherwise itself
 * @param retriesAmbiguous whether what an agent may have got is sent again
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

  /** Of a message whose sender wants it to live so many seconds; at least one. */
  public Duration life(Optional<Long> wantedSeconds) {
    return wantedSeconds
        .map(seconds -> Math.clamp(seconds, 1, longestLife.toSeconds()))
        .map(Duration::ofSeconds)
        .orElse(longestLife);
  }
}
