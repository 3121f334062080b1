package dev.muster.console.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Applies status transitions to the status periods of workspaces. The periods of a workspace follow
 * each other without a gap.
 *
 * <p>A clock that was set back can give a transition a time before the begin of the period that it
 * ends. It then counts as a transition at that begin, so no period ends before it begins.
 */
final class StatusPeriods {

  private final Map<UUID, StatusPeriod> open = new HashMap<>();
  private final List<StatusPeriod> ended = new ArrayList<>();
  private final Set<UUID> changed = new HashSet<>();

  private StatusPeriods() {}

  /**
   * Applies transitions.
   *
   * @param open the present periods of these workspaces
   * @param changes in the order of their events
   * @param beganAt the begin of the history; a workspace without a period counts as having had its
   *     previous status since then
   */
  static StatusPeriods apply(List<StatusPeriod> open, List<StatusChange> changes, Instant beganAt) {
    StatusPeriods periods = new StatusPeriods();
    open.forEach(period -> periods.open.put(period.workspaceId(), period));
    changes.forEach(change -> periods.apply(change, beganAt));
    return periods;
  }

  private void apply(StatusChange change, Instant beganAt) {
    UUID id = change.workspaceId();
    @Nullable StatusPeriod before = open.containsKey(id) ? open.get(id) : unseen(change, beganAt);
    if (before != null
        && before.status().equals(change.status())
        && Objects.equals(before.reason(), change.reason())) {
      return;
    }
    Instant at =
        before != null && before.since().isAfter(change.since()) ? before.since() : change.since();
    changed.add(id);
    StatusPeriod next =
        new StatusPeriod(
            id,
            change.seq(),
            at,
            null,
            before == null ? null : before.previousOfNext(at),
            change.status(),
            change.reason(),
            change.error());
    if (before != null) {
      ended.add(before.endedAt(at));
    }
    if (!change.status().equals(StatusChange.REMOVED)) {
      open.put(id, next);
    } else if (before != null) {
      open.remove(id);
      ended.add(next.endedAt(at));
    }
  }

  /** Returns the period before the workspace's first event in the history; null for a new one. */
  private static @Nullable StatusPeriod unseen(StatusChange change, Instant beganAt) {
    @Nullable String previous = change.previous();
    return previous == null || previous.equals(StatusChange.REMOVED)
        ? null
        : new StatusPeriod(change.workspaceId(), 0, beganAt, null, null, previous, null, null);
  }

  /** Returns the periods that have ended; a removal is one of no length. */
  List<StatusPeriod> ended() {
    return ended;
  }

  /** Returns the periods that began and have not ended. */
  List<StatusPeriod> begun() {
    return changed.stream()
        .filter(open::containsKey)
        .map(open::get)
        .map(Objects::requireNonNull)
        .toList();
  }

  /** Returns the workspaces that were removed. */
  Set<UUID> removed() {
    Set<UUID> removed = new HashSet<>(changed);
    removed.removeAll(open.keySet());
    return removed;
  }
}
