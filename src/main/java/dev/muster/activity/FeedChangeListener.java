package dev.muster.activity;

import java.util.Set;
import java.util.UUID;

/**
 * Receives the feeds that have new rows or new delivery outcomes, from any replica. The methods
 * must return quickly.
 */
public interface FeedChangeListener {

  /** Reports queued messages for these targets, after a commit of this replica. */
  default void queued(Set<UUID> workspaceIds) {}

  /** Reports changed feeds, after the commit. */
  default void feedsChanged(Set<UUID> workspaceIds) {}

  /** Reports changed feeds as {@link #feedsChanged} does, after a commit of another replica. */
  default void changedElsewhere(Set<UUID> workspaceIds) {
    feedsChanged(workspaceIds);
  }

  /** Reports that any feed may have changed: notifications between replicas were interrupted. */
  default void resync() {}
}
