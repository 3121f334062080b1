package dev.muster.heartbeat;

import java.util.List;
import java.util.UUID;

/** Hears on which delegations agents say that they work (R8.5). */
public interface DelegationHeartbeatListener {

  /**
   * After the beat is stored; returns when this is stored too. Those that are none of the
   * workspace's own are ignored.
   */
  void claimed(UUID workspaceId, List<String> delegationIds);
}
