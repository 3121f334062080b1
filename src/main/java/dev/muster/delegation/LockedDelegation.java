package dev.muster.delegation;

import dev.muster.workspace.DeliveryMode;
import java.time.Duration;
import java.time.Instant;
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
    Progress progress,
    Instant now) {

  LockedDelegation with(Progress next) {
    return new LockedDelegation(
        delegationId, callerId, calleeId, span, createdAt, callerMode, next, now);
  }

  DelegationStatus status() {
    return progress.status();
  }

  /** The messageId of its present delivery (R8.3). */
  String messageId() {
    return MessageIds.of(delegationId, progress.retryCount());
  }
}
