package dev.muster.delegation;

import dev.muster.message.DelegationMessage;
import dev.muster.workspace.DeliveryMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation whose row the transaction has locked.
 *
 * @param callerMode the caller's delivery mode; null if the caller is removed
 * @param now the database's time, read by the statement that locks
 */
record LockedDelegation(
    String delegationId,
    UUID callerId,
    UUID calleeId,
    Duration span,
    Instant createdAt,
    @Nullable DeliveryMode callerMode,
    DelegationState state,
    Instant now) {

  LockedDelegation with(DelegationState next) {
    return new LockedDelegation(
        delegationId, callerId, calleeId, span, createdAt, callerMode, next, now);
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
