package dev.muster.live;

import dev.muster.workspace.HierarchyCache;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whose events a stream shows, and how much of them; what belongs to no workspace is for operators
 * alone.
 */
sealed interface EventAudience {

  /** The workspace whose own events are shown; null for an operator, who sees all of all. */
  @Nullable UUID self();

  /** Whether it sees of this one what {@link PeerView} shows. */
  boolean isPeer(@Nullable UUID workspaceId);

  /** Whether it sees all events of this one. */
  default boolean seesAllOf(@Nullable UUID workspaceId) {
    @Nullable UUID self = self();
    return self == null || self.equals(workspaceId);
  }

  /** An operator's canvas. */
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

  /** One workspace alone. */
  record OneWorkspace(UUID self) implements EventAudience {

    @Override
    public boolean isPeer(@Nullable UUID workspaceId) {
      return false;
    }
  }

  /** An agent, who also sees a little of those it may talk to (R3.4, R10.3). */
  record Family(UUID self, HierarchyCache tree) implements EventAudience {

    @Override
    public boolean isPeer(@Nullable UUID workspaceId) {
      return workspaceId != null && tree.mayTalk(self, workspaceId);
    }
  }
}
