package dev.muster.heartbeat;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;
import dev.muster.workspace.HeartbeatCadence;
import java.time.Duration;

/** How long a busy agent may write nothing while its heartbeats arrive (R5.4). */
record StallSettings(Duration staleAfter, Duration stalledAfter) {

  static StallSettings from(Settings settings, HeartbeatCadence cadence) {
    return new StallSettings(
        Duration.ofSeconds(cadence.staleAfterS()),
        Duration.ofSeconds(settings.tuning("STALLED_AFTER_S", 720, Values::positiveInt)));
  }
}
