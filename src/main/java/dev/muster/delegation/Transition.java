package dev.muster.delegation;

/**
 * That a delegation moved to another status.
 *
 * @param heard its caller hears of its end by itself, so that no row need tell
 */
record Transition(DelegationStatus from, LockedDelegation delegation, boolean heard) {

  boolean isEnd() {
    return !delegation.status().isInFlight();
  }
}
