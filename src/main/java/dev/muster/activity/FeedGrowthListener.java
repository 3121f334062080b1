package dev.muster.activity;

import java.util.Set;
import java.util.UUID;

/**
 * Wants to know of feeds that have grown, or whose rows have outcomes now, by whichever replica;
 * its methods return soon.
 */
public interface FeedGrowthListener {

  /** After a commit here: messages wait for these targets. */
  default void queued(Set<UUID> workspaceIds) {}

  /** After the commit. */
  default void feedsChanged(Set<UUID> workspaceIds) {}

  /** As {@link #feedsChanged}, after a commit of another replica. */
  default void changedElsewhere(Set<UUID> workspaceIds) {
    feedsChanged(workspaceIds);
  }

  /** Any feed may have grown: other replicas were not heard for a while. */
  default void anyMayHaveGrown() {}
}
