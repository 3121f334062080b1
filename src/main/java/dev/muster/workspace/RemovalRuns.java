package dev.muster.workspace;

import dev.muster.identity.Caller;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/** Ends in the background what a removal leaves open, where that is too much for a request. */
public interface RemovalRuns {

  /**
   * Stores a run in the caller's transaction, and starts it after the commit. It ends the
   * delegations of the removed workspaces and the messages that wait for them (docs/api.md, section
   * 2). Returns the id of the run.
   *
   * @param removedAt since when the workspaces are removed
   */
  UUID start(List<UUID> removedIds, Instant removedAt, Caller caller);
}
