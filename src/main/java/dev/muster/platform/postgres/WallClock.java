package dev.muster.platform.postgres;

import java.time.Instant;
import java.time.InstantSource;
import org.springframework.stereotype.Component;

/**
 * Reads the clock of this machine. Use it only for times that decide nothing. The clocks of
 * replicas differ, so decisions use the database's time, and durations use {@link System#nanoTime}.
 */
@Component
public final class WallClock implements InstantSource {

  @Override
  public Instant instant() {
    return Instant.now();
  }
}
