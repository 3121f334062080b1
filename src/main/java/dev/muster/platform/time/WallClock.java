package dev.muster.platform.time;

import java.time.Instant;
import java.time.InstantSource;
import org.springframework.stereotype.Component;

/**
 * Reads the clock of this machine. Only for times that nothing is decided by: the clocks of
 * replicas differ, so decisions are by the database's time, and spans by {@link System#nanoTime}.
 */
@Component
final class WallClock implements InstantSource {

  @Override
  public Instant instant() {
    return Instant.now();
  }
}
