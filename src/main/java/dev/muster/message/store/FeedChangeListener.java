package dev.muster.message.store;

import dev.muster.message.AppendResult.Stored;
import dev.muster.message.NewActivity;
import java.util.Set;
import java.util.UUID;

/**
 * Receives the feeds that have new rows or new delivery outcomes, from any replica. The methods
 * must return quickly.
 */
public interface FeedChangeListener {

  /** Reports a new row, after a commit of this replica and before {@link #feedsChanged}. */
  default void appended(NewActivity row, Stored as) {}

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
