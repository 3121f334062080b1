package dev.muster.delegation;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import java.time.Duration;

/**
 * The settings of the sweeper (R8.8). The server reads them at start. A value that is not a
 * positive whole number falls back to the default.
 *
 * @param interval time between two sweeps
 * @param stuckThreshold time without a heartbeat after which a delegation is stuck
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
