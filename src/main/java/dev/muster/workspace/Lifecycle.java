package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Tokens;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Hierarchy.Child;
import dev.muster.workspace.StatusRepository.StatusRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Pauses, resumes and removes workspaces, alone or with all descendants. */
@Service
class Lifecycle {

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final HierarchyLock tree;
  private final Tokens tokens;
  private final Events events;
  private final StatusTransitionMetrics transitions;
  private final TransactionTemplate transactions;
  private final WorkspaceChanges changes;

  Lifecycle(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      HierarchyLock tree,
      Tokens tokens,
      Events events,
      StatusTransitionMetrics transitions,
      TransactionTemplate transactions,
      WorkspaceChanges changes) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.tree = tree;
    this.tokens = tokens;
    this.events = events;
    this.transitions = transitions;
    this.transactions = transactions;
    this.changes = changes;
  }

  /** Returns how many workspaces were paused. */
  int pause(UUID id, boolean cascade) {
    return changing(cascade, () -> pauseLocked(id, cascade));
  }

  /** Returns how many were resumed. The next heartbeat or registration of each brings it online. */
  int resume(UUID id, boolean cascade) {
    return changing(cascade, () -> resumeLocked(id, cascade));
  }

  /** Returns how many descendants were removed with it. */
  int remove(UUID id, boolean confirmed) {
    return tree.run(() -> removeLocked(id, confirmed));
  }

  private int changing(boolean cascade, Supplier<Integer> work) {
    return cascade ? tree.run(work) : transactions.execute(status -> work.get());
  }

  private int pauseLocked(UUID id, boolean cascade) {
    if (!cascade) {
      requireNone(hierarchy.liveChildren(id), "pause");
    }
    List<StatusRow> paused =
        moved(affected(id, cascade), WorkspaceStatus::isLive, WorkspaceStatus.PAUSED, "pause");
    if (paused.isEmpty()) {
      throw new ProblemException(ErrorCode.WRONG_STATE, "the workspace is paused already");
    }
    events.recordAll(paused.stream().map(this::pausedEvent).toList());
    return paused.size();
  }

  private int resumeLocked(UUID id, boolean cascade) {
    List<StatusRow> resumed =
        moved(
            affected(id, cascade),
            WorkspaceStatus.PAUSED::equals,
            WorkspaceStatus.AWAITING_AGENT,
            "resume");
    if (resumed.isEmpty()) {
      throw new ProblemException(ErrorCode.WRONG_STATE, "the workspace is not paused");
    }
    events.recordAll(resumed.stream().map(this::resumedEvent).toList());
    return resumed.size();
  }

  private int removeLocked(UUID id, boolean confirmed) {
    if (!confirmed) {
      requireNone(hierarchy.children(id), "remove");
    }
    List<UUID> branch = hierarchy.branch(id);
    List<StatusRow> removed =
        moved(
            branch,
            status -> status != WorkspaceStatus.REMOVED,
            WorkspaceStatus.REMOVED,
            "removal");
    if (removed.stream().noneMatch(row -> row.workspaceId().equals(id))) {
      throw Workspaces.removed(
          workspaces.find(id).orElseThrow(() -> Workspaces.absent(id, workspaces)));
    }
    List<UUID> ids = removed.stream().map(StatusRow::workspaceId).toList();
    workspaces.markRemoved(ids);
    tokens.revokeOfRemoved(ids);
    hierarchy.countChange();
    changes.removed(ids);
    int descendants = removed.size() - 1;
    events.recordAll(removed.stream().map(row -> removedEvent(row, id, descendants)).toList());
    return descendants;
  }

  private List<UUID> affected(UUID id, boolean cascade) {
    return cascade ? hierarchy.branch(id) : List.of(id);
  }

  /**
   * Locks the rows and changes the status of those that {@code may} accepts. Returns these with
   * their previous status.
   */
  private List<StatusRow> moved(
      List<UUID> ids, Predicate<WorkspaceStatus> may, WorkspaceStatus to, String reason) {
    List<StatusRow> rows =
        statuses.lock(ids).stream().filter(row -> may.test(row.status())).toList();
    statuses.move(rows, to);
    changes.statusChanged(rows.stream().map(StatusRow::workspaceId).toList(), to);
    rows.forEach(row -> AuditTrail.addTarget(row.workspaceId()));
    rows.stream()
        .collect(
            Collectors.groupingBy(
                StatusRow::status, Collectors.mapping(StatusRow::workspaceId, Collectors.toList())))
        .forEach((from, moved) -> transitions.publishAfterCommit(moved, from, to, reason));
    return new ArrayList<>(rows);
  }

  private NewEvent pausedEvent(StatusRow was) {
    return LifecycleEvents.of(
        EventType.WORKSPACE_PAUSED,
        was.workspaceId(),
        was.status(),
        WorkspaceStatus.PAUSED,
        Map.of("name", nameOf(was.workspaceId())));
  }

  private NewEvent resumedEvent(StatusRow was) {
    return LifecycleEvents.of(
        EventType.WORKSPACE_AWAITING_AGENT,
        was.workspaceId(),
        was.status(),
        WorkspaceStatus.AWAITING_AGENT,
        Map.of("name", nameOf(was.workspaceId())));
  }

  /** Builds the removal event; a descendant's event names the root of the removal. */
  private static NewEvent removedEvent(StatusRow was, UUID root, int descendants) {
    boolean isRoot = was.workspaceId().equals(root);
    return LifecycleEvents.of(
        EventType.WORKSPACE_REMOVED,
        was.workspaceId(),
        was.status(),
        WorkspaceStatus.REMOVED,
        isRoot
            ? Map.of("cascade_deleted", descendants)
            : Map.of("cascade_deleted", 0, "removed_with", root));
  }

  private String nameOf(UUID id) {
    return workspaces.find(id).map(Workspace::name).orElse("");
  }

  private static void requireNone(List<Child> children, String verb) {
    if (!children.isEmpty()) {
      String remedy = verb.equals("remove") ? "?confirm=true" : "?cascade=true";
      throw new ProblemException(
          ErrorCode.CONFIRMATION_REQUIRED,
          "the workspace has children ("
              + children.size()
              + "); add "
              + remedy
              + " to "
              + verb
              + " the whole branch",
          Map.of("children", children));
    }
  }
}
