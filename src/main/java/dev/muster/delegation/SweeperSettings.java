package dev.muster.delegation;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.time.Duration;

/**
 * How often delegations are swept, and after how long without a beat one is stuck (R8.8). Read at
 * the start; what is no positive whole number falls back to the default.
 */
record SweeperSettings(boolean enabled, Duration interval, Duration stuckThreshold) {

  static SweeperSettings from(Settings settings) {
    return new SweeperSettings(
        settings.tuning("DELEGATION_SWEEPER_ENABLED", true, Values::flag),
        Duration.ofSeconds(
            settings.tuning("DELEGATION_SWEEPER_INTERVAL_S", 300, Values::positiveInt)),
        Duration.ofSeconds(
            settings.tuning("DELEGATION_STUCK_THRESHOLD_S", 600, Values::positiveInt)));
  }
}
