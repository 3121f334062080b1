package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Tokens;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Creates workspaces, each with its agent's first token. */
@Service
class WorkspaceCreation {

  /** The created workspace, and the token for its agent in clear. */
  record Created(NewWorkspace workspace, String authToken) {}

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final HierarchyLock hierarchyLock;
  private final AgentUrls urls;
  private final Tokens tokens;
  private final WorkspaceChanges changes;
  private final Events events;
  private final TransactionTemplate transactions;

  WorkspaceCreation(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      HierarchyLock hierarchyLock,
      AgentUrls urls,
      Tokens tokens,
      WorkspaceChanges changes,
      Events events,
      TransactionTemplate transactions) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.hierarchyLock = hierarchyLock;
    this.urls = urls;
    this.tokens = tokens;
    this.changes = changes;
    this.events = events;
    this.transactions = transactions;
  }

  Created create(NewWorkspace workspace) {
    urls.requireCallable(
        workspace.delivery().mode(), workspace.delivery().url(), workspace.agentCard());
    String token =
        workspace.parentId().isPresent()
            ? hierarchyLock.run(() -> store(workspace))
            : transactions.execute(status -> store(workspace));
    return new Created(workspace, token);
  }

  private String store(NewWorkspace workspace) {
    workspace.parentId().ifPresent(this::requireParent);
    if (!workspaces.insert(workspace)) {
      throw new ProblemException(
          ErrorCode.ID_TAKEN,
          "the id " + workspace.id() + " is taken; leave it out to get a new one");
    }
    Instant since = statuses.insert(workspace.id());
    changes.created(workspace.id());
    AuditTrail.addTarget(workspace.id());
    events.record(
        LifecycleEvents.of(
            EventType.WORKSPACE_AWAITING_AGENT,
            workspace.id(),
            null,
            WorkspaceStatus.AWAITING_AGENT,
            since,
            null,
            fields(workspace)));
    return tokens.mint(workspace.id()).token();
  }

  /** Returns what a view of the fleet needs besides the status to show a new workspace. */
  private static Map<String, @Nullable Object> fields(NewWorkspace workspace) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    fields.put("name", workspace.name());
    fields.put("role", workspace.role().orElse(null));
    fields.put("tier", workspace.tier());
    fields.put("parent_id", workspace.parentId().orElse(null));
    fields.put("runtime", workspace.runtime());
    fields.put("delivery_mode", workspace.delivery().mode());
    return fields;
  }

  private void requireParent(UUID parentId) {
    if (!hierarchy.exists(parentId)) {
      throw parentNotFound(parentId);
    }
  }

  static ProblemException parentNotFound(UUID parentId) {
    return new ProblemException(
        ErrorCode.PARENT_NOT_FOUND, "parent_id: " + parentId + " does not exist or was removed");
  }
}
