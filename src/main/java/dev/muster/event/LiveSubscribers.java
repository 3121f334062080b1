package dev.muster.event;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tracks the subscribers of live data; without subscribers, producers need not make any. */
final class LiveSubscribers {

  private final Runnable onLastGone;
  private final Set<Object> watchers = new HashSet<>();
  private final List<Runnable> beginnings = new ArrayList<>();
  private volatile boolean watched;

  /** Runs {@code onLastGone} when the last subscriber leaves. */
  LiveSubscribers(Runnable onLastGone) {
    this.onLastGone = onLastGone;
  }

  boolean isWatched() {
    return watched;
  }

  /** Runs {@code beginning} before the first subscriber is added; if it fails, none is added. */
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
