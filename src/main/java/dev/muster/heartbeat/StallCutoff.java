package dev.muster.heartbeat;

import dev.muster.platform.uptime.Uptime;
import java.time.Duration;
import java.time.Instant;

/**
 * The times that decide which workspaces are stalled.
 *
 * <p>A workspace is stalled if it has been busy and wrote nothing since before {@code quietBefore},
 * with a heartbeat since {@code lastHeartbeatSince}. No workspace is stalled unless {@code upSince}
 * is before {@code quietBefore}, because its writes may have failed during the uptime gap.
 */
record StallCutoff(Instant now, Instant quietBefore, Instant lastHeartbeatSince, Instant upSince) {

  static StallCutoff at(Uptime uptime, Duration stalledAfter, Duration staleAfter) {
    return new StallCutoff(
        uptime.now(),
        uptime.now().minus(stalledAfter),
        uptime.now().minus(staleAfter),
        uptime.upSince());
  }
}
