package dev.muster.a2a.queue;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.time.Duration;
import java.util.Optional;

/** How long a message may wait (R7.7). */
public record QueueSettings(Duration longestLife) {

  static QueueSettings from(Settings settings) {
    return new QueueSettings(
        Duration.ofSeconds(settings.tuning("A2A_QUEUE_TTL_S", 86_400, Values::positiveInt)));
  }

  /** Of a message whose sender wants it to live so many seconds; at least one. */
  public Duration life(Optional<Long> wantedSeconds) {
    return wantedSeconds
        .map(seconds -> Math.clamp(seconds, 1, longestLife.toSeconds()))
        .map(Duration::ofSeconds)
        .orElse(longestLife);
  }
}
