package dev.muster.heartbeat;

import dev.muster.platform.uptime.Uptime;
import java.time.Instant;

/**
 * Who counts as silent at one moment: last heard before {@code heardBefore}, and, unless the grace
 * after our own absence is over, since we were back (R5.1, R5.2).
 */
record SilenceCutoff(
    Instant now, Instant lastHeartbeatBefore, Instant upSince, boolean graceIsOver) {

  static SilenceCutoff at(Uptime uptime, LivenessSettings settings) {
    return new SilenceCutoff(
        uptime.now(),
        uptime.now().minus(settings.staleAfter()),
        uptime.upSince(),
        !uptime.now().isBefore(uptime.upSince().plus(settings.grace())));
  }
}
