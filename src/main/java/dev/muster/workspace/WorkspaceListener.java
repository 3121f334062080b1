package dev.muster.workspace;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * Keeps what has to change together with workspaces: each method is called in the transaction of
 * the change, and what it throws undoes that.
 */
public interface WorkspaceListener {

  /** It exists now. */
  default void created(UUID workspaceId) {}

  /** They are in this status now, and were in another one; under the locks of their heartbeats. */
  default void statusChanged(Collection<UUID> workspaceIds, WorkspaceStatus status) {}

  /** They were removed; after {@link #statusChanged}, under the same locks. */
  default void removed(List<UUID> workspaceIds) {}

  /** Messages for it go another way from now on (R3.2); under the lock of its heartbeat. */
  default void deliveryModeChanged(UUID workspaceId, DeliveryMode mode) {}

  /** Their rows are deleted, long after they were removed. */
  default void deleted(List<UUID> workspaceIds) {}
}
