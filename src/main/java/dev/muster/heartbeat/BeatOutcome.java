package dev.muster.heartbeat;

import dev.muster.workspace.WorkspaceStatus;

/** What became of a beat. */
sealed interface BeatOutcome {

  /** Stored; the status is the one at its commit. */
  record Recorded(WorkspaceStatus status) implements BeatOutcome {}

  /** The workspace was removed: nothing is stored. */
  record Removed() implements BeatOutcome {}

  record Unknown() implements BeatOutcome {}
}
