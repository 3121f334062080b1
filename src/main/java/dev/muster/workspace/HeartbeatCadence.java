package dev.muster.workspace;

import dev.muster.platform.settings.Settings;
import dev.muster.platform.settings.Values;

/** Holds the timing that the server sends to agents, in seconds (R4.1). */
public record HeartbeatCadence(int heartbeatIntervalS, int staleAfterS, int longPollMaxS) {

  private static final int LONG_POLL_MAX_S = 60;

  static HeartbeatCadence from(Settings settings) {
    return new HeartbeatCadence(
        settings.tuning("HEARTBEAT_INTERVAL_S", 30, Values::positiveInt),
        settings.tuning("STALE_AFTER_S", 180, Values::positiveInt),
        LONG_POLL_MAX_S);
  }
}
