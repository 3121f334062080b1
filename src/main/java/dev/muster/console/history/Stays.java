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
 * What status transitions make of the stays of workspaces. The stays of a workspace follow each
 * other without a gap, and none ends before it began, whatever a clock did: a transition with a
 * time before the stay's begin counts as one at the begin.
 */
final class Stays {

  private final Map<UUID, Stay> open = new HashMap<>();
  private final List<Stay> ended = new ArrayList<>();
  private final Set<UUID> changed = new HashSet<>();

  private Stays() {}

  /**
   * Follows transitions.
   *
   * @param open the stays of these workspaces that last
   * @param changes in the order of their events
   * @param beganAt when the history begins: a workspace without a stay had its previous status
   *     since then
   */
  static Stays follow(List<Stay> open, List<StatusChange> changes, Instant beganAt) {
    Stays stays = new Stays();
    open.forEach(stay -> stays.open.put(stay.workspaceId(), stay));
    changes.forEach(change -> stays.follow(change, beganAt));
    return stays;
  }

  private void follow(StatusChange change, Instant beganAt) {
    UUID id = change.workspaceId();
    @Nullable Stay before = open.containsKey(id) ? open.get(id) : unseen(change, beganAt);
    if (before != null
        && before.status().equals(change.status())
        && Objects.equals(before.reason(), change.reason())) {
      return;
    }
    Instant at =
        before != null && before.since().isAfter(change.since()) ? before.since() : change.since();
    changed.add(id);
    if (before != null) {
      ended.add(before.endedAt(at));
    }
    if (change.status().equals(StatusChange.REMOVED)) {
      open.remove(id);
    } else {
      open.put(
          id,
          new Stay(id, change.seq(), at, null, change.status(), change.reason(), change.error()));
    }
  }

  /** The stay that was before the first event that is kept. */
  private static @Nullable Stay unseen(StatusChange change, Instant beganAt) {
    @Nullable String previous = change.previous();
    return previous == null || previous.equals(StatusChange.REMOVED)
        ? null
        : new Stay(change.workspaceId(), 0, beganAt, null, previous, null, null);
  }

  /** Returns the stays that have ended. */
  List<Stay> ended() {
    return ended;
  }

  /** Returns the stays that began and last. */
  List<Stay> begun() {
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
