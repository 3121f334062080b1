package dev.muster.event;

import java.util.Set;
import java.util.UUID;

/** Receives the notifications of other replicas; implementations must return quickly. */
public interface ReplicaNotificationListener {

  ReplicaTopic topic();

  /** Called when another replica changed rows of these ids. */
  void called(Set<UUID> ids);

  /**
   * Called when rows of any id may have changed.
   *
   * <p>The notification had too many ids to list, or the connection is new and earlier
   * notifications were lost.
   */
  void onResync();
}
