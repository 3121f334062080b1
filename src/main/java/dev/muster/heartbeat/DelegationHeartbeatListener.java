package dev.muster.heartbeat;

import java.util.List;
import java.util.UUID;

/** Receives the delegations that agents report as in progress (R8.5). */
public interface DelegationHeartbeatListener {

  /**
   * Called after the commit of the heartbeat; returns after the result is stored.
   *
   * <p>Ids of delegations that do not belong to the workspace are ignored.
   */
  void reportedInProgress(UUID workspaceId, List<String> delegationIds);
}
