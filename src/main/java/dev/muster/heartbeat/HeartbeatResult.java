package dev.muster.heartbeat;

import dev.muster.workspace.WorkspaceStatus;

/** The result of recording a heartbeat. */
sealed interface HeartbeatResult {

  /** Stored; {@code status} is the one at the commit. */
  record Recorded(WorkspaceStatus status) implements HeartbeatResult {}

  /** The workspace is removed; nothing is stored. */
  record Removed() implements HeartbeatResult {}

  record Unknown() implements HeartbeatResult {}
}
