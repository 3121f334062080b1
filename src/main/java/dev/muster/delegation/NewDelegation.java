package dev.muster.delegation;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A delegation that goes into the ledger; {@code status} is {@code queued} or, sent, dispatched.
 */
record NewDelegation(
    String delegationId,
    UUID callerId,
    UUID calleeId,
    WholeText task,
    DelegationStatus status,
    Duration span,
    @Nullable String idempotencyKey) {}
