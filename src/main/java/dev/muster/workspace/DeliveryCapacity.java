package dev.muster.workspace;

import java.util.UUID;

/** What a workspace can take right now, by its last beat; {@code url} is empty when it has none. */
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

  /** How many messages may be brought to it at once; none while it cannot be reached (R7.6). */
  public int freeSlots() {
    return isReachable() ? Math.max(0, maxConcurrentTasks - activeTasks) : 0;
  }
}
