package dev.muster.heartbeat;

import dev.muster.platform.uptime.Uptime;
import java.time.Instant;

/**
 * Who counts as stalled at one moment: at work and without a word since before {@code quietBefore},
 * but heard since {@code heardSince}; nobody, as long as we were not there to take the word.
 */
record StallCutoff(Instant now, Instant quietBefore, Instant lastHeartbeatSince, Instant upSince) {

  static StallCutoff at(Uptime uptime, StallSettings settings) {
    return new StallCutoff(
        uptime.now(),
        uptime.now().minus(settings.stalledAfter()),
        uptime.now().minus(settings.staleAfter()),
        uptime.upSince());
  }
}
