package dev.muster.event;

import java.util.Set;
import java.util.UUID;

/** A bean that wants to hear the calls of other replicas; its methods return soon. */
public interface ReplicaNotificationListener {

  ReplicaTopic topic();

  /** There is news of these. */
  void called(Set<UUID> ids);

  /**
   * There may be news of anything: too much was called at once to be named, or the listener has a
   * new connection, and what was called before it was not heard.
   */
  void onResync();
}
