package dev.muster.delegation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * That a delegation moved to another status.
 *
 * @param callerNotified its caller learns of its end without a row of its own
 * @param lastHeartbeatAt when its callee was last heard of, for one that is stuck now
 */
record Transition(
    DelegationStatus from,
    LockedDelegation delegation,
    boolean callerNotified,
    @Nullable Instant lastHeartbeatAt) {

  boolean isEnd() {
    return !delegation.status().isInFlight();
  }
}
