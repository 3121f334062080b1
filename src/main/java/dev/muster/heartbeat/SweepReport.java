package dev.muster.heartbeat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a sweep of the silent saw and did; {@code heldSince} is set when it took nobody although
 * some were due.
 */
record SweepReport(FleetSilence fleet, TransitionSummary moves, @Nullable Instant heldSince) {

  int takenOffline() {
    return moves.moved();
  }
}
