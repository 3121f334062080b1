package dev.muster.delegation;

import dev.muster.delivery.DelegationMessage;
import dev.muster.workspace.DeliveryMode;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation whose row the transaction holds.
 *
 * @param callerMode how its caller hears of things; null when the caller is gone
 * @param now the database's time, after the lock was had
 */
record LockedDelegation(
    String delegationId,
    UUID callerId,
    UUID calleeId,
    Duration span,
    Instant createdAt,
    @Nullable DeliveryMode callerMode,
    DelegationState progress,
    Instant now) {

  LockedDelegation with(DelegationState next) {
    return new LockedDelegation(
        delegationId, callerId, calleeId, span, createdAt, callerMode, next, now);
  }

  DelegationStatus status() {
    return progress.status();
  }

  /** Of one that is completed. */
  PreviewedText result() {
    return Objects.requireNonNull(progress.result());
  }

  /** Of one that failed. */
  String error() {
    return Objects.requireNonNullElse(progress.error(), "");
  }

  /** Its present message to the callee (R8.3). */
  DelegationMessage message() {
    return new DelegationMessage(
        delegationId, callerId, calleeId, MessageIds.of(delegationId, progress.retryCount()));
  }
}
