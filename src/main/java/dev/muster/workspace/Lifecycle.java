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
import java.time.Instant;
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
    Moved paused =
        moved(affected(id, cascade), WorkspaceStatus::isLive, WorkspaceStatus.PAUSED, "pause");
    if (paused.rows().isEmpty()) {
      throw new ProblemException(ErrorCode.WRONG_STATE, "the workspace is paused already");
    }
    events.recordAll(
        paused.rows().stream()
            .map(was ->
                namedEvent(EventType.WORKSPACE_PAUSED, was, WorkspaceStatus.PAUSED, paused.since()))
            .toList());
    return paused.rows().size();
  }

  private int resumeLocked(UUID id, boolean cascade) {
    Moved resumed =
        moved(
            affected(id, cascade),
            WorkspaceStatus.PAUSED::equals,
            WorkspaceStatus.AWAITING_AGENT,
            "resume");
    if (resumed.rows().isEmpty()) {
      throw new ProblemException(ErrorCode.WRONG_STATE, "the workspace is not paused");
    }
    events.recordAll(
        resumed.rows().stream()
            .map(was ->
                namedEvent(
                    EventType.WORKSPACE_AWAITING_AGENT,
                    was,
                    WorkspaceStatus.AWAITING_AGENT,
                    resumed.since()))
            .toList());
    return resumed.rows().size();
  }

  private int removeLocked(UUID id, boolean confirmed) {
    if (!confirmed) {
      requireNone(hierarchy.children(id), "remove");
    }
    List<UUID> branch = hierarchy.branch(id);
    Moved moved =
        moved(
            branch,
            status -> status != WorkspaceStatus.REMOVED,
            WorkspaceStatus.REMOVED,
            "removal");
    List<StatusRow> removed = moved.rows();
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
    events.recordAll(
        removed.stream().map(row -> removedEvent(row, id, descendants, moved.since())).toList());
    return descendants;
  }

  private List<UUID> affected(UUID id, boolean cascade) {
    return cascade ? hierarchy.branch(id) : List.of(id);
  }

  /** Rows with their previous status, and since when they have the new one. */
  private record Moved(List<StatusRow> rows, Instant since) {}

  /**
   * Locks the rows and changes the status of those that {@code may} accepts. Returns these with
   * their previous status.
   */
  private Moved moved(
      List<UUID> ids, Predicate<WorkspaceStatus> may, WorkspaceStatus to, String reason) {
    List<StatusRow> rows =
        statuses.lock(ids).stream().filter(row -> may.test(row.status())).toList();
    Instant since = statuses.move(rows, to).orElse(Instant.EPOCH);
    changes.statusChanged(rows.stream().map(StatusRow::workspaceId).toList(), to);
    rows.forEach(row -> AuditTrail.addTarget(row.workspaceId()));
    rows.stream()
        .collect(
            Collectors.groupingBy(
                StatusRow::status, Collectors.mapping(StatusRow::workspaceId, Collectors.toList())))
        .forEach((from, moved) -> transitions.publishAfterCommit(moved, from, to, reason));
    return new Moved(rows, since);
  }

  private NewEvent namedEvent(
      EventType type, StatusRow was, WorkspaceStatus status, Instant since) {
    return LifecycleEvents.of(
        type,
        was.workspaceId(),
        was.status(),
        status,
        since,
        null,
        Map.of("name", nameOf(was.workspaceId())));
  }

  /** Builds the removal event; a descendant's event names the root of the removal. */
  private static NewEvent removedEvent(StatusRow was, UUID root, int descendants, Instant since) {
    boolean isRoot = was.workspaceId().equals(root);
    return LifecycleEvents.of(
        EventType.WORKSPACE_REMOVED,
        was.workspaceId(),
        was.status(),
        WorkspaceStatus.REMOVED,
        since,
        null,
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
