package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.AuditTrail;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.platform.text.RawJson;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Applies patches to workspaces and replaces their cards. Only heartbeats and lifecycle operations
 * change the status.
 */
@Service
class WorkspaceUpdates {

  private final Workspaces access;
  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final HierarchyLock hierarchyLock;
  private final AgentUrls urls;
  private final WorkspaceChanges changes;
  private final Events events;
  private final TransactionTemplate transactions;

  WorkspaceUpdates(
      Workspaces access,
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      HierarchyLock hierarchyLock,
      AgentUrls urls,
      WorkspaceChanges changes,
      Events events,
      TransactionTemplate transactions) {
    this.access = access;
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.hierarchyLock = hierarchyLock;
    this.urls = urls;
    this.changes = changes;
    this.events = events;
    this.transactions = transactions;
  }

  /** Applies all fields of a patch, or none; returns how messages reach the agent then. */
  DeliveryChoice patch(Workspace seen, WorkspacePatch patch) {
    requireCallable(seen, patch.appliedTo(seen));
    return patch.changesHierarchy()
        ? hierarchyLock.run(() -> store(seen.id(), patch))
        : transactions.execute(status -> store(seen.id(), patch));
  }

  /** Replaces the agent card, outside of registrations and heartbeats. */
  void replaceCard(UUID id, RawJson card) {
    access.requireUsableCard(id, card);
    AuditTrail.addTarget(id);
    transactions.executeWithoutResult(status -> {
      statuses.lock(id);
      access.existing(id);
      access.storeCard(id, card);
    });
  }

  private void requireCallable(Workspace was, Workspace wanted) {
    boolean touched =
        wanted.deliveryMode() != was.deliveryMode()
            || !wanted.url().equals(was.url())
            || !Objects.equals(wanted.agentCard(), was.agentCard());
    if (touched) {
      urls.requireCallable(
          wanted.deliveryMode(), wanted.url(), Optional.ofNullable(wanted.agentCard()));
    }
  }

  private DeliveryChoice store(UUID id, WorkspacePatch patch) {
    statuses.lock(id);
    Workspace was = workspaces.find(id).orElseThrow(() -> Workspaces.absent(id, workspaces));
    if (was.isRemoved()) {
      throw Workspaces.removed(was);
    }
    DeliveryChoice delivery = patch.delivery(was);
    Workspace wanted = patch.appliedTo(was);
    if (patch.changesHierarchy()) {
      requirePlace(id, wanted.parentId());
    }
    Map<String, @Nullable Object> changed = WorkspacePatch.changes(was, wanted);
    if (!changed.isEmpty() || was.modeSaid() != wanted.modeSaid()) {
      workspaces.update(wanted, delivery.agentProtocol());
    }
    if (!changed.isEmpty()) {
      if (!Objects.equals(was.parentId(), wanted.parentId())) {
        hierarchy.countChange();
      }
      if (was.deliveryMode() != wanted.deliveryMode()) {
        changes.deliveryModeChanged(id, wanted.deliveryMode());
      }
      events.record(new NewEvent(EventType.WORKSPACE_UPDATED, id, changed));
    }
    return delivery;
  }

  private void requirePlace(UUID id, @Nullable UUID parentId) {
    if (parentId == null) {
      return;
    }
    if (!hierarchy.exists(parentId)) {
      throw WorkspaceCreation.parentNotFound(parentId);
    }
    if (hierarchy.branch(id).contains(parentId)) {
      throw new ProblemException(
          ErrorCode.PARENT_CYCLE,
          "parent_id: " + parentId + " is the workspace itself or one of its descendants");
    }
  }
}
