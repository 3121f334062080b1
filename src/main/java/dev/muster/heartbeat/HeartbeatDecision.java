package dev.muster.heartbeat;

import dev.muster.heartbeat.StatusRules.HealthSignals;
import dev.muster.heartbeat.StatusRules.StatusDecision;
import dev.muster.heartbeat.StatusRules.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusRules.StatusDecision.Online;
import dev.muster.heartbeat.StatusRules.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusRules.StatusDecision.Unchanged;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Holds a heartbeat, the stored state before it, and the resulting status decision. */
record HeartbeatDecision(
    Heartbeat heartbeat, StoredHealth stored, HealthSignals signals, StatusDecision decision) {

  WorkspaceStatus nextStatus() {
    return switch (decision) {
      case Unchanged() -> stored.status();
      case OtherReason(DegradedReason reason) -> stored.status();
      case Degraded(DegradedReason reason) -> WorkspaceStatus.DEGRADED;
      case Online(WorkspaceStatus from) -> WorkspaceStatus.ONLINE;
    };
  }

  @Nullable DegradedReason nextReason() {
    return switch (decision) {
      case Unchanged() -> stored.degradedReason();
      case OtherReason(DegradedReason reason) -> reason;
      case Degraded(DegradedReason reason) -> reason;
      case Online(WorkspaceStatus from) -> null;
    };
  }

  /**
   * Returns the text to store (R4.3).
   *
   * <p>Recovery clears the text. While the workspace is degraded, an empty new text keeps the
   * stored one.
   */
  String nextSampleError() {
    if (decision instanceof Online(WorkspaceStatus from) && from == WorkspaceStatus.DEGRADED) {
      return "";
    }
    boolean staysDegraded = stored.status() == WorkspaceStatus.DEGRADED;
    return staysDegraded && heartbeat.sampleError().isEmpty()
        ? stored.sampleError()
        : heartbeat.sampleError();
  }

  Heartbeat heartbeatToStore() {
    return heartbeat.withSampleError(nextSampleError());
  }

  /** The stored health of a workspace, read under its lock. */
  record StoredHealth(
      UUID workspaceId,
      String name,
      WorkspaceStatus status,
      @Nullable DegradedReason degradedReason,
      double errorRate,
      String sampleError,
      boolean nativeStatus) {

    /** Returns the stored health, overridden by the values of a heartbeat. */
    HealthSignals mergedWith(Heartbeat heartbeat) {
      return new HealthSignals(
          heartbeat.wedged(),
          heartbeat.errorRate() == null ? errorRate : heartbeat.errorRate(),
          heartbeat.capabilities().given() ? heartbeat.nativeStatus() : nativeStatus);
    }
  }
}
