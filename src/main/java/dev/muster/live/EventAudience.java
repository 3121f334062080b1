package dev.muster.live;

import dev.muster.workspace.HierarchyCache;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decides whose events a stream shows, and how much of each. Only {@link Everything} includes
 * events that belong to no workspace.
 */
sealed interface EventAudience {

  /** Returns the workspace whose events are shown in full; null when all events are. */
  @Nullable UUID self();

  /** Returns whether the stream shows the {@link PeerView} of this workspace. */
  boolean isPeer(@Nullable UUID workspaceId);

  /** Whether the stream shows all events of this workspace. */
  default boolean seesAllOf(@Nullable UUID workspaceId) {
    @Nullable UUID self = self();
    return self == null || self.equals(workspaceId);
  }

  /** All events, for the admin, operators and viewers. */
  record Everything() implements EventAudience {

    @Override
    public @Nullable UUID self() {
      return null;
    }

    @Override
    public boolean isPeer(@Nullable UUID workspaceId) {
      return false;
    }
  }

  /** The events of one workspace only. */
  record OneWorkspace(UUID self) implements EventAudience {

    @Override
    public boolean isPeer(@Nullable UUID workspaceId) {
      return false;
    }
  }

  /** An agent's own events, and the {@link PeerView} of its peers (R3.4, R10.3). */
  record Family(UUID self, HierarchyCache tree) implements EventAudience {

    @Override
    public boolean isPeer(@Nullable UUID workspaceId) {
      return workspaceId != null && tree.mayTalk(self, workspaceId);
    }
  }
}
