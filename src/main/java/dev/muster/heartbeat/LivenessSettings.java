package dev.muster.heartbeat;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * The settings of the liveness and stall rules (R5.1–R5.4), which {@code Setting} describes. The
 * time until a workspace is stale is in {@code HeartbeatCadence}, because the server sends it to
 * agents.
 */
@ConfigurationProperties("muster.liveness")
public record LivenessSettings(
    Duration sweepInterval,
    Duration recoveryGrace,
    MassOffline massOffline,
    Duration stalledAfter) {

  /** The settings of the mass-offline guard. */
  public record MassOffline(double ratio, Duration hold) {}

  /** Returns the grace, at least two stale periods, so that agents have time to reconnect. */
  public Duration grace(Duration staleAfter) {
    Duration least = staleAfter.multipliedBy(2);
    return recoveryGrace.compareTo(least) < 0 ? least : recoveryGrace;
  }
}
