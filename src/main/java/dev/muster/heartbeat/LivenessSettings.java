package dev.muster.heartbeat;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the liveness and stall rules (R5.1–R5.4). The time until a workspace is stale is
 * in {@code HeartbeatCadence}, because the server sends it to agents.
 *
 * @param sweepInterval time between sweeps
 * @param recoveryGrace time after an uptime gap in which workspaces without a heartbeat since the
 *     gap stay online
 * @param stalledAfter how long a busy agent may write nothing while its heartbeats arrive
 */
@ConfigurationProperties("muster.liveness")
public record LivenessSettings(
    Duration sweepInterval,
    Duration recoveryGrace,
    MassOffline massOffline,
    Duration stalledAfter) {

  /**
   * The settings of the mass-offline guard.
   *
   * @param ratio share of the fleet (0..1) above which the guard holds
   * @param hold maximum time for which a hold prevents offline transitions
   */
  public record MassOffline(double ratio, Duration hold) {}

  /** Returns the grace, at least two stale periods, so that agents have time to reconnect. */
  public Duration grace(Duration staleAfter) {
    Duration least = staleAfter.multipliedBy(2);
    return recoveryGrace.compareTo(least) < 0 ? least : recoveryGrace;
  }
}
