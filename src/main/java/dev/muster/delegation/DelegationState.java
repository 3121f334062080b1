package dev.muster.delegation;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The part of a delegation that changes.
 *
 * @param attempt 1 for the first
 * @param retryCount how many retries operators requested
 * @param lastHeartbeat the callee's last heartbeat for this delegation; null if there is none
 * @param dispatchedAt when its message was last handed over for delivery; null if it never was
 * @param result null unless it is {@code completed}
 * @param error why it is {@code failed} or {@code stuck}; null for other statuses
 * @param errorKind a word for programs (R9.1); null if there is none
 */
record DelegationState(
    DelegationStatus status,
    int attempt,
    int retryCount,
    @Nullable Instant lastHeartbeat,
    Instant deadline,
    @Nullable Instant dispatchedAt,
    @Nullable PreviewedText result,
    @Nullable String error,
    @Nullable String errorKind) {

  /**
   * Returns the state after a change at {@code now}. Empty if R8.1 does not allow the transition.
   * The state stays the same if the delegation has the requested status already.
   *
   * @param span time from a retry to the new deadline
   */
  Optional<DelegationState> after(DelegationCommand command, Duration span, Instant now) {
    return switch (command) {
      case DelegationCommand.Step.DISPATCH ->
          moved(DelegationStatus.DISPATCHED).map(next -> next.with(lastHeartbeat, now));
      case DelegationCommand.Step.START -> moved(DelegationStatus.IN_PROGRESS);
      case DelegationCommand.Step.HEARTBEAT -> withHeartbeat(now);
      case DelegationCommand.Step.RETRY -> retried(now.plus(span));
      case DelegationCommand.Complete(PreviewedText text, boolean _) ->
          moved(DelegationStatus.COMPLETED, text, null, null);
      case DelegationCommand.Fail(String reason, String kind) ->
          moved(DelegationStatus.FAILED, null, reason, kind);
    };
  }

  /** Changes the status to one in flight, and clears the error. */
  private Optional<DelegationState> moved(DelegationStatus to) {
    return moved(to, null, null, null);
  }

  private Optional<DelegationState> moved(
      DelegationStatus to,
      @Nullable PreviewedText ofResult,
      @Nullable String ofError,
      @Nullable String kind) {
    if (status == to) {
      return Optional.of(this);
    }
    return status.mayBecome(to)
        ? Optional.of(
            new DelegationState(
                to,
                attempt,
                retryCount,
                lastHeartbeat,
                deadline,
                dispatchedAt,
                ofResult,
                ofError,
                kind))
        : Optional.empty();
  }

  private DelegationState with(@Nullable Instant heartbeat, @Nullable Instant dispatched) {
    return new DelegationState(
        status, attempt, retryCount, heartbeat, deadline, dispatched, result, error, errorKind);
  }

  /**
   * Stores the heartbeat. The status becomes {@code in_progress}, unless the delegation waits for
   * its next delivery.
   */
  private Optional<DelegationState> withHeartbeat(Instant now) {
    if (!status.isInFlight()) {
      return Optional.empty();
    }
    DelegationState next =
        status == DelegationStatus.QUEUED
            ? this
            : moved(DelegationStatus.IN_PROGRESS).orElseThrow();
    return Optional.of(next.with(now, dispatchedAt));
  }

  private Optional<DelegationState> retried(Instant newDeadline) {
    return status.mayBecome(DelegationStatus.QUEUED)
        ? Optional.of(
            new DelegationState(
                DelegationStatus.QUEUED,
                attempt + 1,
                retryCount + 1,
                null,
                newDeadline,
                null,
                null,
                null,
                null))
        : Optional.empty();
  }
}
