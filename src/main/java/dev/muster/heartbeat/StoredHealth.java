package dev.muster.heartbeat;

import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is stored of a workspace's health, read under its lock. */
record StoredHealth(
    UUID workspaceId,
    WorkspaceStatus status,
    @Nullable DegradedReason degradedReason,
    double errorRate,
    String sampleError,
    boolean nativeStatus) {

  /** With what a beat says put over it. */
  Evidence mergedWith(Beat beat) {
    return new Evidence(
        beat.wedged(),
        beat.errorRate() == null ? errorRate : beat.errorRate(),
        beat.capabilities().given() ? beat.nativeStatus() : nativeStatus);
  }
}
