package dev.muster.activity;

import java.util.Set;
import java.util.UUID;

/**
 * Wants to know of feeds that have grown, or whose rows have outcomes now, by whichever replica;
 * its methods return soon.
 */
public interface FeedListener {

  /** After a commit here: messages wait for these targets. */
  default void queued(Set<UUID> workspaceIds) {}

  /** After the commit. */
  default void grown(Set<UUID> workspaceIds) {}

  /** As {@link #grown}, after a commit of another replica. */
  default void grownElsewhere(Set<UUID> workspaceIds) {
    grown(workspaceIds);
  }

  /** Any feed may have grown: other replicas were not heard for a while. */
  default void anyMayHaveGrown() {}
}
