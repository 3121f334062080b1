package dev.muster.heartbeat;

import dev.muster.workspace.WorkspaceStatus;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The result of recording a heartbeat. */
sealed interface HeartbeatResult {

  /**
   * Stored.
   *
   * @param status the one at the commit
   * @param restartRequestedAt when a restart was requested that the agent has not heard yet
   */
  record Recorded(WorkspaceStatus status, @Nullable Instant restartRequestedAt)
      implements HeartbeatResult {}

  /** The workspace is removed; nothing is stored. */
  record Removed() implements HeartbeatResult {}

  record Unknown() implements HeartbeatResult {}
}
