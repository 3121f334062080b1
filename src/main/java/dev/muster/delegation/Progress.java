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
record Progress(
    DelegationStatus status,
    int attempt,
    int retryCount,
    @Nullable Instant lastHeartbeat,
    Instant deadline,
    @Nullable Instant dispatchedAt,
    @Nullable WholeText result,
    @Nullable String error,
    @Nullable String errorKind) {

  /**
   * What the change makes of it at {@code now}; empty when the life cycle does not allow it. A
   * delegation that stands as wanted already stays as it is.
   *
   * @param span from a retry to the new deadline
   */
  Optional<Progress> after(Change change, Duration span, Instant now) {
    return switch (change) {
      case Change.Step.DISPATCH ->
          moved(DelegationStatus.DISPATCHED).map(next -> next.with(lastHeartbeat, now));
      case Change.Step.START -> moved(DelegationStatus.IN_PROGRESS);
      case Change.Step.HEARTBEAT -> beaten(now);
      case Change.Step.RETRY -> retried(now.plus(span));
      case Change.Completed(WholeText text, boolean _) ->
          moved(DelegationStatus.COMPLETED, text, null, null);
      case Change.Failed(String reason, String kind) ->
          moved(DelegationStatus.FAILED, null, reason, kind);
    };
  }

  /** What was wrong with it is over, as long as it goes on. */
  private Optional<Progress> moved(DelegationStatus to) {
    return moved(to, null, null, null);
  }

  private Optional<Progress> moved(
      DelegationStatus to,
      @Nullable WholeText ofResult,
      @Nullable String ofError,
      @Nullable String kind) {
    if (status == to) {
      return Optional.of(this);
    }
    return status.mayBecome(to)
        ? Optional.of(
            new Progress(
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

  private Progress with(@Nullable Instant heartbeat, @Nullable Instant dispatched) {
    return new Progress(
        status, attempt, retryCount, heartbeat, deadline, dispatched, result, error, errorKind);
  }

  /** One that waits for its next delivery only notes the heartbeat. */
  private Optional<Progress> beaten(Instant now) {
    if (!status.isInFlight()) {
      return Optional.empty();
    }
    Progress next =
        status == DelegationStatus.QUEUED
            ? this
            : moved(DelegationStatus.IN_PROGRESS).orElseThrow();
    return Optional.of(next.with(now, dispatchedAt));
  }

  private Optional<Progress> retried(Instant newDeadline) {
    return status.mayBecome(DelegationStatus.QUEUED)
        ? Optional.of(
            new Progress(
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
