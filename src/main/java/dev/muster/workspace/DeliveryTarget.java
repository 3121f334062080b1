package dev.muster.workspace;

import dev.muster.protocol.A2aVersion;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Describes an existing workspace to the senders of messages.
 *
 * @param url "" when there is none
 * @param idleTimeoutSeconds how long its agent may be silent within one response; null when the
 *     agent set none
 * @param agentProtocol the version of A2A that its agent speaks at the url; null when it is not
 *     known
 * @param version grows with every write to the workspace, except its status and heartbeat data
 * @param treeVersion the hierarchy version read in the same statement
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
    @Nullable A2aVersion agentProtocol,
    long version,
    long treeVersion) {

  /** Whether a call can succeed: the status is online or degraded, and the url is usable. */
  public boolean isReachable() {
    return (status == WorkspaceStatus.ONLINE || status == WorkspaceStatus.DEGRADED)
        && DeliveryMode.isUsable(url);
  }

  public boolean isAtCapacity() {
    return activeTasks >= maxConcurrentTasks;
  }
}
