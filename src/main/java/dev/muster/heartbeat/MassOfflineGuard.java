package dev.muster.heartbeat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Self-preservation (R5.3): that most of a fleet falls silent at once is more likely our fault than
 * theirs, so for a while nobody goes offline.
 */
record MassOfflineGuard(double ratio, Duration hold) {

  private static final int SMALLEST_FLEET = 10;

  /** What a sweep may do. */
  sealed interface Decision {

    /** Take who is due; {@code endsHold} when the fleet was held and is believable again. */
    record Take(boolean endsHold) implements Decision {}

    /** Take nobody. */
    record Hold(Instant since) implements Decision {}
  }

  /**
   * A hold begins with too many who are due, and ends when no longer too many are silent: those
   * whom only our own restart spares (R5.2) do not end it.
   */
  Decision judge(FleetSilence fleet, @Nullable Instant holdSince, Instant now) {
    if (holdSince == null) {
      return isTooMany(fleet.due(), fleet.live())
          ? new Decision.Hold(now)
          : new Decision.Take(false);
    }
    if (!isTooMany(fleet.silent(), fleet.live())) {
      return new Decision.Take(true);
    }
    return now.isBefore(until(holdSince)) ? new Decision.Hold(holdSince) : new Decision.Take(false);
  }

  Instant until(Instant holdSince) {
    return holdSince.plus(hold);
  }

  /** Exactly: 29 of 100 are not more than 0.29 of them, whatever binary fractions say. */
  private boolean isTooMany(long silent, long live) {
    return live >= SMALLEST_FLEET
        && BigDecimal.valueOf(silent)
                .compareTo(BigDecimal.valueOf(ratio).multiply(BigDecimal.valueOf(live)))
            > 0;
  }
}
