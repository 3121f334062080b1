package dev.muster.workspace;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Notifies every {@link WorkspaceListener} in the transaction of the change. */
@Component
public class WorkspaceChanges {

  private final List<WorkspaceListener> listeners;

  WorkspaceChanges(List<WorkspaceListener> listeners) {
    this.listeners = listeners;
  }

  void created(UUID workspaceId) {
    listeners.forEach(listener -> listener.created(workspaceId));
  }

  /** Notifies of a status transition; call it after the rows change, in the same transaction. */
  public void statusChanged(Collection<UUID> workspaceIds, WorkspaceStatus status) {
    if (!workspaceIds.isEmpty()) {
      listeners.forEach(listener -> listener.statusChanged(workspaceIds, status));
    }
  }

  void registered(UUID workspaceId) {
    listeners.forEach(listener -> listener.registered(workspaceId));
  }

  void deliveryModeChanged(UUID workspaceId, DeliveryMode mode) {
    listeners.forEach(listener -> listener.deliveryModeChanged(workspaceId, mode));
  }

  /**
   * Ends at most {@code most} of what each listener has open of removed workspaces. A listener
   * waits for those before it to have nothing left. Returns whether nothing is left at all.
   */
  boolean removed(List<UUID> workspaceIds, int most) {
    return listeners.stream().allMatch(listener -> listener.removed(workspaceIds, most));
  }

  void deleted(List<UUID> workspaceIds) {
    listeners.forEach(listener -> listener.deleted(workspaceIds));
  }
}
