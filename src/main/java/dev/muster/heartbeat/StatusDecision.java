package dev.muster.heartbeat;

import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;

/** What a beat does to a workspace's status. */
sealed interface StatusDecision {

  /** Nothing. */
  record Unchanged() implements StatusDecision {}

  /** It stays degraded, for another reason. */
  record OtherReason(DegradedReason reason) implements StatusDecision {}

  record Degraded(DegradedReason reason) implements StatusDecision {}

  record Online(WorkspaceStatus recoveredFrom) implements StatusDecision {}
}
