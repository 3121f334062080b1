package dev.muster.heartbeat;

import dev.muster.workspace.DegradedReason;
import dev.muster.workspace.WorkspaceStatus;

/** What a beat does to a workspace's status. */
sealed interface Verdict {

  /** Nothing. */
  record Unchanged() implements Verdict {}

  /** It stays degraded, for another reason. */
  record OtherReason(DegradedReason reason) implements Verdict {}

  record Degraded(DegradedReason reason) implements Verdict {}

  record Online(WorkspaceStatus recoveredFrom) implements Verdict {}
}
