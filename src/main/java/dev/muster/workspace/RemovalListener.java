package dev.muster.workspace;

import java.util.List;
import java.util.UUID;

/** Ends what cannot go on without a workspace. */
@FunctionalInterface
public interface RemovalListener {

  /** In the transaction that removes these, under the locks of their beats. */
  void removed(List<UUID> workspaceIds);
}
