package dev.muster.heartbeat;

import dev.muster.platform.uptime.Uptime;
import java.time.Duration;
import java.time.Instant;

/**
 * The times that decide which workspaces are silent (R5.1, R5.2).
 *
 * <p>A workspace is silent if its last heartbeat is before {@code lastHeartbeatBefore}. It is due
 * if that heartbeat is also not before {@code upSince}, or if {@code graceIsOver}.
 */
record SilenceCutoff(
    Instant now, Instant lastHeartbeatBefore, Instant upSince, boolean graceIsOver) {

  static SilenceCutoff at(Uptime uptime, LivenessSettings settings, Duration staleAfter) {
    return new SilenceCutoff(
        uptime.now(),
        uptime.now().minus(staleAfter),
        uptime.upSince(),
        !uptime.now().isBefore(uptime.upSince().plus(settings.grace(staleAfter))));
  }
}
