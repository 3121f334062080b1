package dev.muster.activity;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

/** Tells of feeds that have grown, after the commit. */
@Component
class FeedSignals {

  private final List<Consumer<Set<UUID>>> listeners = new CopyOnWriteArrayList<>();

  /** {@code listener} returns soon and does not fail. */
  void onGrowth(Consumer<Set<UUID>> listener) {
    listeners.add(listener);
  }

  /** Here, by a transaction that is committed. */
  void grown(Set<UUID> workspaceIds) {
    listeners.forEach(listener -> listener.accept(workspaceIds));
  }
}
