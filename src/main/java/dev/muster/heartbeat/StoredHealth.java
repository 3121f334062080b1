package dev.muster.heartbeat;

import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The stored health of a workspace, read under its lock. */
record StoredHealth(
    UUID workspaceId,
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
