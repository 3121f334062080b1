package dev.muster.heartbeat;

import dev.muster.workspace.WorkspaceStatus;

/** What became of a beat. */
sealed interface HeartbeatResult {

  /** Stored; the status is the one at its commit. */
  record Recorded(WorkspaceStatus status) implements HeartbeatResult {}

  /** The workspace was removed: nothing is stored. */
  record Removed() implements HeartbeatResult {}

  record Unknown() implements HeartbeatResult {}
}
