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
 * The last values, in the order of their last change, for readers who keep a place of their own.
 *
 * <p>Whoever reads slowly reads fewer of them, each the latest, and costs no memory: there is one
 * entry for each kind and workspace, however many change and however many read.
 */
@Component
public class LastValues {

  private static final int MAX_PER_READ = 2000;

  private record Key(LastValue.Kind kind, UUID workspaceId) {}

  /** What a reader gets: the values, and the place to go on from. */
  public record Reading(List<LastValue> values, long place) {}

  private final NavigableMap<Long, LastValue> byPlace = new TreeMap<>();
  private final Map<Key, Long> placeOf = new HashMap<>();
  private final LiveSubscribers watchers = new LiveSubscribers(this::forgetAll);
  private long lastPlace;

  /** Whether anybody wants values; nobody need make any while not. */
  public boolean isWatched() {
    return watchers.isWatched();
  }

  /**
   * Runs {@code beginning} before the first watcher is let in, whenever there was none: what is
   * true then is no news to it. It may fail, and then there is no watcher.
   */
  public void beforeWatched(Runnable beginning) {
    watchers.beforeWatched(beginning);
  }

  /** Values are wanted until {@link #unwatch}. */
  public void watch(Object watcher) {
    watchers.watch(watcher);
  }

  public void unwatch(Object watcher) {
    watchers.unwatch(watcher);
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

  /** The place of the newest value: who reads from here gets what changes from now on. */
  public synchronized long newest() {
    return lastPlace;
  }

  /** The values after {@code place} that are wanted, at most {@code most}. */
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

  /** Copied, so that no reader's question holds up those who publish. */
  private synchronized List<Map.Entry<Long, LastValue>> next(long place) {
    return byPlace.tailMap(place, false).entrySet().stream().limit(MAX_PER_READ).toList();
  }
}
