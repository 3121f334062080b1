package dev.muster.delegation;

import dev.muster.delegation.Change.Beaten;
import dev.muster.delegation.Change.Completed;
import dev.muster.delegation.Change.Dispatched;
import dev.muster.delegation.Change.Failed;
import dev.muster.delegation.Change.Retried;
import dev.muster.delegation.Change.Started;
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
 */
record Progress(
    DelegationStatus status,
    int attempt,
    int retryCount,
    @Nullable Instant lastHeartbeat,
    Instant deadline,
    @Nullable Instant dispatchedAt,
    Outcome outcome) {

  /**
   * What the change makes of it at {@code now}; empty when the life cycle does not allow it. A
   * delegation that stands as wanted already stays as it is.
   *
   * @param span from a retry to the new deadline
   */
  Optional<Progress> after(Change change, Duration span, Instant now) {
    return switch (change) {
      case Dispatched() -> moved(DelegationStatus.DISPATCHED).map(next -> next.dispatched(now));
      case Started() -> moved(DelegationStatus.IN_PROGRESS);
      case Beaten() -> beaten(now);
      case Completed(WholeText result, boolean heard) ->
          ended(DelegationStatus.COMPLETED, new Outcome.Completed(result));
      case Failed(String error, String kind) ->
          ended(DelegationStatus.FAILED, new Outcome.Failed(error, kind));
      case Retried() -> retried(now.plus(span));
    };
  }

  /** What was wrong with it is over, as long as it goes on. */
  private Optional<Progress> moved(DelegationStatus to) {
    if (status == to) {
      return Optional.of(this);
    }
    return LifeCycle.allows(status, to)
        ? Optional.of(
            new Progress(
                to,
                attempt,
                retryCount,
                lastHeartbeat,
                deadline,
                dispatchedAt,
                Outcome.Open.SO_FAR))
        : Optional.empty();
  }

  private Progress dispatched(Instant now) {
    return new Progress(status, attempt, retryCount, lastHeartbeat, deadline, now, outcome);
  }

  /** One that waits for its next delivery only notes the beat. */
  private Optional<Progress> beaten(Instant now) {
    if (!status.isInFlight()) {
      return Optional.empty();
    }
    Progress next =
        status == DelegationStatus.QUEUED
            ? this
            : moved(DelegationStatus.IN_PROGRESS).orElseThrow();
    return Optional.of(
        new Progress(next.status, attempt, retryCount, now, deadline, dispatchedAt, next.outcome));
  }

  private Optional<Progress> ended(DelegationStatus end, Outcome outcome) {
    if (status == end) {
      return Optional.of(this);
    }
    return LifeCycle.allows(status, end)
        ? Optional.of(
            new Progress(end, attempt, retryCount, lastHeartbeat, deadline, dispatchedAt, outcome))
        : Optional.empty();
  }

  private Optional<Progress> retried(Instant newDeadline) {
    return LifeCycle.allows(status, DelegationStatus.QUEUED)
        ? Optional.of(
            new Progress(
                DelegationStatus.QUEUED,
                attempt + 1,
                retryCount + 1,
                null,
                newDeadline,
                null,
                Outcome.Open.SO_FAR))
        : Optional.empty();
  }
}
