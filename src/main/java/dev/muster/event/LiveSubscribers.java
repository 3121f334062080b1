package dev.muster.event;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Who wants something that is told live; nobody need make any of it while there is no one. */
final class LiveSubscribers {

  private final Runnable onLastGone;
  private final Set<Object> watchers = new HashSet<>();
  private final List<Runnable> beginnings = new ArrayList<>();
  private volatile boolean watched;

  /** {@code onLastGone} runs when there is nobody left. */
  LiveSubscribers(Runnable onLastGone) {
    this.onLastGone = onLastGone;
  }

  boolean isWatched() {
    return watched;
  }

  /** {@code beginning} runs before the first watcher is let in; when it fails, there is none. */
  void beforeWatched(Runnable beginning) {
    synchronized (beginnings) {
      beginnings.add(beginning);
    }
  }

  void watch(Object watcher) {
    synchronized (beginnings) {
      if (!watched) {
        beginnings.forEach(Runnable::run);
      }
      add(watcher);
    }
  }

  private synchronized void add(Object watcher) {
    watchers.add(watcher);
    watched = true;
  }

  synchronized void unwatch(Object watcher) {
    if (watchers.remove(watcher) && watchers.isEmpty()) {
      watched = false;
      onLastGone.run();
    }
  }
}
