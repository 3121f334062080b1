package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.event.NewEvent;
import dev.muster.identity.AuditTrail;
import dev.muster.identity.Tokens;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.StatusRepository.StatusRow;
import dev.muster.workspace.Workspaces.WorkspaceLabel;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Changes the status of locked workspaces, and informs listeners, the audit and the metrics. */
@Component
class StatusMoves {

  /**
   * How many workspaces a request removes together with all that they leave open, and how much of
   * that one transaction ends.
   */
  static final int MAX_AT_ONCE = 1000;

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final Tokens tokens;
  private final Events events;
  private final StatusTransitionMetrics transitions;
  private final WorkspaceChanges changes;

  StatusMoves(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      Tokens tokens,
      Events events,
      StatusTransitionMetrics transitions,
      WorkspaceChanges changes) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.tokens = tokens;
    this.events = events;
    this.transitions = transitions;
    this.changes = changes;
  }

  /** The moved rows with their previous status, and since when they have the status {@code to}. */
  record Moved(List<StatusRow> rows, WorkspaceStatus to, Instant since) {

    List<UUID> ids() {
      return rows.stream().map(StatusRow::workspaceId).toList();
    }
  }

  /** Changes the status of locked rows. */
  Moved move(List<StatusRow> rows, WorkspaceStatus to, String reason) {
    Instant since = statuses.move(rows, to).orElse(Instant.EPOCH);
    Moved moved = new Moved(rows, to, since);
    changes.statusChanged(moved.ids(), to);
    moved.ids().forEach(AuditTrail::addTarget);
    rows.stream()
        .collect(
            Collectors.groupingBy(
                StatusRow::status, Collectors.mapping(StatusRow::workspaceId, Collectors.toList())))
        .forEach((from, ids) -> transitions.publishAfterCommit(ids, from, to, reason));
    return moved;
  }

  /** Records an event for each moved row, with its name. */
  void recordNamed(EventType type, Moved moved) {
    Map<UUID, String> names =
        workspaces.labelsOf(moved.ids()).stream()
            .collect(Collectors.toMap(WorkspaceLabel::id, WorkspaceLabel::name));
    events.recordAll(
        moved.rows().stream()
            .map(was ->
                event(
                    type,
                    was,
                    moved.to(),
                    moved.since(),
                    Map.of("name", names.getOrDefault(was.workspaceId(), ""))))
            .toList());
  }

  /**
   * Marks workspaces as removed and revokes their tokens; the caller holds the hierarchy lock. What
   * they leave open is for {@link #endOpenWork}.
   */
  void close(Moved moved) {
    List<UUID> ids = moved.ids();
    workspaces.markRemoved(ids);
    tokens.revokeOfRemoved(ids);
    hierarchy.countChange();
  }

  /**
   * Ends delegations of removed workspaces, and messages that wait for them, up to {@link
   * #MAX_AT_ONCE} of each. Returns whether none is left.
   */
  boolean endOpenWork(List<UUID> removedIds) {
    return removedIds.isEmpty() || changes.removed(removedIds, MAX_AT_ONCE);
  }

  static NewEvent removedEvent(
      StatusRow was, Instant since, Map<String, ? extends @Nullable Object> fields) {
    return event(EventType.WORKSPACE_REMOVED, was, WorkspaceStatus.REMOVED, since, fields);
  }

  private static NewEvent event(
      EventType type,
      StatusRow was,
      WorkspaceStatus to,
      Instant since,
      Map<String, ? extends @Nullable Object> fields) {
    return LifecycleEvents.of(type, was.workspaceId(), was.status(), to, since, null, fields);
  }

  static ProblemException pausedAlready() {
    return new ProblemException(ErrorCode.WRONG_STATE, "the workspace is paused already");
  }

  static ProblemException notPaused() {
    return new ProblemException(ErrorCode.WRONG_STATE, "the workspace is not paused");
  }
}
