package dev.muster.workspace;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Holds the timing that the server sends to agents (R4.1).
 *
 * @param interval time between two heartbeats of an agent
 * @param staleAfter silence after which a workspace goes offline
 */
@ConfigurationProperties("muster.heartbeat")
public record HeartbeatCadence(Duration interval, Duration staleAfter) {

  private static final int LONG_POLL_MAX_S = 60;

  public int heartbeatIntervalS() {
    return Math.toIntExact(interval.toSeconds());
  }

  public int staleAfterS() {
    return Math.toIntExact(staleAfter.toSeconds());
  }

  public int longPollMaxS() {
    return LONG_POLL_MAX_S;
  }
}
