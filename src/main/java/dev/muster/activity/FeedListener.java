package dev.muster.activity;

import java.util.Set;
import java.util.UUID;

/** Wants to know of feeds that have grown, by whichever replica; its methods return soon. */
interface FeedListener {

  /** After the commit. */
  void grown(Set<UUID> workspaceIds);

  /** Any feed may have grown: other replicas were not heard for a while. */
  void anyMayHaveGrown();
}
