package dev.muster.delegation;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A row of the ledger for operators, without the texts that may be long. */
record Delegation(
    @JsonIgnore UUID id,
    String delegationId,
    UUID callerId,
    UUID calleeId,
    String taskPreview,
    DelegationStatus status,
    int attempt,
    int retryCount,
    @Nullable Instant lastHeartbeat,
    Instant deadline,
    @Nullable Instant dispatchedAt,
    @Nullable String resultPreview,
    @Nullable String errorDetail,
    @Nullable String errorKind,
    @Nullable String idempotencyKey,
    @Nullable String parentDelegationId,
    Instant createdAt,
    Instant updatedAt) {

  boolean isOf(UUID workspaceId) {
    return callerId.equals(workspaceId) || calleeId.equals(workspaceId);
  }
}
