package dev.muster.heartbeat;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import dev.muster.workspace.HeartbeatCadence;
import java.time.Duration;

/**
 * Settings of the liveness rules (R5.1–R5.3).
 *
 * @param staleAfter silence after which a workspace goes offline
 * @param sweepInterval time between sweeps
 * @param grace time after an uptime gap in which workspaces without a heartbeat since the gap stay
 *     online; at least twice {@code staleAfter}
 * @param massRatio share of the fleet (0..1) above which the mass-offline guard holds
 * @param massHold maximum time for which a hold prevents offline transitions
 */
record LivenessSettings(
    Duration staleAfter,
    Duration sweepInterval,
    Duration grace,
    double massRatio,
    Duration massHold) {

  /** Raises the grace to two stale periods, so that agents have time to reconnect. */
  LivenessSettings {
    Duration least = staleAfter.multipliedBy(2);
    grace = grace.compareTo(least) < 0 ? least : grace;
  }

  static LivenessSettings from(Settings settings, HeartbeatCadence cadence) {
    return new LivenessSettings(
        Duration.ofSeconds(cadence.staleAfterS()),
        seconds(settings, "LIVENESS_SWEEP_INTERVAL_S", 15),
        seconds(settings, "RECOVERY_GRACE_S", 360),
        settings.tuning("MASS_OFFLINE_RATIO", 0.5, Values::ratio),
        seconds(settings, "MASS_OFFLINE_HOLD_S", 600));
  }

  private static Duration seconds(Settings settings, String name, int fallback) {
    return Duration.ofSeconds(settings.tuning(name, fallback, Values::positiveInt));
  }
}
