package dev.muster.delegation;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A status transition of a delegation.
 *
 * @param callerNotified whether the caller learns of the end without a row of its own
 * @param lastHeartbeatAt the callee's last heartbeat; null unless the delegation is now stuck
 */
record Transition(
    DelegationStatus from,
    LockedDelegation delegation,
    boolean callerNotified,
    @Nullable Instant lastHeartbeatAt) {

  boolean isEnd() {
    return !delegation.status().isInFlight();
  }

  /** Whether the caller gets a row about it (R8.7). */
  boolean isToldToCaller() {
    return isEnd() && !callerNotified;
  }
}
