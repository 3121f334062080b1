package dev.muster.platform.uptime;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Since when the control plane is up, until when it is known to be alive, since when silence is
 * held to be our own fault (R5.3), and the moment all of that is true of; by the database's clock.
 */
public record Uptime(
    Instant upSince, Instant aliveUntil, @Nullable Instant holdSince, Instant now) {

  /** After a sign of life at {@link #now}: one that comes later than {@code gap} starts anew. */
  Uptime recordTick(Duration gap) {
    boolean wasAbsent = now.isAfter(aliveUntil.plus(gap));
    return new Uptime(
        wasAbsent ? now : upSince, now.isAfter(aliveUntil) ? now : aliveUntil, holdSince, now);
  }

  /** Whether some replica has ticked lately, so that {@link #upSince} can be relied on. */
  boolean isFresh(Duration gap) {
    return !now.isAfter(aliveUntil.plus(gap));
  }
}
