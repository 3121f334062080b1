package dev.muster.workspace;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A workspace that is there, as those need to know it who send to it.
 *
 * @param url "" when there is none
 * @param idleTimeoutSeconds how long its agent may be silent within one answer, if it said so
 * @param version grows with every write to the workspace, but for its status and telemetry
 * @param treeVersion of the hierarchy at the same moment
 */
public record DeliveryTarget(
    UUID id,
    String name,
    DeliveryMode deliveryMode,
    String url,
    WorkspaceStatus status,
    int activeTasks,
    int maxConcurrentTasks,
    @Nullable Integer idleTimeoutSeconds,
    long version,
    long treeVersion) {

  /** Whether a call has a chance: its agent was heard of lately, and has said where it is. */
  public boolean isReachable() {
    return (status == WorkspaceStatus.ONLINE || status == WorkspaceStatus.DEGRADED)
        && DeliveryMode.isUsable(url);
  }

  public boolean isAtCapacity() {
    return activeTasks >= maxConcurrentTasks;
  }
}
