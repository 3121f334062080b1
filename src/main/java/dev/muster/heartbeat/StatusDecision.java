package dev.muster.heartbeat;

import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;

/** What a heartbeat changes in a workspace's status. */
sealed interface StatusDecision {

  /** The status and its reason stay. */
  record Unchanged() implements StatusDecision {}

  /** The workspace stays degraded, for another reason. */
  record OtherReason(DegradedReason reason) implements StatusDecision {}

  record Degraded(DegradedReason reason) implements StatusDecision {}

  record Online(WorkspaceStatus recoveredFrom) implements StatusDecision {}
}
