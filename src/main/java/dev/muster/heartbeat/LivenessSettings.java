package dev.muster.heartbeat;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import dev.muster.workspace.HeartbeatCadence;
import java.time.Duration;

/**
 * When silence is held against a workspace (R5.1–R5.3): stale after, looked for every, spared for a
 * while after an absence of ours; and which share of the fleet is too much to believe, and for how
 * long.
 */
record LivenessSettings(
    Duration staleAfter,
    Duration sweepInterval,
    Duration grace,
    double massRatio,
    Duration massHold) {

  /** Agents get at least two of their own periods to come back in. */
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
