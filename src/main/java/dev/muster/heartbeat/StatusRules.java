package dev.muster.heartbeat;

import static dev.muster.workspace.DegradedReason.ERROR_RATE;
import static dev.muster.workspace.DegradedReason.RUNTIME_WEDGED;
import static dev.muster.workspace.WorkspaceStatus.DEGRADED;

import dev.muster.heartbeat.StatusRules.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusRules.StatusDecision.Online;
import dev.muster.heartbeat.StatusRules.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusRules.StatusDecision.Unchanged;
import dev.muster.platform.settings.Setting;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

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

  /**
   * The error rates (0..1) at which a workspace degrades and below which it recovers. If the second
   * is above the first, both are the defaults, with a warning of {@link HeartbeatSettingChecks}.
   */
  @ConfigurationProperties("muster.heartbeat")
  record ErrorRateThresholds(double degradeAt, double recoverBelow) {

    static final ErrorRateThresholds DEFAULT =
        new ErrorRateThresholds(
            Setting.DEGRADE_AT_ERROR_RATE.defaultRatio(),
            Setting.RECOVER_BELOW_ERROR_RATE.defaultRatio());

    ErrorRateThresholds {
      if (areSwapped(degradeAt, recoverBelow)) {
        recoverBelow = DEFAULT.recoverBelow;
        degradeAt = DEFAULT.degradeAt;
      }
    }

    static boolean areSwapped(double degradeAt, double recoverBelow) {
      return recoverBelow > degradeAt;
    }
  }

  /** What a heartbeat changes in a workspace's status. */
  sealed interface StatusDecision {

    /** The status and its reason stay. */
    record Unchanged() implements StatusDecision {}

    /** The workspace stays degraded, for another reason. */
    record OtherReason(DegradedReason reason) implements StatusDecision {}

    record Degraded(DegradedReason reason) implements StatusDecision {}

    record Online(WorkspaceStatus recoveredFrom) implements StatusDecision {}
  }

  /** The health signals of a heartbeat, merged with the stored state. */
  record HealthSignals(boolean wedged, double errorRate, boolean nativeStatus) {}
}
