package dev.muster.live;

import dev.muster.workspace.FamilyTree;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Whose events a stream shows; what belongs to no workspace is for operators alone. */
sealed interface Viewer {

  boolean sees(@Nullable UUID workspaceId);

  /** An operator's canvas. */
  record Everything() implements Viewer {

    @Override
    public boolean sees(@Nullable UUID workspaceId) {
      return true;
    }
  }

  /** One workspace alone. */
  record OneWorkspace(UUID id) implements Viewer {

    @Override
    public boolean sees(@Nullable UUID workspaceId) {
      return id.equals(workspaceId);
    }
  }

  /** An agent, who sees whom it may talk to (R3.4, R10.3). */
  record Family(UUID self, FamilyTree tree) implements Viewer {

    @Override
    public boolean sees(@Nullable UUID workspaceId) {
      return workspaceId != null && tree.mayTalk(self, workspaceId);
    }
  }
}
