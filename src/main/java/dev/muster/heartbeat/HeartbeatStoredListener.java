package dev.muster.heartbeat;

import java.util.Collection;
import java.util.UUID;

/**
 * Hears of beats that this replica has stored, once for each commit.
 *
 * <p>It is called by the thread that commits beats: whoever implements it neither waits nor asks
 * the database there.
 */
public interface HeartbeatStoredListener {

  /** After the commit; statuses and telemetry are what the beats made of them. */
  void heartbeatsStored(Collection<UUID> workspaceIds);
}
