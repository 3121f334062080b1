package dev.muster.workspace;

import java.util.Collection;
import java.util.UUID;

/**
 * Receives the heartbeats that this replica stored, once per commit.
 *
 * <p>The thread that commits heartbeats calls it, so implementations must not block or query the
 * database.
 */
public interface HeartbeatStoredListener {

  /** Called after the commit, when status and heartbeat values are visible. */
  void heartbeatsStored(Collection<UUID> workspaceIds);
}
