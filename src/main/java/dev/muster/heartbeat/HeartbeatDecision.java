package dev.muster.heartbeat;

import dev.muster.heartbeat.StatusDecision.Degraded;
import dev.muster.heartbeat.StatusDecision.Online;
import dev.muster.heartbeat.StatusDecision.OtherReason;
import dev.muster.heartbeat.StatusDecision.Unchanged;
import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
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
}
