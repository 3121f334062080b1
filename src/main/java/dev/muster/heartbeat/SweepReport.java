package dev.muster.heartbeat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The result of a liveness sweep.
 *
 * @param heldSince start of the hold that prevented offline transitions; null without a hold
 */
record SweepReport(FleetSilence fleet, TransitionSummary summary, @Nullable Instant heldSince) {

  int takenOffline() {
    return summary.moved();
  }
}
