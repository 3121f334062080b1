package dev.muster.heartbeat;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Suspends offline transitions when too many workspaces fall silent at once (R5.3).
 *
 * <p>A fault of the control plane is then more likely than that many failed agents.
 */
record MassOfflineGuard(double ratio, Duration hold) {

  private static final int MIN_FLEET = 10;

  /** What a sweep may do. */
  sealed interface Decision {

    /** Take due workspaces offline; {@code endsHold} when a hold ends because few are silent. */
    record Take(boolean endsHold) implements Decision {}

    /** Take no workspace offline. */
    record Hold(Instant since) implements Decision {}
  }

  /**
   * Decides whether the sweep may take workspaces offline.
   *
   * <p>A hold begins when too many workspaces are due and ends when not too many are silent. After
   * {@code hold}, workspaces go offline even if the hold has not ended. Silent workspaces inside
   * the grace (R5.2) count for the end, so a restart does not end a hold.
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

  /** Compares in decimal: 29 of 100 must not exceed the ratio 0.29 through binary rounding. */
  private boolean isTooMany(long silent, long live) {
    return live >= MIN_FLEET
        && BigDecimal.valueOf(silent)
                .compareTo(BigDecimal.valueOf(ratio).multiply(BigDecimal.valueOf(live)))
            > 0;
  }

  /**
   * Counts online or degraded workspaces, silent ones, and those due to go offline.
   *
   * <p>A silent workspace is due when an uptime gap cannot explain its silence.
   */
  record FleetSilence(long live, long silent, long due) {}
}
