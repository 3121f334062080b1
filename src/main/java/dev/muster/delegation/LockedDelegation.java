package dev.muster.delegation;

import dev.muster.message.DelegationMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;

/**
 * A delegation whose row the transaction has locked.
 *
 * @param now the database's time, read by the statement that locks
 */
record LockedDelegation(
    String delegationId,
    UUID callerId,
    UUID calleeId,
    Duration span,
    Instant createdAt,
    DelegationState state,
    Instant now) {

  LockedDelegation with(DelegationState next) {
    return new LockedDelegation(delegationId, callerId, calleeId, span, createdAt, next, now);
  }

  DelegationStatus status() {
    return state.status();
  }

  /** Returns the result of a completed delegation. */
  PreviewedText result() {
    return Objects.requireNonNull(state.result());
  }

  /** Returns the error of a failed delegation; empty if there is none. */
  String error() {
    return Objects.requireNonNullElse(state.error(), "");
  }

  /** Returns the current message to the callee (R8.3). */
  DelegationMessage message() {
    return new DelegationMessage(
        delegationId,
        callerId,
        calleeId,
        DelegationIds.ofMessage(delegationId, state.retryCount()));
  }
}
