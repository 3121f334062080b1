package dev.muster.event;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Keeps the last values, ordered by their latest change; each reader keeps its own position.
 *
 * <p>A slow reader gets fewer values, each the latest, and costs no memory. The memory holds one
 * entry per kind and workspace, independent of the number of changes and readers.
 */
@Component
public class LastValues {

  private static final int MAX_PER_READ = 2000;

  private record Key(LastValue.Kind kind, UUID workspaceId) {}

  /** Holds the values of one read and the position to continue from. */
  public record Reading(List<LastValue> values, long place) {}

  private final NavigableMap<Long, LastValue> byPlace = new TreeMap<>();
  private final Map<Key, Long> placeOf = new HashMap<>();
  private final LiveSubscribers subscribers = new LiveSubscribers(this::forgetAll);
  private long lastPlace;

  /** Returns whether there is any subscriber; without one, producers need not make values. */
  public boolean isWatched() {
    return subscribers.isWatched();
  }

  /**
   * Registers an action to run before the first subscriber is added, whenever there was none.
   *
   * <p>The action records the current state, which is not reported to that subscriber as a change.
   * If the action fails, the subscriber is not added.
   */
  public void beforeWatched(Runnable beginning) {
    subscribers.beforeWatched(beginning);
  }

  /** Adds a subscriber, until {@link #unwatch}. */
  public void watch(Object watcher) {
    subscribers.watch(watcher);
  }

  public void unwatch(Object watcher) {
    subscribers.unwatch(watcher);
  }

  private synchronized void forgetAll() {
    byPlace.clear();
    placeOf.clear();
  }

  public synchronized void publish(LastValue value) {
    if (!isWatched()) {
      return;
    }
    long place = ++lastPlace;
    @Nullable Long before = placeOf.put(new Key(value.kind(), value.workspaceId()), place);
    if (before != null) {
      byPlace.remove(before);
    }
    byPlace.put(place, value);
  }

  /**
   * Returns the position of the newest value; a reader that starts here gets only later changes.
   */
  public synchronized long newest() {
    return lastPlace;
  }

  /** Returns up to {@code most} values after {@code place} that match {@code wanted}. */
  public Reading after(long place, int most, Predicate<LastValue> wanted) {
    List<LastValue> values = new ArrayList<>();
    long reached = place;
    for (var next : next(place)) {
      if (values.size() == most) {
        break;
      }
      reached = next.getKey();
      if (wanted.test(next.getValue())) {
        values.add(next.getValue());
      }
    }
    return new Reading(values, reached);
  }

  /** Copies the entries, so that a reader's predicate does not block publishers. */
  private synchronized List<Map.Entry<Long, LastValue>> next(long place) {
    return byPlace.tailMap(place, false).entrySet().stream().limit(MAX_PER_READ).toList();
  }
}
