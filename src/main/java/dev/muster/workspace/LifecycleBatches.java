package dev.muster.workspace;

import dev.muster.event.EventType;
import dev.muster.event.Events;
import dev.muster.platform.problem.ErrorCode;
import dev.muster.platform.problem.ProblemException;
import dev.muster.workspace.StatusMoves.Moved;
import dev.muster.workspace.StatusRepository.StatusRow;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/**
 * Pauses, resumes, restarts and removes many workspaces in the caller's transaction.
 *
 * <p>Each workspace has its own result, in the order of the ids. A refused one stays as it is and
 * does not affect the others. Each change records the same event as a request for one workspace.
 */
@Service
public class LifecycleBatches {

  private final WorkspaceRepository workspaces;
  private final StatusRepository statuses;
  private final Hierarchy hierarchy;
  private final StatusMoves moves;
  private final Events events;

  LifecycleBatches(
      WorkspaceRepository workspaces,
      StatusRepository statuses,
      Hierarchy hierarchy,
      StatusMoves moves,
      Events events) {
    this.workspaces = workspaces;
    this.statuses = statuses;
    this.hierarchy = hierarchy;
    this.moves = moves;
    this.events = events;
  }

  /** Pauses workspaces; refuses one that has live children outside of the batch. */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<BatchResult> pause(List<UUID> ids) {
    Batch batch = new Batch(ids);
    batch.refuseEach(
        row -> row.status() == WorkspaceStatus.PAUSED ? StatusMoves.pausedAlready() : null);
    batch.refuseThoseWithChildren(false, "pause");
    Moved paused = moves.move(batch.accepted(), WorkspaceStatus.PAUSED, "pause");
    moves.recordNamed(EventType.WORKSPACE_PAUSED, paused);
    return batch.results(paused.since());
  }

  /**
   * Resumes workspaces.
   *
   * @param pausedAt the time at which a workspace must have been paused; one without an entry may
   *     have been paused at any time
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<BatchResult> resume(List<UUID> ids, Map<UUID, Instant> pausedAt) {
    Batch batch = new Batch(ids);
    batch.refuseEach(row ->
        row.status() == WorkspaceStatus.PAUSED
                && row.since().equals(pausedAt.getOrDefault(row.workspaceId(), row.since()))
            ? null
            : pausedAt.isEmpty() ? StatusMoves.notPaused() : changedSince());
    Moved resumed = moves.move(batch.accepted(), WorkspaceStatus.AWAITING_AGENT, "resume");
    moves.recordNamed(EventType.WORKSPACE_AWAITING_AGENT, resumed);
    return batch.results(resumed.since());
  }

  /**
   * Removes workspaces; refuses one that has children outside of the batch. What they leave open is
   * for {@link #endOpenWork}.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public List<BatchResult> remove(List<UUID> ids) {
    hierarchy.lock();
    Batch batch = new Batch(ids);
    batch.refuseThoseWithChildren(true, "remove");
    Moved removed = moves.move(batch.accepted(), WorkspaceStatus.REMOVED, "removal");
    if (!removed.rows().isEmpty()) {
      moves.close(removed);
    }
    events.recordAll(
        removed.rows().stream()
            .map(
                row -> StatusMoves.removedEvent(row, removed.since(), Map.of("cascade_deleted", 0)))
            .toList());
    return batch.results(removed.since());
  }

  /**
   * Ends a part of the delegations and messages that removed workspaces leave open. Returns whether
   * none is left; call it again until then.
   */
  @Transactional(propagation = Propagation.MANDATORY)
  public boolean endOpenWork(List<UUID> removedIds) {
    return moves.endOpenWork(removedIds);
  }

  @Transactional(propagation = Propagation.MANDATORY)
  public List<BatchResult> requestRestarts(List<UUID> ids, Optional<String> reason) {
    Batch batch = new Batch(ids);
    List<UUID> accepted = batch.accepted().stream().map(StatusRow::workspaceId).toList();
    Instant at = statuses.requestRestarts(accepted).orElse(Instant.EPOCH);
    events.recordAll(accepted.stream().map(id -> Restarts.requested(id, at, reason)).toList());
    return batch.results(at);
  }

  /** Returns the refusal of an undo for a workspace whose status was changed again. */
  public static ProblemException changedSince() {
    return new ProblemException(
        ErrorCode.WRONG_STATE, "its status was changed since; it stays as it is");
  }

  /** Returns the refusal where it cannot be told whether the status was changed by a person. */
  public static ProblemException perhapsChangedSince() {
    return new ProblemException(
        ErrorCode.WRONG_STATE,
        "its events since then are deleted, so whether it was paused in between cannot be told; it"
            + " stays as it is");
  }

  /** The locked rows of a batch, and the refusals of some of them. */
  private final class Batch {

    private final List<UUID> ids;
    private final Map<UUID, StatusRow> rows;
    private final Map<UUID, ProblemException> refusals = new LinkedHashMap<>();

    Batch(List<UUID> ids) {
      this.ids = ids;
      this.rows =
          statuses.lock(ids).stream()
              .collect(Collectors.toMap(StatusRow::workspaceId, Function.identity()));
      for (UUID id : ids) {
        @Nullable StatusRow row = rows.get(id);
        if (row == null || row.status() == WorkspaceStatus.REMOVED) {
          refusals.put(
              id,
              workspaces
                  .find(id)
                  .map(Workspaces::removed)
                  .orElseGet(() -> Workspaces.absent(id, workspaces)));
        }
      }
    }

    List<StatusRow> accepted() {
      return ids.stream()
          .filter(id -> !refusals.containsKey(id))
          .map(id -> Objects.requireNonNull(rows.get(id)))
          .toList();
    }

    void refuseEach(Function<StatusRow, @Nullable ProblemException> rule) {
      for (StatusRow row : accepted()) {
        @Nullable ProblemException refusal = rule.apply(row);
        if (refusal != null) {
          refusals.put(row.workspaceId(), refusal);
        }
      }
    }

    /**
     * Refuses parents of workspaces outside of the batch. A refused child refuses its parent too,
     * so this repeats until it refuses no more.
     */
    void refuseThoseWithChildren(boolean pausedToo, String verb) {
      Set<UUID> left = accepted().stream().map(StatusRow::workspaceId).collect(Collectors.toSet());
      Map<UUID, List<UUID>> children = hierarchy.childrenOf(left, pausedToo);
      Set<UUID> refused = new HashSet<>();
      do {
        left.removeAll(refused);
        refused.clear();
        children.forEach((parent, below) -> {
          long others = below.stream().filter(child -> !left.contains(child)).count();
          if (left.contains(parent) && others > 0) {
            refused.add(parent);
            refusals.put(parent, hasChildren(others, verb));
          }
        });
      } while (!refused.isEmpty());
    }

    List<BatchResult> results(Instant at) {
      return ids.stream()
          .map(id -> {
            @Nullable ProblemException refusal = refusals.get(id);
            return refusal == null ? BatchResult.done(id, at) : BatchResult.refused(id, refusal);
          })
          .toList();
    }
  }

  private static ProblemException hasChildren(long children, String verb) {
    return new ProblemException(
        ErrorCode.CONFIRMATION_REQUIRED,
        "the workspace has children ("
            + children
            + ") that are not among those to "
            + verb
            + "; choose them too, or add cascade");
  }
}
