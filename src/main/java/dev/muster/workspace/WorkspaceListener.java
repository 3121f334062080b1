package dev.muster.workspace;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Receives changes of workspaces, in the transaction of each change. An exception rolls the change
 * back.
 */
public interface WorkspaceListener {

  /** The workspace was created. */
  default void created(UUID workspaceId) {}

  /** The workspaces changed to this status; their heartbeat rows are locked. */
  default void statusChanged(Collection<UUID> workspaceIds, WorkspaceStatus status) {}

  /**
   * The workspaces were removed. Ends at most {@code most} of the open work that they leave, such
   * as messages that wait for them. Returns whether none is left; if some is, a later transaction
   * calls again.
   */
  default boolean removed(List<UUID> workspaceIds, int most) {
    return true;
  }

  /**
   * The agent registered, after a change of its delivery mode, if any; the heartbeat row is locked.
   */
  default void registered(UUID workspaceId) {}

  /** The delivery mode changed (R3.2); the workspace's heartbeat row is locked. */
  default void deliveryModeChanged(UUID workspaceId, DeliveryMode mode) {}

  /** Retention deleted the workspaces' rows, long after their removal. */
  default void deleted(List<UUID> workspaceIds) {}
}
