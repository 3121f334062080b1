package dev.muster.delegation;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All of a delegation that changes.
 *
 * @param attempt 1 for the first
 * @param retryCount how often an operator had it delivered again
 * @param lastHeartbeat of its callee, for this very delegation
 * @param dispatchedAt when it was brought on its way to the callee
 * @param result of one that is completed
 * @param error of one that failed; of one that is stuck, why
 * @param errorKind a word for programs, as R9.1 has them
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
   * What the change makes of it at {@code now}; empty when the life cycle does not allow it. A
   * delegation that stands as wanted already stays as it is.
   *
   * @param span from a retry to the new deadline
   */
  Optional<DelegationState> after(DelegationCommand change, Duration span, Instant now) {
    return switch (change) {
      case DelegationCommand.Step.DISPATCH ->
          moved(DelegationStatus.DISPATCHED).map(next -> next.with(lastHeartbeat, now));
      case DelegationCommand.Step.START -> moved(DelegationStatus.IN_PROGRESS);
      case DelegationCommand.Step.HEARTBEAT -> beaten(now);
      case DelegationCommand.Step.RETRY -> retried(now.plus(span));
      case DelegationCommand.Complete(PreviewedText text, boolean _) ->
          moved(DelegationStatus.COMPLETED, text, null, null);
      case DelegationCommand.Fail(String reason, String kind) ->
          moved(DelegationStatus.FAILED, null, reason, kind);
    };
  }

  /** What was wrong with it is over, as long as it goes on. */
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

  /** One that waits for its next delivery only notes the heartbeat. */
  private Optional<DelegationState> beaten(Instant now) {
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
