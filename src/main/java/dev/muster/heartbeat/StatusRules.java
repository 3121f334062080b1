package dev.muster.heartbeat;

import static dev.muster.workspace.DegradedReason.ERROR_RATE;
import static dev.muster.workspace.DegradedReason.RUNTIME_WEDGED;
import static dev.muster.workspace.WorkspaceStatus.DEGRADED;

import dev.muster.heartbeat.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusDecision.Online;
import dev.muster.heartbeat.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusDecision.Unchanged;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import org.jspecify.annotations.Nullable;

/** Evaluates a heartbeat (R4.2): the first matching rule decides, with at most one transition. */
record StatusRules(ErrorRateThresholds thresholds) {

  StatusDecision evaluate(
      WorkspaceStatus current, @Nullable DegradedReason reason, HealthSignals signals) {
    return switch (current) {
      case PAUSED, REMOVED -> new Unchanged();
      case DEGRADED -> ofDegraded(reason, signals);
      case AWAITING_AGENT, ONLINE, OFFLINE, FAILED, PROVISIONING, HIBERNATING, HIBERNATED ->
          ofOthers(current, signals);
    };
  }

  private StatusDecision ofOthers(WorkspaceStatus current, HealthSignals signals) {
    if (signals.wedged()) {
      return new Degraded(RUNTIME_WEDGED);
    }
    if (!signals.nativeStatus() && isFailing(signals)) {
      return new Degraded(ERROR_RATE);
    }
    return current == WorkspaceStatus.ONLINE ? new Unchanged() : new Online(current);
  }

  private StatusDecision ofDegraded(@Nullable DegradedReason reason, HealthSignals signals) {
    if (signals.wedged()) {
      return staysFor(RUNTIME_WEDGED, reason);
    }
    boolean recovered =
        signals.nativeStatus()
            || signals.errorRate() < thresholds.recoverBelow()
            || (reason == RUNTIME_WEDGED && !isFailing(signals));
    if (recovered) {
      return new Online(DEGRADED);
    }
    return isFailing(signals) ? staysFor(ERROR_RATE, reason) : new Unchanged();
  }

  private boolean isFailing(HealthSignals signals) {
    return signals.errorRate() >= thresholds.degradeAt();
  }

  private static StatusDecision staysFor(DegradedReason now, @Nullable DegradedReason before) {
    return now == before ? new Unchanged() : new OtherReason(now);
  }

  /**
   * Returns whether the heartbeat leaves an online workspace online without evaluation of its row.
   *
   * <p>If it has no error rate, this also requires a stored rate below the threshold, which the SQL
   * checks.
   */
  boolean isSteady(Heartbeat heartbeat) {
    return !heartbeat.wedged()
        && (heartbeat.errorRate() == null || heartbeat.errorRate() < thresholds.degradeAt());
  }
}
