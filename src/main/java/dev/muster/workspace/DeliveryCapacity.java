package dev.muster.workspace;

import java.util.UUID;

/** Holds what a workspace can accept, by its last heartbeat; {@code url} is "" when it has none. */
public record DeliveryCapacity(
    UUID workspaceId,
    WorkspaceStatus status,
    DeliveryMode deliveryMode,
    String url,
    int maxConcurrentTasks,
    int activeTasks) {

  public boolean isReachable() {
    boolean isHere = status == WorkspaceStatus.ONLINE || status == WorkspaceStatus.DEGRADED;
    return isHere && (deliveryMode == DeliveryMode.POLL || DeliveryMode.isUsable(url));
  }

  /** Returns how many more messages it can accept; 0 while it is unreachable (R7.6). */
  public int freeSlots() {
    return isReachable() ? Math.max(0, maxConcurrentTasks - activeTasks) : 0;
  }
}
