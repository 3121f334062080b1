package dev.muster.platform.postgres;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Describes the control plane's uptime at {@code now}, by the database's clock.
 *
 * @param downSince the last tick before the last uptime gap; {@code upSince} before the first gap
 * @param upSince the end of the last uptime gap
 * @param aliveUntil the latest tick of any replica
 * @param holdSince since when silence counts as the server's own fault (R5.3); null without a hold
 * @param now the time at which the other values were read
 */
public record Uptime(
    Instant downSince,
    Instant upSince,
    Instant aliveUntil,
    @Nullable Instant holdSince,
    Instant now) {

  /**
   * Records a tick at {@link #now}; a tick later than {@code gap} after the last restarts the
   * uptime.
   */
  Uptime recordTick(Duration gap) {
    boolean wasAbsent = now.isAfter(aliveUntil.plus(gap));
    return new Uptime(
        wasAbsent ? aliveUntil : downSince,
        wasAbsent ? now : upSince,
        now.isAfter(aliveUntil) ? now : aliveUntil,
        holdSince,
        now);
  }

  /** Returns whether a replica has ticked within {@code gap}, so that {@link #upSince} is valid. */
  boolean isFresh(Duration gap) {
    return !now.isAfter(aliveUntil.plus(gap));
  }
}
