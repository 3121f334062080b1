package dev.muster.delegation;

/**
 * That a delegation moved to another status.
 *
 * @param callerNotified its caller learns of its end without a row of its own
 */
record Transition(DelegationStatus from, LockedDelegation delegation, boolean callerNotified) {

  boolean isEnd() {
    return !delegation.status().isInFlight();
  }
}
