package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.Caller;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.Hierarchy.Child;
import dev.muster.workspace.StatusMoves.Moved;
import dev.muster.workspace.StatusRepository.StatusRow;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionTemplate;

/** Pauses, resumes and removes workspaces, alone or with all descendants. */
@Service
class Lifecycle {

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final HierarchyLock hierarchyLock;
  private final StatusMoves moves;
  private final Events events;
  private final RemovalRuns removalRuns;
  private final TransactionTemplate transactions;

  Lifecycle(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      HierarchyLock hierarchyLock,
      StatusMoves moves,
      Events events,
      RemovalRuns removalRuns,
      TransactionTemplate transactions) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.hierarchyLock = hierarchyLock;
    this.moves = moves;
    this.events = events;
    this.removalRuns = removalRuns;
    this.transactions = transactions;
  }

  /** Returns how many workspaces were paused. */
  int pause(UUID id, boolean cascade) {
    return changing(cascade, () -> pauseLocked(id, cascade));
  }

  /** Returns how many were resumed. The next heartbeat or registration of each brings it online. */
  int resume(UUID id, boolean cascade) {
    return changing(cascade, () -> resumeLocked(id, cascade));
  }

  /**
   * A removal.
   *
   * @param descendants how many were removed with the workspace
   * @param rest the bulk run that ends their delegations and messages; empty if all have ended
   */
  record Removal(int descendants, Optional<UUID> rest) {}

  /** Removes the workspace with its descendants. */
  Removal remove(UUID id, boolean confirmed, Caller caller) {
    return hierarchyLock.run(() -> removeLocked(id, confirmed, caller));
  }

  private int changing(boolean cascade, Supplier<Integer> work) {
    return cascade ? hierarchyLock.run(work) : transactions.execute(status -> work.get());
  }

  private int pauseLocked(UUID id, boolean cascade) {
    if (!cascade) {
      requireNone(hierarchy.liveChildren(id), "paused", "?cascade=true");
    }
    Moved paused =
        moved(affected(id, cascade), WorkspaceStatus::isLive, WorkspaceStatus.PAUSED, "pause");
    if (paused.rows().isEmpty()) {
      throw StatusMoves.pausedAlready();
    }
    moves.recordNamed(EventType.WORKSPACE_PAUSED, paused);
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
      throw StatusMoves.notPaused();
    }
    moves.recordNamed(EventType.WORKSPACE_AWAITING_AGENT, resumed);
    return resumed.rows().size();
  }

  private Removal removeLocked(UUID id, boolean confirmed, Caller caller) {
    if (!confirmed) {
      requireNone(hierarchy.children(id), "removed", "?confirm=true");
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
    moves.close(moved);
    int descendants = removed.size() - 1;
    events.recordAll(
        removed.stream().map(row -> removedEvent(row, id, descendants, moved.since())).toList());
    List<UUID> ids = moved.ids();
    boolean isOver = ids.size() <= StatusMoves.MAX_AT_ONCE && moves.endOpenWork(ids);
    return new Removal(
        descendants,
        isOver ? Optional.empty() : Optional.of(removalRuns.start(ids, moved.since(), caller)));
  }

  private List<UUID> affected(UUID id, boolean cascade) {
    return cascade ? hierarchy.branch(id) : List.of(id);
  }

  /** Locks the rows and changes the status of those that {@code may} accepts. */
  private Moved moved(
      List<UUID> ids, Predicate<WorkspaceStatus> may, WorkspaceStatus to, String reason) {
    return moves.move(
        statuses.lock(ids).stream().filter(row -> may.test(row.status())).toList(), to, reason);
  }

  /** Builds the removal event; a descendant's event names the root of the removal. */
  private static NewEvent removedEvent(StatusRow was, UUID root, int descendants, Instant since) {
    boolean isRoot = was.workspaceId().equals(root);
    return StatusMoves.removedEvent(
        was,
        since,
        isRoot
            ? Map.of("cascade_deleted", descendants)
            : Map.of("cascade_deleted", 0, "removed_with", root));
  }

  private static void requireNone(List<Child> children, String done, String confirmation) {
    if (!children.isEmpty()) {
      throw new ProblemException(
          ErrorCode.CONFIRMATION_REQUIRED,
          "the workspace has children ("
              + children.size()
              + "), which are "
              + done
              + " with it; confirm this ("
              + confirmation
              + ")",
          Map.of("children", children));
    }
  }
}
